package allocatecmd

import (
	"errors"
	"fmt"
	"math"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
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
	c := ChainOptions{MinNodes: o.unit, Phases: o.phases, Policies: policies, Replications: replications,
		Jobs: o.jobs / replications, Seed: o.seed, Workers: inv.Workers, Confidence: o.confidence}
	step, clear := inv.Progress(replications*len(s.Loads), "simulating")
	defer clear()
	machine, err := NewMachine(inv.Context, w, c)
	if err != nil {
		return err
	}
	var all []Comparison
	solved := false
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
		for _, r := range one.Rows {
			solved = solved || r.Solved()
			for _, warning := range r.Warnings {
				if r.Stable {
					inv.Warnf("%s at load %s: %v", r.Policy, output.Load(load), warning)
				}
			}
		}
		all = append(all, one)
	}
	for _, r := range machine.RunTimes {
		for _, warning := range r.Warnings {
			inv.Warnf("run times on %s nodes: %v", output.Round(r.Nodes, 3), warning)
		}
	}
	r := &output.Result{Object: output.Object{{Name: "version", Value: output.Version}, {Name: output.TimeUnit, Value: "s"},
		{Name: "nodes", Value: s.Nodes}, {Name: "min_nodes", Value: o.unit}}}
	r.List(fitList(machine.RunTimes))
	r.List(o.comparisonList(all))
	r.Note("Resizing costs nothing here; policies without a chain are only simulated.")
	if err := inv.Emit(r); err != nil {
		return err
	}
	if err := inv.Draw(o.plot, chainFigure(all, s)); err != nil || solved {
		return err
	}
	return &cli.Error{Code: cli.ExitUnstable, Err: errors.New("no partitioning is stable at any of the loads"),
		Hint: "smaller partitions (--min-nodes) or lighter loads are stable"}
}

// fitList returns the list of the fitted run times.
func fitList(fits []RunTimes) *output.List {
	return &output.List{Name: "run_times", Title: "Run times and their fits", Len: len(fits), Form: output.NoCSV, Columns: []output.Column{
		{Key: "nodes", Name: "nodes", Text: output.Digits(3), Value: func(i int) any { return fits[i].Nodes }},
		{Key: "mean", Name: "mean [s]", Value: func(i int) any { return fits[i].Mean }},
		{Key: "scv", Name: "SCV", Text: output.Digits(3), Value: func(i int) any { return fits[i].SCV }},
		{Key: "phases", Name: "phases", Value: func(i int) any { return fits[i].Dist.Phases() }},
		{Key: "fitted_scv", Name: "SCV of the fit", Text: output.Digits(3), Value: func(i int) any { return fits[i].Dist.SCV() }},
		{Key: "ks", Name: "KS", Text: output.Digits(2), Value: func(i int) any { return fits[i].KS }},
	}}
}

// comparisonList returns the list of the policies at all loads.
func (o *options) comparisonList(all []Comparison) *output.List {
	var rows []ChainRow
	var loads []float64
	for _, c := range all {
		for _, r := range c.Rows {
			rows, loads = append(rows, r), append(loads, c.Load)
		}
	}
	where := func(exists func(*ChainRow) bool, of func(*ChainRow) any) func(i int) any {
		return func(i int) any { return output.When(exists(&rows[i]), of(&rows[i])) }
	}
	return &output.List{Name: "results", Len: len(rows), Title: fmt.Sprintf(
		"Mean response time in the long run; ± half of %s %% intervals", output.Shortest(100*o.confidence)),
		Columns: append(input.PolicyColumns(func(i int) policy.Policy { return rows[i].Policy }), []output.Column{
			{Name: "policy", Value: func(i int) any { return rows[i].Policy.String() }},
			{Key: measure.OfferedLoad, Name: "load", Text: output.Digits(3), Value: func(i int) any { return loads[i] }},
			{Key: "stable", Value: func(i int) any { return rows[i].Stable }},
			{Key: measure.TrafficIntensity, Name: "traffic", Number: true, Text: output.Digits(3), Value: where(
				func(r *ChainRow) bool { return r.Intensity > 0 }, func(r *ChainRow) any { return r.Intensity })},
			{Key: "analytic_mean_response_time", Value: where((*ChainRow).Solved, func(r *ChainRow) any { return r.Analytic })},
			{Name: "solved [s]", Number: true, Value: where(func(r *ChainRow) bool { return r.Solved() || !r.Stable },
				func(r *ChainRow) any {
					if !r.Stable {
						return "unstable"
					}
					return r.Analytic
				})},
			{Key: measure.MeanResponseTime, Name: "simulated [s]", Number: true, MeanOnly: true, Text: output.WithHalfWidth(4, 2),
				Value: where(func(r *ChainRow) bool { return r.Stable }, func(r *ChainRow) any { return r.Simulated })},
			{Name: "differ by", Number: true, Value: where((*ChainRow).Solved, func(r *ChainRow) any {
				return fmt.Sprintf("%+.1f %%", 100*(r.Simulated.Mean/r.Analytic-1))
			})},
		}...)}
}

// chainFigure draws dynamic partitioning and the best static one: what the chains have as lines, what the simulation has
// as dots on them. Policies without a chain are dashed lines.
func chainFigure(all []Comparison, s *study) *chart.Figure {
	f := &chart.Figure{Title: "Dynamic and best static partitioning beside policies that mold jobs", XLabel: "offered load", Solid: "solved exactly (dots: simulated)",
		Dashed: "simulated only"}
	p := chart.Panel{Title: "Mean response time", YLabel: "mean response time [s]", MayLog: true, FromZero: true}
	for k := range len(s.Strategies) + 2 {
		for i := range all {
			c := &all[i]
			name, r := "dynamic", &c.Rows[0]
			switch {
			case k == 1:
				name, r = "best static", c.Best
			case k > 1:
				name, r = s.Strategies[k-2].Name, &c.Rows[len(c.Rows)-len(s.Strategies)+k-2]
			}
			solved, simulated := math.NaN(), math.NaN()
			if r != nil && r.Stable {
				solved, simulated = r.Analytic, r.Simulated.Mean
			}
			if k < 2 {
				p.Add(chart.Line{Series: f.SeriesOf(name)}, c.Load, solved)
			}
			p.Add(chart.Line{Series: f.SeriesOf(name), Dots: k < 2, Dashed: k > 1}, c.Load, simulated)
		}
	}
	f.Panels = []chart.Panel{p}
	f.Notes = append(figureNotes([]*study{s}), "Solid lines are solved exactly; dots of their colours are simulations of the same policies.")
	return f
}
