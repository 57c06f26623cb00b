package simulation

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/spec"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/machine"
)

// scheduleFlags are those that show single jobs.
func scheduleFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringFlag{Name: "trace", TakesFile: true,
			Usage: "write what happened to each job of the first replication to `FILE`, as CSV"},
		&urfave.IntFlag{Name: "trace-jobs", Value: 10_000,
			Usage: "of `N` jobs that departed, of each policy; of a log, of all"},
		cli.PictureFlag("gantt", "draw which job had which node in a stretch of the first replication"),
		&urfave.StringFlag{Name: "stretch", Usage: "`FROM:TO` of --gantt, in the time unit of the model " +
			"(default: the first 24 jobs)"},
	}
}

// scheduleOptions is what the flags say about single jobs.
type scheduleOptions struct {
	trace    string
	gantt    cli.Picture
	jobs     int
	from, to float64 // to is 0 if the stretch is to be found
}

// arrivalsShown is the number of arrivals that a Gantt chart shows unless told otherwise.
const arrivalsShown = 24

func readSchedule(inv *cli.Invocation) (scheduleOptions, error) {
	s := scheduleOptions{trace: inv.Flags.String("trace"), jobs: inv.Flags.Int("trace-jobs")}
	if s.jobs < 1 {
		return s, cli.Usagef("for example --trace-jobs 1000", "--trace-jobs: %d is not a positive number", s.jobs)
	}
	var err error
	if s.gantt, err = inv.Picture("gantt"); err != nil {
		return s, err
	}
	text := inv.Flags.String("stretch")
	if text == "" {
		return s, nil
	}
	from, to, ok := strings.Cut(text, ":")
	var err1, err2 error
	s.from, err1 = strconv.ParseFloat(from, 64)
	s.to, err2 = strconv.ParseFloat(to, 64)
	if !ok || err1 != nil || err2 != nil || !(s.from >= 0 && s.from < s.to) || math.IsInf(s.to, 0) {
		return s, cli.Usagef("for example --stretch 0:3600", "--stretch: %q is not a stretch of time FROM:TO", text)
	}
	if !s.gantt.Wanted() {
		return s, cli.Usagef("for example --gantt schedule.svg", "--stretch without --gantt")
	}
	return s, nil
}

// wanted names the flag that asks for single jobs, "" if none does.
func (s scheduleOptions) wanted() string {
	switch {
	case s.trace != "":
		return "--trace"
	case s.gantt.Wanted():
		return "--gantt"
	}
	return ""
}

// write makes the trace and the picture of the simulated policies.
func (s scheduleOptions) write(inv *cli.Invocation, file *spec.Model, runs []validate.Simulation,
	o validate.Options) error {
	if s.wanted() == "" {
		return nil
	}
	o.Progress = nil
	if o.Replay != nil {
		s.jobs = len(o.Replay)
	}
	if s.gantt.Wanted() && s.to == 0 {
		to, err := s.stretch(inv, file, runs[0].Policy, o)
		if err != nil {
			return err
		}
		s.to = to
	}
	rows := [][]string{traceColumns}
	var schedules []chart.Schedule
	for _, run := range runs {
		n := 0
		r := &machine.Recorder{From: s.from, To: s.to}
		done := func(record *machine.Record) {
			if n++; s.trace != "" && n <= s.jobs {
				rows = append(rows, traceRow(run.Policy, record))
			}
		}
		jobs := 0
		if s.trace != "" {
			jobs = s.jobs
		}
		if err := validate.Record(inv.Context, file.System, run.Policy, o, jobs, r, done); err != nil {
			return err
		}
		schedules = append(schedules, newSchedule(run.Policy.String(), file.System.Nodes, r))
	}
	if s.trace != "" {
		if err := output.WriteFile(s.trace, func(w io.Writer) error { return output.WriteCSV(w, rows) }); err != nil {
			return err
		}
		inv.Notef("wrote %s", s.trace)
	}
	g := &chart.Gantt{Title: model.Headline(file), XLabel: fmt.Sprintf("time [%s]", file.TimeUnit.Name), From: s.from,
		To:        s.to,
		Schedules: schedules}
	return inv.Draw(s.gantt, g)
}

// stretch returns the time at which a chart ends: when the first jobs have come, and a little later.
func (s scheduleOptions) stretch(inv *cli.Invocation, file *spec.Model, p policy.Policy, o validate.Options) (float64,
	error) {
	var last float64
	done := func(record *machine.Record) {
		if record.Number < arrivalsShown {
			last = max(last, record.Submit)
		}
	}
	// Jobs may overtake one another: twice as many departures show nearly all of the first arrivals.
	if err := validate.Record(inv.Context, file.System, p, o, 2*arrivalsShown, &machine.Recorder{}, done); err != nil {
		return 0, err
	}
	return last * 1.05, nil
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
		s.Bars = append(s.Bars, chart.Bar{Job: p.Number + 1, From: p.From, To: p.To, Rows: p.Nodes, Halted: p.Paused})
	}
	for _, q := range r.Queue {
		s.Queue = append(s.Queue, chart.Level{At: q.At, Height: float64(q.Waiting)})
	}
	return s
}
