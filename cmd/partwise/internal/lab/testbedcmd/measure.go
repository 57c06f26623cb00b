package testbedcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/experiment/prediction"
	"github.com/partwise/partwise/validate/testbed"
	"github.com/partwise/partwise/validate/testbed/mpi"
	"github.com/partwise/partwise/validate/testbed/slurm"
)

func measureCommand() cli.Command {
	return cli.WithOptions(newMeasureOptions, measure, cli.Command{
		Name:    "measure",
		Summary: "what repartitions cost, step by step, and how long jobs run alone",
		Details: "Starts a machine of processes, lets jobs come and go one by one, and measures each step of every repartition: until " +
			"the jobs that are resized have stopped, until their data are where they are to be, until they run. --format yaml " +
			"is the jobs and the dynamic section of a model file.",
		Examples: []string{
			"partwise testbed measure --nodes 4 --times 5 --mean 100ms --least-idle 0",
			"partwise testbed measure --nodes 2 --times 3 --real --array 1048576 --least-idle 0 --plot costs.svg",
			"partwise testbed measure --nodes 2 --times 5 --mean 100ms --least-idle 0 --format yaml --output costs.yaml",
		},
		Formats: []string{"json", "csv", "markdown", "table", "yaml"},
	})
}

// measureOptions are the flags of testbed measure.
type measureOptions struct {
	machineOptions
	system system
	real   bool
	plot   cli.Picture
}

func newMeasureOptions() *measureOptions {
	return &measureOptions{machineOptions: newMachineOptions(), system: systems[0].name}
}

// system names what is measured.
type system string

// systems are those that can be measured: processes, and others that are installed on the host.
var systems = []struct {
	name    system
	measure func(ctx context.Context, nodes, times, elements int, seed des.Key) ([]testbed.Transition, error)
}{
	{name: "processes"},
	{"slurm", slurm.Measure},
	{"mpi", mpi.Measure},
}

func systemNames() []system {
	var names []system
	for _, s := range systems {
		names = append(names, s.name)
	}
	return names
}

// Flags binds the flags.
func (o *measureOptions) Flags() []cli.Flag {
	return append(o.flags(), cli.Plot(&o.plot, "the costs"),
		cli.Choice(&o.system, "system", "unknown system", systemNames(), cli.About{Default: "processes",
			Usage: "measure the system `SYSTEM`: processes, or slurm or mpi, if they are installed, of which --nodes, --times, --array " +
				"and --seed are heeded"}),
		cli.Switch(&o.real, "real", "let a phase be a sweep over the array, in place of sleep; --phase and --mean do not matter then"))
}

// sweeps is how many a job does that runs alone in real mode.
const sweeps = 50

// Check checks what flags say together.
func (o *measureOptions) Check(inv *cli.Invocation) error {
	if err := o.check(); err != nil {
		return err
	}
	if other := o.system != systems[0].name; other && (inv.Format == "yaml" || o.real) {
		return cli.Usagef("leave --system out", "--system %s measures repartitions alone, and real ones", o.system)
	}
	if !o.real {
		return nil
	}
	if inv.Format == "yaml" {
		return cli.Usagef("leave --real out", "--format yaml: a model is made of the scaled machine; real data tell what resizes cost")
	}
	o.study.Mode = testbed.Real
	var err error
	o.study.Demand, err = phasetype.Exponential(1. / sweeps)
	return err
}

func measure(inv *cli.Invocation, o *measureOptions) error {
	idle := testbed.NewIdle()
	measured, err := o.measured(inv)
	if err != nil {
		return err
	}
	share := idle.Share()
	if inv.Format == "yaml" {
		err = inv.Write(func(w io.Writer) error { return o.writeModel(w, measured) })
	} else {
		err = inv.Emit(o.result(measured, share))
	}
	if err != nil {
		return err
	}
	if err := inv.Draw(o.plot, costFigure(measured, o.study.Nodes)); err != nil {
		return err
	}
	return o.void(share)
}

// measured measures the system that was asked for.
func (o *measureOptions) measured(inv *cli.Invocation) (*prediction.Measured, error) {
	for _, s := range systems {
		if s.name != o.system || s.measure == nil {
			continue
		}
		transitions, err := s.measure(inv.Context, o.study.Nodes, o.study.Times, o.study.Elements, des.Seed(o.seed))
		var missing *testbed.MissingError
		if errors.As(err, &missing) {
			return nil, cli.Usagef(missing.Remedy, "--system: %s", cli.Plain(err))
		}
		if err != nil {
			return nil, err
		}
		return prediction.OfTransitions(transitions)
	}
	m, err := o.start(inv)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	return o.study.Measure(inv.Context, m, des.Seed(o.seed))
}

// reasons are the words for what makes a scheduler repartition a machine.
var reasons = map[testbed.Why]string{testbed.Arrival: "arrival", testbed.Departure: "departure"}

// step is one of a repartition.
type step struct {
	name, doc string
	of        func(*testbed.Reconfiguration) float64
}

var steps = []step{
	{"notify", "until the jobs have stopped", func(r *testbed.Reconfiguration) float64 { return r.Notify }},
	{"data", "until their data are there", func(r *testbed.Reconfiguration) float64 { return r.Data }},
	{"start", "until they run", func(r *testbed.Reconfiguration) float64 { return r.Start }},
}

func mean(t *testbed.Transition, of func(*testbed.Reconfiguration) float64) (sum float64) {
	for i := range t.Samples {
		sum += of(&t.Samples[i])
	}
	return sum / float64(len(t.Samples))
}

func milliseconds(x float64) string { return output.Fixed(1e3*x, 2) }

func (o *machineOptions) result(m *prediction.Measured, idle float64) *cli.Result {
	r := &cli.Result{JSON: output.Object{{Name: "version", Value: output.Version}, {Name: "time_unit", Value: "s"}, {Name: "nodes", Value: o.study.Nodes}}}
	r.CSV = [][]string{{"why", "jobs", "times", "resized", "moved_nodes", "notify", "data", "start", "total", "half_width", "time_unit"}}
	costs := output.Table{Title: fmt.Sprintf("Repartitions of %d nodes, milliseconds", o.study.Nodes), Columns: []output.Column{{Name: "after"}, {Name: "jobs", Number: true},
		{Name: "times", Number: true}, {Name: "resized", Number: true}, {Name: "nodes moved", Number: true}, {Name: "notify", Number: true},
		{Name: "data", Number: true}, {Name: "start", Number: true}, {Name: "total", Number: true}, {Name: "±", Number: true}}}
	var transitions []output.Object
	for i := range m.Transitions {
		t, c := &m.Transitions[i], m.Cost[i]
		resized := mean(t, func(r *testbed.Reconfiguration) float64 { return float64(r.Resized) })
		moved := mean(t, func(r *testbed.Reconfiguration) float64 { return float64(r.Moved) })
		object := output.Object{{Name: "why", Value: reasons[t.Why]}, {Name: "jobs", Value: t.Running}, {Name: "times", Value: len(t.Samples)},
			{Name: "resized", Value: resized}, {Name: "moved_nodes", Value: moved}}
		row := []string{reasons[t.Why], strconv.Itoa(t.Running), strconv.Itoa(len(t.Samples)), output.Shortest(resized), output.Shortest(moved)}
		line := []string{row[0], row[1], row[2], output.Fixed(resized, 1), output.Fixed(moved, 1)}
		for _, s := range steps {
			x := mean(t, s.of)
			object.Add(s.name, x)
			row, line = append(row, output.Shortest(x)), append(line, milliseconds(x))
		}
		object.Add("total", c.Mean)
		object.Add("half_width", c.HalfWidth)
		transitions = append(transitions, object)
		r.CSV = append(r.CSV, append(row, output.Shortest(c.Mean), output.Shortest(c.HalfWidth), "s"))
		costs.Rows = append(costs.Rows, append(line, milliseconds(c.Mean), milliseconds(c.HalfWidth)))
	}
	r.JSON.Add("transitions", transitions)
	r.Tables = []output.Table{costs}
	if len(m.Nodes) > 0 {
		alone, runs := o.alone(m)
		r.JSON.Add("alone", runs)
		r.Tables = append(r.Tables, alone)
	}
	if output.Finite(idle) {
		r.JSON.Add("idle", idle)
	}
	var words []string
	for _, s := range steps {
		words = append(words, s.name+" "+s.doc)
	}
	r.Notes = []string{"Steps: " + strings.Join(words, ", ") + ". Intervals are of 95 %."}
	return r
}

// alone tells how long a job runs that has nodes for itself; in scaled mode beside the time that its work should take.
func (o *machineOptions) alone(m *prediction.Measured) (output.Table, []output.Object) {
	table := output.Table{Title: "A job alone", Columns: []output.Column{{Name: "nodes", Number: true}, {Name: "run time [s]", Number: true},
		{Name: "±", Number: true}}}
	scaled := o.study.Mode == testbed.Scaled
	if scaled {
		table.Columns = append(table.Columns, output.Column{Name: "of the ideal", Number: true})
	}
	var runs []output.Object
	for i, n := range m.Nodes {
		t := m.Alone[i]
		run := output.Object{{Name: "nodes", Value: n}, {Name: "run_time", Value: t.Mean}, {Name: "half_width", Value: t.HalfWidth}}
		row := []string{strconv.Itoa(n), output.Fixed(t.Mean, 4), output.Fixed(t.HalfWidth, 4)}
		if scaled {
			ideal := o.study.Demand.Mean() / o.study.Speedup.At(float64(n))
			run.Add("ideal", ideal)
			row = append(row, output.Fixed(t.Mean/ideal, 3))
		}
		runs, table.Rows = append(runs, run), append(table.Rows, row)
	}
	return table, runs
}

// writeModel writes the sections of a model file that were measured, in seconds.
func (o *machineOptions) writeModel(w io.Writer, m *prediction.Measured) error {
	fmt.Fprintf(w, "jobs:      # alone on %d nodes: partwise testbed measure\n  demand: {moments: {mean: %ss, scv: %s}}\n  speedup: {table: {",
		o.study.Nodes, output.Round(m.Alone[0].Mean, 5), output.Shortest(o.scv))
	for i, n := range m.Nodes {
		if i > 0 {
			fmt.Fprint(w, ", ")
		}
		fmt.Fprintf(w, "%d: %s", n, output.Round(m.Alone[0].Mean/m.Alone[i].Mean, 5))
	}
	fmt.Fprint(w, "}}\ndynamic:\n  stops: resized\n")
	for _, section := range []struct {
		name string
		why  testbed.Why
	}{{"shrink", testbed.Arrival}, {"expand", testbed.Departure}} {
		costs := make([]string, o.study.Nodes)
		for i := range m.Transitions {
			t := &m.Transitions[i]
			switch {
			case t.Why != section.why:
			case t.Why == testbed.Arrival && t.Running == 1:
				costs[0] = "null" // part of the run time alone
			default:
				mean, scv := prediction.Moments(t)
				costs[t.Running-1] = fmt.Sprintf("{moments: {mean: %ss, scv: %s}}", output.Round(mean, 5), output.Round(scv, 4))
			}
		}
		if section.why == testbed.Departure {
			costs = costs[:len(costs)-1]
		}
		fmt.Fprintf(w, "  %s: [%s]\n", section.name, strings.Join(costs, ", "))
	}
	return nil
}

// costFigure draws the steps of repartitions by the jobs that run afterwards, as figures 3 to 7 of IPS96 do.
func costFigure(m *prediction.Measured, nodes int) *chart.Figure {
	f := &chart.Figure{Title: fmt.Sprintf("What a repartition of %d processes costs", nodes), XLabel: "jobs that run afterwards"}
	for _, s := range steps {
		f.Series = append(f.Series, s.name)
	}
	f.Series = append(f.Series, "total")
	for _, why := range []testbed.Why{testbed.Arrival, testbed.Departure} {
		panel := chart.Panel{Title: map[testbed.Why]string{testbed.Arrival: "A job arrives", testbed.Departure: "A job departs"}[why],
			YLabel: "milliseconds", FromZero: true}
		lines := make([]chart.Line, len(steps)+1)
		for i := range m.Transitions {
			t := &m.Transitions[i]
			if t.Why != why {
				continue
			}
			for k := range lines {
				of := func(r *testbed.Reconfiguration) float64 { return r.Total() }
				if k < len(steps) {
					of = steps[k].of
				}
				lines[k].Series = k
				lines[k].X = append(lines[k].X, float64(t.Running))
				lines[k].Y = append(lines[k].Y, 1e3*mean(t, of))
			}
		}
		panel.Lines = lines
		f.Panels = append(f.Panels, panel)
	}
	return f
}
