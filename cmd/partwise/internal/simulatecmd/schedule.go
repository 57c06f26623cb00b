package simulatecmd

import (
	"cmp"
	"fmt"
	"io"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/machine"
)

// writeSchedule writes the trace and the Gantt chart of the first replication of each policy, if they are wanted.
func writeSchedule(inv *cli.Invocation, o *options, file *modelfile.Model, runs []validate.Simulation,
	run validate.Simulator) error {
	run.Progress = nil
	from, to := o.shown[0], o.shown[1]
	switch {
	case o.gantt.Wanted() && to == 0:
		c, err := run.WholeNodes(runs[0].Policy)
		if err != nil {
			return err
		}
		from, to = validate.Stretch(c, run.Options)
	case !o.gantt.Wanted() && o.trace == "":
		return nil
	}
	jobs := 0
	if o.trace != "" {
		jobs = cmp.Or(len(run.Replay), o.traced)
	}
	var rows []output.Row
	var schedules []chart.Schedule
	var policies []policy.Policy
	for _, s := range runs {
		r, written := &machine.Recorder{From: from, To: to}, 0
		c, err := run.WholeNodes(s.Policy)
		if err != nil {
			return err
		}
		err = validate.Record(inv.Context, c, run.Options, jobs, r, func(record *machine.Record) {
			if written++; written <= jobs {
				rows = append(rows, traceRow(s.Policy, record))
			}
		})
		if err != nil {
			return err
		}
		policies = append(policies, s.Policy)
		schedules = append(schedules, chart.Schedule{Name: s.Policy.String(), Nodes: file.System.Nodes, Recorder: r})
	}
	if o.trace != "" {
		trace := output.WithTimeUnit(output.ListOfRows("", "", output.Wide, rows).Rows(), file.TimeUnit.Name)
		if err := output.WriteFile(o.trace, func(w io.Writer) error { return output.WriteCSV(w, trace) }); err != nil {
			return err
		}
		inv.Notef("wrote %s", o.trace)
	}
	return input.Draw(inv, o.gantt, chart.Gantt(chart.Figure{Title: "Who has which node when: " + input.Headline(file),
		Notes: input.PolicyNotes(policies...), XLabel: fmt.Sprintf("time [%s]", file.TimeUnit.Name)}, from, to, schedules))
}

// traceRow returns what CSV says of a job.
func traceRow(p policy.Policy, r *machine.Record) output.Row {
	return append(output.Policy(p), output.Data("job", r.Number), output.Data("submit", r.Submit), output.Data("start", r.Start),
		output.Data("end", r.End), output.Data("waiting_time", r.Wait()), output.Data("response_time", r.Response()),
		output.Data("demand", r.Work), output.Data("first_nodes", r.First), output.Data("fewest_nodes", r.Fewest),
		output.Data("most_nodes", r.Widest), output.Data("resized", r.Resized), output.Data("paused", r.Paused),
		output.Data("node_time", r.NodeTime))
}
