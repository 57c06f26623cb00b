package testbedcmd

import (
	_ "embed"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/lab"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

//go:embed measure.txt
var measureHelp string

// measureCommand returns the command that measures what repartitions of a machine of processes cost.
func measureCommand() cli.Command {
	fresh := func() *measureOptions { return &measureOptions{machineOptions: newMachineOptions()} }
	return cli.WithOptions(fresh, measureCosts, cli.Described(measureHelp, cli.Command{
		Formats: []string{"json", "csv", "markdown", "table", "yaml"},
	}))
}

// measureOptions are the flags of testbed measure.
type measureOptions struct {
	*machineOptions
	plot chart.Picture
}

// Flags binds the flags.
func (o *measureOptions) Flags() []cli.Flag {
	return append(o.topic().Referred(), input.Plot(&o.plot, "the costs"))
}

// measureCosts measures the costs and writes them, as sections of a model file if --format is yaml; --plot draws them. The
// run is void, with an error, if other programs used the processors.
func measureCosts(inv *cli.Invocation, o *measureOptions) error {
	m, err := lab.StartProcesses(inv.Context, o.study.Nodes)
	if err != nil {
		return err
	}
	defer m.Close()
	idle := lab.WatchIdle()
	measured, err := o.study.Measure(inv.Context, m, machine.Seed(o.seed))
	if err != nil {
		return err
	}
	share := idle.Share()
	if inv.Format == "yaml" {
		err = inv.Print(measured.Sections(o.study.Nodes, o.scv, (*lab.Reconfiguration).Total))
	} else {
		err = inv.Emit(o.result(measured, share, output.Wide))
	}
	if err != nil {
		return err
	}
	if err := input.Draw(inv, o.plot, CostFigure(measured, o.study.Nodes)); err != nil {
		return err
	}
	return o.void(share)
}

// step is a step of a repartition.
type step struct {
	name, until string
	of          func(*lab.Reconfiguration) float64
}

// steps are the steps of a repartition, and last all of them together.
var steps = []step{
	{"notify", "until the jobs have stopped", func(r *lab.Reconfiguration) float64 { return r.Notify }},
	{"data", "until their data are there", func(r *lab.Reconfiguration) float64 { return r.Data }},
	{"start", "until they run", func(r *lab.Reconfiguration) float64 { return r.Start }},
	{"total", "", (*lab.Reconfiguration).Total},
}

// milliseconds writes a time in seconds for people.
func milliseconds(v any) string { return words.Fixed(1e3*v.(float64), 2) }

// interval returns the mean of some measurements with its interval.
func interval(x []float64) metric.Interval { return metric.Student(x, measure.Confidence) }

// transitionRow returns what was measured of a transition: means over the times, in seconds.
func transitionRow(t *lab.Transition) output.Row {
	mean := func(of func(*lab.Reconfiguration) float64) float64 { return stat.Mean(t.Values(of), nil) }
	time := func(key, head string) output.Column { return output.Col(key, head).Right().Written(milliseconds) }
	cost := interval(t.Values((*lab.Reconfiguration).Total))
	return output.Row{output.Col("why", "after").Is(string(t.Why)), output.Col("jobs", "jobs").Is(t.Running),
		output.Col("times", "times").Is(len(t.Samples)),
		output.Col("resized", "resized").Decimals(1).Is(mean(func(r *lab.Reconfiguration) float64 { return float64(r.Resized) })),
		output.Col("moved_nodes", "nodes moved").Decimals(1).Is(mean(func(r *lab.Reconfiguration) float64 { return float64(r.Moved) })),
		time("notify", "notify").Is(mean(steps[0].of)), time("data", "data").Is(mean(steps[1].of)),
		time("start", "start").Is(mean(steps[2].of)),
		time("total", "total").Is(cost.Mean), time("half_width", "±").Is(cost.HalfWidth)}
}

// result returns the measurements. form is the form of the transitions in CSV.
func (o *machineOptions) result(m *lab.Measured, idle float64, form output.Form) *output.Result {
	r := output.NewResult("s", output.Field{Name: "nodes", Value: o.study.Nodes})
	r.List(output.NewList("transitions", fmt.Sprintf("Repartitions of %d nodes, milliseconds", o.study.Nodes), form,
		m.Transitions, transitionRow))
	r.List(o.alone(m))
	r.Add("idle", idle)
	r.Note("Steps: %s. Intervals are of 95 %%.",
		strings.Join(words.Texts(steps[:3], func(q step) string { return q.name + " " + q.until }), ", "))
	return r
}

// alone returns the run times of a job that has nodes for itself, and the ideal run times.
func (o *machineOptions) alone(m *lab.Measured) *output.List {
	return &output.List{Name: "alone", Title: "A job alone", Form: output.NoCSV, Len: len(m.Nodes), Row: func(i int) output.Row {
		alone, ideal := interval(m.Alone[i]), o.study.Demand.Mean()/o.study.Speedup.At(float64(m.Nodes[i]))
		return output.Row{output.Col("nodes", "nodes").Is(m.Nodes[i]), output.Col("run_time", "run time [s]").Decimals(4).Is(alone.Mean),
			output.Col("half_width", "±").Decimals(4).Is(alone.HalfWidth), output.Data("ideal", ideal),
			output.InTable("of the ideal").Decimals(3).Is(alone.Mean / ideal)}
	}}
}

// CostFigure draws the steps of repartitions by the jobs that run afterwards, as figures 3 to 7 of IPS96 do.
func CostFigure(m *lab.Measured, nodes int) *chart.Figure {
	f := &chart.Figure{Title: fmt.Sprintf("What a repartition of %d processes costs", nodes), XLabel: "jobs that run afterwards"}
	for i := range m.Transitions {
		t := &m.Transitions[i]
		title := "A job departs"
		if t.Why == lab.AfterArrival {
			title = "A job arrives"
		}
		p := f.PanelOf(chart.Panel{Title: title, YLabel: "mean time [ms]", FromZero: true})
		for _, q := range steps {
			label := q.name
			if q.until != "" {
				label += ": " + q.until
			}
			p.Add(chart.Line{Series: f.SeriesOf(label)}, float64(t.Running), 1e3*stat.Mean(t.Values(q.of), nil))
		}
	}
	return f
}
