package simulation

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/machine"
)

// scheduleOptions are the flags that show single jobs of the first replication.
type scheduleOptions struct {
	trace     string // the file; "": none
	traceJobs int    // of each policy
	gantt     cli.Picture
	stretch   stretch // of the chart; the zero value: the first arrivals
}

func newScheduleOptions() scheduleOptions { return scheduleOptions{traceJobs: 10_000} }

// Flags binds the flags.
func (o *scheduleOptions) Flags() []cli.Flag {
	return []cli.Flag{
		cli.OutputFile(&o.trace, "trace",
			"write what happened to each job of the first replication to `FILE`, as CSV"),
		cli.Int(&o.traceJobs, "trace-jobs", cli.PositiveInt, cli.About{Hint: "for example --trace-jobs 1000",
			Usage: "write the first `N` departures of each policy to --trace; of a log, all jobs are written"}),
		cli.PictureFile(&o.gantt, "gantt", "a Gantt chart of the first replication"),
		cli.Value(&o.stretch, "stretch", parseStretch, cli.About{Default: "24 arrivals that are typical of the first 500",
			Usage: "draw only the time `FROM:TO` with --gantt, in the time unit of the model",
			Hint:  "for example --stretch 0:3600"}),
	}
}

// Check checks what cannot be asked for together.
func (o *scheduleOptions) Check(*cli.Invocation) error {
	if o.stretch != (stretch{}) && !o.gantt.Wanted() {
		return cli.Usagef("for example --gantt schedule.svg", "--stretch without --gantt")
	}
	return nil
}

// stretch is an interval of time.
type stretch struct{ from, to float64 }

func parseStretch(text string) (stretch, error) {
	from, to, ok := strings.Cut(text, ":")
	var s stretch
	var errFrom, errTo error
	s.from, errFrom = strconv.ParseFloat(from, 64)
	s.to, errTo = strconv.ParseFloat(to, 64)
	if !ok || errFrom != nil || errTo != nil || !(s.from >= 0 && s.from < s.to) || math.IsInf(s.to, 0) {
		return s, fmt.Errorf("%q is not a stretch of time FROM:TO", text)
	}
	return s, nil
}

// A Gantt chart shows some arrivals of the first ones, unless told otherwise.
const (
	arrivalsShown   = 24
	arrivalsWatched = 500
)

// flag names the flag that asks for single jobs, "" if none does.
func (o *scheduleOptions) flag() string {
	switch {
	case o.trace != "":
		return "--trace"
	case o.gantt.Wanted():
		return "--gantt"
	}
	return ""
}

// write makes the trace and the picture of the simulated policies.
func (o *scheduleOptions) write(inv *cli.Invocation, file *modelfile.Model, runs []validate.Simulation,
	options validate.Options) error {
	if o.flag() == "" {
		return nil
	}
	options.Progress = nil
	over := o.stretch
	if o.gantt.Wanted() && over == (stretch{}) {
		var err error
		if over, err = typicalStretch(inv, file, runs[0].Policy, options); err != nil {
			return err
		}
	}
	rows := [][]string{traceColumns}
	var schedules []chart.Schedule
	for _, run := range runs {
		jobs := o.jobs(&options)
		written := 0
		r := &machine.Recorder{From: over.from, To: over.to}
		done := func(record *machine.Record) {
			if written < jobs {
				rows = append(rows, traceRow(run.Policy, record))
				written++
			}
		}
		if err := validate.Record(inv.Context, file.System, run.Policy, options, jobs, r, done); err != nil {
			return err
		}
		schedules = append(schedules, newSchedule(run.Policy.String(), file.System.Nodes, r))
	}
	if o.trace != "" {
		if err := output.WriteFile(o.trace, func(w io.Writer) error { return output.WriteCSV(w, output.WithTimeUnit(rows, file.TimeUnit.Name)) }); err != nil {
			return err
		}
		inv.Notef("wrote %s", o.trace)
	}
	return inv.Draw(o.gantt, &chart.Gantt{Title: model.Headline(file),
		XLabel: fmt.Sprintf("time [%s]", file.TimeUnit.Name), From: over.from, To: over.to, Schedules: schedules})
}

// jobs returns of how many jobs of a policy the trace tells, 0 if there is none.
func (o *scheduleOptions) jobs(options *validate.Options) int {
	switch {
	case o.trace == "":
		return 0
	case options.Replay != nil:
		return len(options.Replay)
	}
	return o.traceJobs
}

// typicalStretch returns the time that a chart shows of a policy: that of some arrivals which are like the others.
func typicalStretch(inv *cli.Invocation, file *modelfile.Model, p policy.Policy, o validate.Options) (stretch, error) {
	var records []machine.Record
	done := func(record *machine.Record) { records = append(records, *record) }
	if err := validate.Record(inv.Context, file.System, p, o, arrivalsWatched, &machine.Recorder{}, done); err != nil {
		return stretch{}, err
	}
	from, to := machine.Typical(records[:min(len(records), arrivalsWatched)], arrivalsShown)
	return stretch{from, to}, nil
}

var traceColumns = []string{"policy", "partitions", "job", "submit", "start", "end", "waiting_time",
	"response_time", "demand", "first_nodes", "fewest_nodes", "most_nodes", "resized", "paused", "node_time"}

func traceRow(p policy.Policy, r *machine.Record) []string {
	row := append(model.PolicyCells(p), strconv.Itoa(r.Number))
	for _, x := range []float64{r.Submit, r.Start, r.End, r.Wait(), r.Response(), r.Work} {
		row = append(row, output.Shortest(x))
	}
	for _, n := range []int{r.First, r.Fewest, r.Widest, r.Resized} {
		row = append(row, strconv.Itoa(n))
	}
	return append(row, output.Shortest(r.Paused), output.Shortest(r.NodeTime))
}

func newSchedule(name string, nodes int, r *machine.Recorder) chart.Schedule {
	s := chart.Schedule{Name: name, Nodes: nodes}
	for _, p := range r.Pieces {
		s.Bars = append(s.Bars, chart.Bar{Job: p.Number + 1, From: p.From, To: p.To, Rows: p.Nodes, Paused: p.Paused})
	}
	for _, q := range r.Queue {
		s.Queue = append(s.Queue, chart.Level{At: q.At, Height: float64(q.Waiting)})
	}
	return s
}
