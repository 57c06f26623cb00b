package allocation

import (
	"fmt"
	"math"
	"slices"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/spec"
	"github.com/partwise/partwise/validate/experiment/crosscheck"
)

// analyticFlags are those of the chains beside the strategies.
func analyticFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.BoolFlag{Name: "analytic", DisableDefaultText: true,
			Usage: "jobs come without end: solve dynamic and static " +
				"partitioning with fitted run times, and simulate them and the strategies"},
		&urfave.IntFlag{Name: "min-nodes", Value: 2, Usage: "partitions are multiples of `M` nodes (--analytic)"},
		&urfave.IntFlag{Name: "phases", Usage: "fit run times with `N` phases (--analytic)",
			DefaultText: "up to 5"},
		&urfave.IntFlag{Name: "jobs", Value: 160_000, Usage: "simulate `N` jobs at each load (--analytic)"},
	}
}

// What --jobs and --phases may say.
const (
	leastJobs, mostJobs = 1600, 100_000_000
	mostClasses         = 20
	replications        = 16
)

// checkAnalytic checks the flags of --analytic, which mean nothing without it.
func checkAnalytic(inv *cli.Invocation) error {
	if !inv.Flags.Bool("analytic") {
		for _, name := range []string{"min-nodes", "phases", "jobs"} {
			if inv.Flags.IsSet(name) {
				return cli.Usagef("add --analytic", "--%s without --analytic", name)
			}
		}
		return nil
	}
	for _, name := range []string{"days", "log"} {
		if inv.Flags.IsSet(name) {
			return cli.Usagef("leave one of them out", "--analytic and --%s: jobs come without end", name)
		}
	}
	nodes, unit := inv.Flags.Int("nodes"), inv.Flags.Int("min-nodes")
	phases, jobs := inv.Flags.Int("phases"), inv.Flags.Int("jobs")
	switch {
	case len(inv.Args) > 0:
		return cli.Usagef("leave one of them out", "--analytic and a study, which is about days")
	case unit < 1 || nodes%unit != 0:
		return cli.Usagef("for example --nodes 64 --min-nodes 8", "--min-nodes: %d nodes are not a multiple of %d", nodes,
			unit)
	case inv.Flags.IsSet("phases") && (phases < 1 || phases > mostClasses):
		return cli.Usagef("for example --phases 5", "--phases: %d is not between 1 and %d", phases, mostClasses)
	case jobs < leastJobs || jobs > mostJobs:
		return cli.Usagef("for example --jobs 160000", "--jobs: %d is not between %d and %d", jobs, leastJobs, mostJobs)
	}
	return nil
}

// analysis is what --analytic found, load by load.
type analysis struct {
	study       *spec.Allocation
	confidence  float64
	machine     *crosscheck.Machine
	comparisons []crosscheck.Comparison
}

// analyze solves and simulates what the flags ask for.
func analyze(inv *cli.Invocation, confidence float64) (*analysis, error) {
	study, err := studyOfFlags(inv)
	if err != nil {
		return nil, err
	}
	w, err := workloadOf(study, study.Loads[0])
	if err != nil {
		return nil, allocationError(study, err)
	}
	step, clear := inv.Progress(replications*len(study.Loads), "simulating")
	defer clear()
	one := &studyResult{policies: inv.Table, study: study}
	_, policies := one.planned()
	o := crosscheck.Options{MinNodes: inv.Flags.Int("min-nodes"), Phases: inv.Flags.Int("phases"), Policies: policies,
		Replications: replications, Jobs: inv.Flags.Int("jobs") / replications, Seed: inv.Flags.Uint64("seed"),
		Workers: inv.Workers, Confidence: confidence}
	a := &analysis{study: study, confidence: confidence}
	if a.machine, err = crosscheck.NewMachine(inv.Context, w, o); err != nil {
		return nil, err
	}
	for i, load := range study.Loads {
		m, err := a.machine.At(load)
		if err != nil {
			return nil, allocationError(study, err)
		}
		o.Progress = func(done int) { step(i*replications + done) }
		c, err := m.Compare(inv.Context, o)
		if err != nil {
			return nil, err
		}
		for _, r := range c.Rows {
			for _, warning := range r.Warnings {
				if r.Stable {
					inv.Warnf("%s at load %s: %v", r.Policy, output.Load(load), warning)
				}
			}
		}
		a.comparisons = append(a.comparisons, c)
	}
	for _, r := range a.machine.RunTimes {
		for _, warning := range r.Warnings {
			inv.Warnf("run times on %s nodes: %v", output.Round(r.Nodes, 3), warning)
		}
	}
	return a, nil
}

// analytic runs allocate with --analytic.
func analytic(inv *cli.Invocation, plot cli.Picture, confidence float64) error {
	a, err := analyze(inv, confidence)
	if err != nil {
		return err
	}
	if err := inv.Emit(a.result()); err != nil {
		return err
	}
	if err := inv.Draw(plot, a.figure()); err != nil {
		return err
	}
	for _, c := range a.comparisons {
		if slices.ContainsFunc(c.Rows, func(r crosscheck.Row) bool { return r.Solved() }) {
			return nil
		}
	}
	return &cli.Error{Code: cli.ExitUnstable, Err: fmt.Errorf("no partitioning is stable at any of the loads"),
		Hint: "smaller partitions (--min-nodes) or lighter loads are stable"}
}

func (a *analysis) result() *cli.Result {
	r := &cli.Result{JSON: output.Object{{Name: "version", Value: output.Version}, {Name: "nodes", Value: a.study.Nodes},
		{Name: "min_nodes", Value: a.machine.Static.MinNodes}}}
	a.fits(r)
	r.CSV = [][]string{{"policy", "partitions", measure.OfferedLoad, "stable", measure.TrafficIntensity,
		"analytic_mean_response_time", measure.MeanResponseTime, "mean_response_time_low", "mean_response_time_high"}}
	table := output.Table{Title: fmt.Sprintf("Mean response time in the long run; ± half of %s %% intervals",
		output.Shortest(100*a.confidence)), Columns: []output.Column{{Name: "policy"}, {Name: "load", Number: true},
		{Name: "traffic", Number: true}, {Name: "solved [s]", Number: true}, {Name: "simulated [s]", Number: true},
		{Name: "differ by", Number: true}}}
	results := []output.Object{}
	for _, c := range a.comparisons {
		for i := range c.Rows {
			row := &c.Rows[i]
			results = append(results, analyzed(row, c.Load))
			cells := append(model.PolicyCells(row.Policy), output.Shortest(c.Load), fmt.Sprint(row.Stable), "", "", "", "", "")
			people := []string{row.Policy.String(), output.Round(c.Load, 3), "", "", "", ""}
			if row.Intensity > 0 {
				cells[4], people[2] = output.Shortest(row.Intensity), output.Round(row.Intensity, 3)
			}
			if row.Solved() {
				cells[5], people[3] = output.Shortest(row.Analytic), output.Round(row.Analytic, 4)
				people[5] = fmt.Sprintf("%+.1f %%", 100*(row.Simulated.Mean/row.Analytic-1))
			}
			if s := row.Simulated; row.Stable {
				cells[6], cells[7], cells[8] = output.Shortest(s.Mean), output.Shortest(s.Low), output.Shortest(s.High)
				people[4] = output.Round(s.Mean, 4) + " ±" + output.Round(s.HalfWidth, 2)
			} else {
				people[3], people[4] = "unstable", ""
			}
			r.CSV, table.Rows = append(r.CSV, cells), append(table.Rows, people)
		}
	}
	r.JSON.Add("results", results)
	r.Tables = append(r.Tables, table)
	r.Notes = []string{"Resizing costs nothing here; policies without a chain are only simulated."}
	return r
}

// fits tells of the fitted run times.
func (a *analysis) fits(r *cli.Result) {
	table := output.Table{Title: "Run times and their fits", Columns: []output.Column{{Name: "nodes", Number: true},
		{Name: "mean [s]", Number: true}, {Name: "SCV", Number: true}, {Name: "phases", Number: true},
		{Name: "SCV of the fit", Number: true}, {Name: "KS", Number: true}}}
	objects := []output.Object{}
	for _, f := range a.machine.RunTimes {
		objects = append(objects, output.Object{{Name: "nodes", Value: f.Nodes}, {Name: "mean", Value: f.Mean},
			{Name: "scv", Value: f.SCV}, {Name: "phases", Value: f.Dist.Phases()}, {Name: "fitted_scv",
				Value: f.Dist.SCV()}, {Name: "ks", Value: f.KS}})
		table.Rows = append(table.Rows, []string{output.Round(f.Nodes, 3), output.Round(f.Mean, 4), output.Round(f.SCV, 3),
			fmt.Sprint(f.Dist.Phases()), output.Round(f.Dist.SCV(), 3), output.Round(f.KS, 2)})
	}
	r.JSON.Add("run_times", objects)
	r.Tables = append(r.Tables, table)
}

func analyzed(row *crosscheck.Row, load float64) output.Object {
	o := model.PolicyObject(row.Policy)
	o.Add(measure.OfferedLoad, load)
	o.Add("stable", row.Stable)
	if row.Intensity > 0 {
		o.Add(measure.TrafficIntensity, row.Intensity)
	}
	if row.Solved() {
		o.Add("analytic_mean_response_time", row.Analytic)
	}
	if row.Stable {
		o.Add(measure.MeanResponseTime, row.Simulated.Mean)
		o.Add("intervals", output.Object{{Name: measure.MeanResponseTime, Value: output.Object{
			{Name: "low", Value: row.Simulated.Low}, {Name: "high", Value: row.Simulated.High}}}})
	}
	return o
}

// figure draws dynamic partitioning and the best static one: what the chains have as lines, what the simulation has as
// dots on them. Strategies, without a chain, are dashed lines.
func (a *analysis) figure() *chart.Figure {
	f := &chart.Figure{Title: "Chains and simulation", XLabel: "offered load", Solid: "solved (dots: simulated)",
		Dashed: "simulated only"}
	p := chart.Panel{Title: "Mean response time", YLabel: "response [s]", MayLog: true, FromZero: true}
	add := func(name string, chained bool, row func(c *crosscheck.Comparison) *crosscheck.Row) {
		var solved, simulated chart.Line
		for i := range a.comparisons {
			c := &a.comparisons[i]
			x, y := math.NaN(), math.NaN()
			if r := row(c); r != nil && r.Stable {
				x, y = r.Analytic, r.Simulated.Mean
			}
			solved.X, solved.Y = append(solved.X, c.Load), append(solved.Y, x)
			simulated.X, simulated.Y = append(simulated.X, c.Load), append(simulated.Y, y)
		}
		solved.Series = seriesOf(f, name)
		simulated.Series, simulated.Dots, simulated.Dashed = solved.Series, chained, !chained
		if chained {
			p.Lines = append(p.Lines, solved)
		}
		p.Lines = append(p.Lines, simulated)
	}
	add("dynamic", true, func(c *crosscheck.Comparison) *crosscheck.Row { return &c.Rows[0] })
	add("best static", true, bestStatic)
	for i, s := range a.study.Strategies {
		add(s.Name, false, func(c *crosscheck.Comparison) *crosscheck.Row {
			return &c.Rows[len(c.Rows)-len(a.study.Strategies)+i]
		})
	}
	f.Panels = []chart.Panel{p}
	return f
}

// bestStatic returns the static partitioning with the shortest solved response time, nil if none is stable.
func bestStatic(c *crosscheck.Comparison) *crosscheck.Row {
	var best *crosscheck.Row
	for i := range c.Rows[1:] {
		if r := &c.Rows[1+i]; r.Solved() && (best == nil || r.Analytic < best.Analytic) {
			best = r
		}
	}
	return best
}
