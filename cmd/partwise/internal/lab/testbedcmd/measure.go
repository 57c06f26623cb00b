package testbedcmd

import (
	_ "embed"
	"fmt"
	"github.com/partwise/partwise/models/words"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/lab/testbed"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/validate/des"
)

//go:embed measure.txt
var measureHelp string

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
	return append(o.topic().Referred(), cli.Plot(&o.plot, "the costs"))
}

func measureCosts(inv *cli.Invocation, o *measureOptions) error {
	m, err := testbed.Start(inv.Context, o.study.Nodes)
	if err != nil {
		return err
	}
	defer m.Close()
	idle := testbed.NewIdle()
	measured, err := o.study.Measure(inv.Context, m, des.Seed(o.seed))
	if err != nil {
		return err
	}
	share := idle.Share()
	if inv.Format == "yaml" {
		err = inv.Print(measured.Sections(o.study.Nodes, o.scv, (*testbed.Reconfiguration).Total))
	} else {
		err = inv.Emit(o.result(measured, share, output.Wide))
	}
	if err != nil {
		return err
	}
	if err := inv.Draw(o.plot, CostFigure(measured, o.study.Nodes)); err != nil {
		return err
	}
	return o.void(share)
}

// step is a step of a repartition.
type step struct {
	doc string
	of  func(*testbed.Reconfiguration) float64
}

// steps are the steps of a repartition, and last all of them together.
var steps = []step{
	{"notify: until the jobs have stopped", func(r *testbed.Reconfiguration) float64 { return r.Notify }},
	{"data: until their data are there", func(r *testbed.Reconfiguration) float64 { return r.Data }},
	{"start: until they run", func(r *testbed.Reconfiguration) float64 { return r.Start }},
	{"total", (*testbed.Reconfiguration).Total},
}

// transitionRow is what was measured of a transition: means over the times, in seconds.
type transitionRow struct {
	Why       testbed.Why `key:"why" head:"after"`
	Jobs      int         `key:"jobs" head:"jobs"`
	Times     int         `key:"times" head:"times"`
	Resized   float64     `key:"resized" head:"resized" form:"decimals=1"`
	Moved     float64     `key:"moved_nodes" head:"nodes moved" form:"decimals=1"`
	Notify    float64     `key:"notify" head:"notify"`
	Data      float64     `key:"data" head:"data"`
	Start     float64     `key:"start" head:"start"`
	Total     float64     `key:"total" head:"total"`
	HalfWidth float64     `key:"half_width" head:"±"`
}

// result returns the measurements. form is the form of the transitions in CSV.
func (o *machineOptions) result(m *Measured, idle float64, form output.Form) *output.Result {
	var rows []transitionRow
	for _, t := range m.Transitions {
		mean := func(of func(*testbed.Reconfiguration) float64) float64 { return stat.Mean(t.Values(of), nil) }
		cost := interval(t.Values((*testbed.Reconfiguration).Total))
		rows = append(rows, transitionRow{t.Why, t.Running, len(t.Samples),
			mean(func(r *testbed.Reconfiguration) float64 { return float64(r.Resized) }),
			mean(func(r *testbed.Reconfiguration) float64 { return float64(r.Moved) }),
			mean(steps[0].of), mean(steps[1].of), mean(steps[2].of), cost.Mean, cost.HalfWidth})
	}
	costs := output.ListOf("transitions", fmt.Sprintf("Repartitions of %d nodes, milliseconds", o.study.Nodes), form, rows, "")
	for _, key := range []string{"notify", "data", "start", "total", "half_width"} {
		costs.Column(key).Text = func(v any) string { return output.Fixed(1e3*v.(float64), 2) }
	}
	r := output.NewResult("s", output.Field{Name: "nodes", Value: o.study.Nodes})
	r.List(costs)
	r.List(o.alone(m))
	r.Add("idle", idle)
	r.Note("Steps: %s. Intervals are of 95 %%.", strings.ReplaceAll(strings.Join(words.Texts(steps[:3], func(q step) string { return q.doc }), ", "), ":", ""))
	return r
}

// aloneRow is the run time of a job that has nodes for itself, and the ideal run time.
type aloneRow struct {
	Nodes     int     `key:"nodes" head:"nodes"`
	RunTime   float64 `key:"run_time" head:"run time [s]" form:"decimals=4"`
	HalfWidth float64 `key:"half_width" head:"±" form:"decimals=4"`
	Ideal     float64 `key:"ideal"`
	OfIdeal   float64 `head:"of the ideal" form:"decimals=3"`
}

// alone returns the run times of a job that has nodes for itself.
func (o *machineOptions) alone(m *Measured) *output.List {
	rows := make([]aloneRow, len(m.Nodes))
	for i, n := range m.Nodes {
		alone, ideal := interval(m.Alone[i]), o.study.Demand.Mean()/o.study.Speedup.At(float64(n))
		rows[i] = aloneRow{n, alone.Mean, alone.HalfWidth, ideal, alone.Mean / ideal}
	}
	return output.ListOf("alone", "A job alone", output.NoCSV, rows, "")
}

// CostFigure draws the steps of repartitions by the jobs that run afterwards, as figures 3 to 7 of IPS96 do.
func CostFigure(m *Measured, nodes int) *chart.Figure {
	f := &chart.Figure{Title: fmt.Sprintf("What a repartition of %d processes costs", nodes), XLabel: "jobs that run afterwards"}
	for i := range m.Transitions {
		t := &m.Transitions[i]
		p := f.PanelOf(chart.Panel{Title: map[testbed.Why]string{testbed.Arrival: "A job arrives", testbed.Departure: "A job departs"}[t.Why],
			YLabel: "mean time [ms]", FromZero: true})
		for _, q := range steps {
			p.Add(chart.Line{Series: f.SeriesOf(q.doc)}, float64(t.Running), 1e3*stat.Mean(t.Values(q.of), nil))
		}
	}
	return f
}
