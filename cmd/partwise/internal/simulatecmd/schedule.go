package simulatecmd

import (
	"cmp"
	"fmt"
	"github.com/partwise/partwise/models/words"
	"io"
	"slices"
	"strconv"

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
func writeSchedule(inv *cli.Invocation, o *options, file *modelfile.Model, runs []validate.Simulation, run validate.Options) error {
	run.Progress = nil
	from, to := o.shown[0], o.shown[1]
	switch {
	case o.gantt.Wanted() && to == 0:
		var err error
		if from, to, err = validate.Stretch(file.System, runs[0].Policy, run); err != nil {
			return err
		}
	case !o.gantt.Wanted() && o.trace == "":
		return nil
	}
	jobs := 0
	if o.trace != "" {
		jobs = cmp.Or(len(run.Replay), o.traced)
	}
	rows := [][]string{{"policy", "partitions", "job", "submit", "start", "end", "waiting_time", "response_time", "demand",
		"first_nodes", "fewest_nodes", "most_nodes", "resized", "paused", "node_time"}}
	var schedules []chart.Schedule
	var policies []policy.Policy
	for _, s := range runs {
		r, written := &machine.Recorder{From: from, To: to}, 0
		err := validate.Record(inv.Context, file.System, s.Policy, run, jobs, r, func(record *machine.Record) {
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
		rows = output.WithTimeUnit(rows, file.TimeUnit.Name)
		if err := output.WriteFile(o.trace, func(w io.Writer) error { return output.WriteCSV(w, rows) }); err != nil {
			return err
		}
		inv.Notef("wrote %s", o.trace)
	}
	return inv.Draw(o.gantt, chart.Gantt(chart.Figure{Title: "Who has which node when: " + input.Headline(file),
		Notes: input.PolicyNotes(policies...), XLabel: fmt.Sprintf("time [%s]", file.TimeUnit.Name)}, from, to, schedules))
}

func traceRow(p policy.Policy, r *machine.Record) []string {
	name, partitions := input.NameOf(p), ""
	if name.Partitions > 0 {
		partitions = strconv.Itoa(name.Partitions)
	}
	times := []float64{r.Submit, r.Start, r.End, r.Wait(), r.Response(), r.Work}
	nodes := []int{r.First, r.Fewest, r.Widest, r.Resized}
	return slices.Concat([]string{name.Policy, partitions, strconv.Itoa(r.Number)}, words.Texts(times, output.Shortest),
		words.Texts(nodes, strconv.Itoa), []string{output.Shortest(r.Paused), output.Shortest(r.NodeTime)})
}
