package allocatecmd

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/policy"
)

// replications is the number of replications of --analytic.
const replications = 16

// analyze solves and simulates what the flags ask for.
func (o *options) analyze(inv *cli.Invocation) error {
	s, err := o.ofFlags(inv)
	if err != nil {
		return err
	}
	w, err := s.Workload(s.Loads[0])
	if err != nil {
		return s.blamed(err)
	}
	if s.Nodes%o.unit != 0 {
		return cli.Usagef("for example --nodes 64 --min-nodes 8", "--min-nodes: %d nodes are not a multiple of %d", s.Nodes, o.unit)
	}
	_, policies := s.Policies()
	c := ChainOptions{Options{Seed: o.seed, Workers: inv.Workers, Confidence: o.confidence}, o.unit, o.phases, policies, replications,
		o.jobs / replications}
	step, clear := inv.Progress(replications*len(s.Loads), "simulating")
	defer clear()
	machine, err := NewMachine(inv.Context, w, c)
	if err != nil {
		return err
	}
	var all []Comparison
	var rows []ChainRow
	for i, load := range s.Loads {
		m, err := machine.At(load)
		if err != nil {
			return s.blamed(err)
		}
		c.Progress = func(done int) { step(i*replications + done) }
		one, err := m.Compare(inv.Context, c)
		if err != nil {
			return err
		}
		all, rows = append(all, one), append(rows, one.Rows...)
	}
	for _, r := range rows {
		for _, warning := range r.Warnings {
			if r.Stable {
				inv.Warnf("%s at load %s: %v", r.Policy, output.Load(r.Load), warning)
			}
		}
	}
	for _, r := range machine.RunTimes {
		for _, warning := range r.Warnings {
			inv.Warnf("run times on %s nodes: %v", output.Round(r.Nodes, 3), warning)
		}
	}
	r := output.NewResult("s", output.Field{Name: "nodes", Value: s.Nodes}, output.Field{Name: "min_nodes", Value: o.unit})
	r.List(output.ListOf("run_times", "Run times and their fits", output.NoCSV, machine.RunTimes, ""))
	r.List(o.comparisonList(rows))
	r.Note("Resizing costs nothing here; policies without a chain are only simulated.")
	if err := inv.Emit(r); err != nil {
		return err
	}
	if err := inv.Draw(o.plot, chainFigure(all, s)); err != nil || slices.ContainsFunc(rows, func(r ChainRow) bool { return r.Solved() }) {
		return err
	}
	return &cli.Error{Code: cli.ExitUnstable, Err: errors.New("no partitioning is stable at any of the loads"),
		Hint: "smaller partitions (--min-nodes) or lighter loads are stable"}
}

// comparisonList returns the list of the policies at all loads.
func (o *options) comparisonList(rows []ChainRow) *output.List {
	title := fmt.Sprintf("Mean response time in the long run; ± half of %s %% intervals", output.Shortest(100*o.confidence))
	l := output.ListOf("results", title, output.Wide, rows, "")
	l.Columns = slices.Insert(l.Columns, len(l.Columns)-1, output.Column{Name: "solved [s]", Number: true, Value: func(i int) any {
		if !rows[i].Stable {
			return "unstable"
		}
		return output.When(rows[i].Solved(), rows[i].Analytic)
	}})
	l.Columns = slices.Concat(input.PolicyColumns(func(i int) policy.Policy { return rows[i].Policy }), l.Columns, []output.Column{
		{Name: "differ by", Number: true, Value: func(i int) any {
			return output.When(rows[i].Solved(), fmt.Sprintf("%+.1f %%", 100*(rows[i].Simulated.Mean/rows[i].Analytic-1)))
		}}})
	return l
}

// chainFigure draws dynamic partitioning and the best static one: what the chains have as lines, what the simulation has
// as dots on them. Policies without a chain are dashed lines.
func chainFigure(all []Comparison, s *Study) *chart.Figure {
	f := &chart.Figure{Title: "Dynamic and best static partitioning beside policies that mold jobs", XLabel: "offered load", Solid: "solved exactly (dots: simulated)",
		Dashed: "simulated only"}
	p := chart.Panel{Title: "Mean response time", YLabel: "mean response time [s]", MayLog: true, FromZero: true}
	for i := range all {
		rows := all[i].Rows
		add := func(name string, r *ChainRow, hasChain bool) {
			solved, simulated := math.NaN(), math.NaN()
			if r != nil && r.Stable {
				solved, simulated = r.Analytic, r.Simulated.Mean
			}
			l := chart.Line{Series: f.SeriesOf(name)}
			if hasChain {
				p.Add(l, rows[0].Load, solved)
			}
			l.Dots, l.Dashed = hasChain, !hasChain
			p.Add(l, rows[0].Load, simulated)
		}
		add("dynamic", &rows[0], true)
		add("best static", all[i].Best, true)
		simulatedOnly := rows[len(rows)-len(s.Strategies):]
		for k, strategy := range s.Strategies {
			add(strategy.Name, &simulatedOnly[k], false)
		}
	}
	f.Panels = []chart.Panel{p}
	f.Notes = append(figureNotes([]*Study{s}), "Solid lines are solved exactly; dots of their colours are simulations of the same policies.")
	return f
}
