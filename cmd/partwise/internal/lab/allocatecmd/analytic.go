package allocatecmd

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/experiment/crosscheck"
)

// analyticOptions are the flags of --analytic. What is 0 is the default that help tells.
type analyticOptions struct {
	wanted             bool
	unit, phases, jobs int
}

// What --jobs and --phases may say, and what is done without them.
const (
	defaultUnit         = 2
	defaultJobs         = 160_000
	leastJobs, mostJobs = 1600, 100_000_000
	mostClasses         = 20
	replications        = 16
)

// Flags binds the flags.
func (o *analyticOptions) Flags() []cli.Flag {
	return []cli.Flag{
		cli.Switch(&o.wanted, "analytic", "let jobs arrive without end: solve dynamic and static partitioning with fitted "+
			"run times, and simulate them and the policies"),
		cli.Int(&o.unit, "min-nodes", cli.PositiveInt, cli.About{Default: "2", Hint: "for example --nodes 64 --min-nodes 8",
			Usage: "give partitions in multiples of `M` nodes (with --analytic)"}),
		cli.Int(&o.phases, "phases", cli.Between(1, mostClasses), cli.About{Default: "up to 5",
			Usage: "fit run times with `N` phases (with --analytic)", Hint: "for example --phases 5"}),
		cli.Int(&o.jobs, "jobs", cli.Between(leastJobs, mostJobs), cli.About{Default: "160000",
			Usage: "simulate `N` jobs at each load (with --analytic)", Hint: "for example --jobs 160000"}),
	}
}

// Check checks that there is no flag that means nothing.
func (o *analyticOptions) Check(inv *cli.Invocation) error {
	if !o.wanted {
		for _, name := range []string{"min-nodes", "phases", "jobs"} {
			if inv.Given(name) {
				return cli.Usagef("add --analytic", "--%s without --analytic", name)
			}
		}
		return nil
	}
	for _, name := range []string{"days", "log"} {
		if inv.Given(name) {
			return cli.Usagef("leave one of them out", "--analytic and --%s: jobs come without end", name)
		}
	}
	if len(inv.Args) > 0 {
		return cli.Usagef("leave one of them out", "--analytic and a study, which is about days")
	}
	return nil
}

// of returns the options of the cross-check.
func (o *allocateOptions) of(inv *cli.Invocation, policies []policy.Policy) crosscheck.Options {
	a := &o.analytic
	return crosscheck.Options{MinNodes: cmp.Or(a.unit, defaultUnit), Phases: a.phases, Policies: policies,
		Replications: replications, Jobs: cmp.Or(a.jobs, defaultJobs) / replications, Seed: o.seed, Workers: inv.Workers,
		Confidence: o.confidence}
}

// analysis is what --analytic found, load by load.
type analysis struct {
	study       *modelfile.Allocation
	confidence  float64
	machine     *crosscheck.Machine
	comparisons []crosscheck.Comparison
}

// analyze solves and simulates what the flags ask for.
func analyze(inv *cli.Invocation, flags *allocateOptions) (*analysis, error) {
	study, err := studyOfFlags(inv, flags)
	if err != nil {
		return nil, err
	}
	w, err := workloadOf(study, study.Loads[0])
	if err != nil {
		return nil, allocationError(study, err)
	}
	one := &studyResult{policies: flags.table, study: study}
	_, policies := one.planned()
	o := flags.of(inv, policies)
	if study.Nodes%o.MinNodes != 0 {
		return nil, cli.Usagef("for example --nodes 64 --min-nodes 8", "--min-nodes: %d nodes are not a multiple of %d",
			study.Nodes, o.MinNodes)
	}
	step, clear := inv.Progress(replications*len(study.Loads), "simulating")
	defer clear()
	a := &analysis{study: study, confidence: flags.confidence}
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
func analytic(inv *cli.Invocation, o *allocateOptions) error {
	a, err := analyze(inv, o)
	if err != nil {
		return err
	}
	if err := inv.Emit(a.result()); err != nil {
		return err
	}
	if err := inv.Draw(o.plot, a.figure()); err != nil {
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
	r := &cli.Result{JSON: output.Object{{Name: "version", Value: output.Version},
		{Name: output.TimeUnit, Value: "s"},
		{Name: "nodes", Value: a.study.Nodes}, {Name: "min_nodes", Value: a.machine.Static.MinNodes}}}
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
// dots on them. Policies without a chain, are dashed lines.
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
