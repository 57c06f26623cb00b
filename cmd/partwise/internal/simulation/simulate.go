package simulation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/joblog"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/modelfile/tree"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// Simulate is the command that simulates the machine of a model.
func Simulate(table policy.Table) cli.Command {
	fresh := func() *simulateOptions {
		return &simulateOptions{runOptions: newRunOptions(table, policy.WholeNodes|policy.Chain),
			scheduleOptions: newScheduleOptions()}
	}
	return cli.WithOptions(fresh, simulate, cli.Command{
		Name:      "simulate",
		Group:     cli.Checking,
		Summary:   "simulate the machine of a model",
		Arguments: "FILE",
		Details: "Simulates each policy until the mean response time is known to the precision. The model fidelity is " +
			"the machine that solve solves; the machine fidelity has whole nodes. " +
			"All policies are given the same arrivals and demands, so that differences between them are known more precisely " +
			"than their own values.",
		Examples: []string{
			"partwise simulate model.yaml --policy dynamic --precision 1%",
			"partwise simulate model.yaml --fidelity machine --load 0.7 --seed 7",
			"partwise simulate model.yaml --policy dynamic --policy folding --policy smoothing:60 --gantt schedule.svg",
			"partwise simulate model.yaml --policy dynamic --log log.swf.gz --trace jobs.csv",
		},
		MinArgs: 1, MaxArgs: 1,
		Formats:      []string{"json", "csv", "markdown", "table"},
		RunsPolicies: policy.WholeNodes | policy.Chain,
	})
}

// runOptions are the flags that say how to simulate a model.
type runOptions struct {
	model.Options
	jobOptions
	fidelity              validate.Fidelity // "": as the command sees fit
	precision, confidence float64
	estimator             validate.Estimator
	replications, maxJobs int // 0: those of package validate
	seed                  uint64
}

// defaultPrecision is that of --precision.
const defaultPrecision = 0.01

func newRunOptions(table policy.Table, on policy.Runner) runOptions {
	return runOptions{Options: model.NewOptions(table, on), precision: defaultPrecision, confidence: 0.95,
		estimator: validate.Replications, seed: 1}
}

// flags are those of a command that simulates at one of the given fidelities; otherwise says at which without the flag.
func (o *runOptions) flags(fidelities []validate.Fidelity, otherwise string) []cli.Flag {
	return slices.Concat(o.Options.Flags(), o.jobOptions.Flags(), []cli.Flag{
		cli.Choice(&o.fidelity, "fidelity", "unknown fidelity", fidelities, cli.About{Default: otherwise,
			Usage: "simulate at the fidelity `FIDELITY`: " + tree.Alternatives(cli.Words(fidelities))}),
		cli.Value(&o.precision, "precision", cli.Share, cli.About{Default: "1%", Hint: "for example --precision 1%",
			Usage: "stop when the relative half-width of the confidence interval of the mean response time is below `E`"}),
		cli.Value(&o.confidence, "confidence", cli.Share, cli.About{Default: "0.95", Hint: "for example --confidence 0.95",
			Usage: "give confidence intervals of the level `LEVEL`"}),
		cli.Int(&o.replications, "replications", cli.Between(1, mostReplications), cli.About{Default: "32",
			Usage: "run `N` independent replications", Hint: "for example --replications 32"}),
		cli.Int(&o.maxJobs, "max-jobs", cli.PositiveInt, cli.About{Default: "2000000000",
			Usage: "stop after `N` jobs of each policy even if the precision is not reached, with exit code 5",
			Hint:  "for example --max-jobs 1000000"}),
		cli.Choice(&o.estimator, "estimator", "unknown estimator", estimators, cli.About{Default: string(o.estimator),
			Usage: "estimate confidence intervals by `METHOD`: replications, or regenerative (cycles between arrivals that " +
				"find the machine empty)"}),
		cli.Seed(&o.seed, "draw random numbers from the seed `N`; the same seed gives the same results"),
	})
}

var estimators = []validate.Estimator{validate.Replications, validate.Regenerative}

// Check checks what cannot be asked for together.
func (o *runOptions) Check(inv *cli.Invocation) error { return o.jobOptions.Check(inv) }

// of returns the options of package validate, with the jobs of the model.
func (o *runOptions) of(inv *cli.Invocation) validate.Options {
	return validate.Options{Fidelity: o.fidelity, Precision: cmp.Or(o.precision, defaultPrecision), Confidence: o.confidence,
		Replications: o.replications, MaxJobs: int64(o.maxJobs), Estimator: o.estimator, Seed: o.seed, Workers: inv.Workers}
}

// simulateOptions are the flags of simulate.
type simulateOptions struct {
	runOptions
	scheduleOptions
	costs  []joblog.ResizeCost // one; none: those of the model
	points joblog.Points
}

// mostReplications bounds --replications: each keeps the sums of its batches.
const mostReplications = 10_000

// Flags binds the flags.
func (o *simulateOptions) Flags() []cli.Flag {
	fidelities := []validate.Fidelity{validate.ModelFidelity, validate.MachineFidelity}
	flags := append(o.flags(fidelities, "model, or machine where only that makes sense"), o.scheduleOptions.Flags()...)
	return append(flags, joblog.ResizeCosts(&o.costs, "the overheads of the model"), joblog.ResizeAt(&o.points))
}

// Check checks what cannot be asked for together.
func (o *simulateOptions) Check(inv *cli.Invocation) error {
	if err := o.runOptions.Check(inv); err != nil {
		return err
	}
	if len(o.costs) > 1 {
		return cli.Usagef("partwise replay takes several", "--resize-cost: simulate takes one cost")
	}
	return o.scheduleOptions.Check(inv)
}

// resizeFlag names the flag that is about the resizing of single jobs, "" if none is given.
func (o *simulateOptions) resizeFlag() string {
	switch {
	case o.costs != nil:
		return "--resize-cost"
	case o.points.Text != "":
		return "--resize-at"
	}
	return ""
}

// addResizing puts what the flags say of the resizing of single jobs into the options of a simulation.
func (o *simulateOptions) addResizing(file *modelfile.Model, of *validate.Options) (err error) {
	of.Points = o.points.In(file.TimeUnit)
	if len(o.costs) > 0 {
		if of.Costs, err = o.costs[0].On(file.System.Machine(), file.TimeUnit); of.Costs == nil {
			of.Costs = machine.Resizes(nil) // none, in place of those of the model
		}
	}
	return err
}

func simulate(inv *cli.Invocation, o *simulateOptions) error {
	file, err := o.File(inv)
	if err != nil {
		return err
	}
	asked, err := o.Select(inv, file.System)
	if err != nil {
		return err
	}
	options := o.of(inv)
	if options.Fidelity, err = o.chooseFidelity(inv, asked.Run); err != nil {
		return err
	}
	if err := o.addTo(inv, file, o.Load, &options); err != nil {
		return err
	}
	if err := askForNodes(inv, asked.Run, &options); err != nil {
		return err
	}
	if err := o.addResizing(file, &options); err != nil {
		return err
	}
	run, chosen, err := chooseBest(inv, file, asked, options)
	if err != nil {
		return err
	}
	sims, err := simulatePolicies(inv, file, run, options)
	if err != nil {
		return err
	}
	if len(sims.runs) == 0 && len(sims.refused) > 0 {
		return sims.refused[len(sims.refused)-1]
	}
	if asked.Best && !chosen {
		sims.runs = withBest(asked, sims.runs)
	}
	markPartial(inv, sims)
	if err := inv.Emit(newResult(file, sims, options)); err != nil {
		return err
	}
	for _, err := range sims.refused {
		inv.Warnf("%v", err)
	}
	if sims.interrupted {
		return sims.interruption(options.Precision)
	}
	if err := o.scheduleOptions.write(inv, file, sims.runs, options); err != nil {
		return err
	}
	return precisionReached(sims.runs, options.Precision)
}

// chooseFidelity decides on the machine to simulate: that of --fidelity, or whole nodes where nothing else makes sense.
func (o *simulateOptions) chooseFidelity(inv *cli.Invocation, policies []policy.Policy) (validate.Fidelity, error) {
	reason := cmp.Or(o.jobOptions.flag(), o.scheduleOptions.flag(), o.resizeFlag())
	for _, p := range policies {
		if !validate.HasModel(p) {
			reason = p.String()
		}
	}
	switch {
	case o.fidelity == validate.MachineFidelity:
		return o.fidelity, nil
	case reason == "":
		return validate.ModelFidelity, nil
	case o.fidelity == validate.ModelFidelity:
		return "", cli.Usagef("leave --fidelity out, or say machine", "--fidelity model: %s needs whole nodes", reason)
	}
	inv.Notef("simulating whole nodes, at machine fidelity: %s needs them", reason)
	return validate.MachineFidelity, nil
}

// simulations is what came out of simulating one policy after the other.
type simulations struct {
	runs        []validate.Simulation
	refused     []error // why others were not simulated
	interrupted bool
}

// simulatePolicies simulates the policies one after the other, each by all workers. If that is interrupted it returns
// what it has, unless that is nothing.
func simulatePolicies(inv *cli.Invocation,
	file *modelfile.Model, policies []policy.Policy, o validate.Options,
) (sims simulations, err error) {
	for _, p := range policies {
		if err := foretell(inv, file, p, o); err != nil {
			sims.refused = append(sims.refused, err)
			continue
		}
		show, clear := inv.Display(p.String())
		begin := time.Now()
		o.Progress = func(s validate.Progress) { show(stateOf(s, time.Since(begin))) }
		s, err := validate.Simulate(inv.Context, file.System, p, o)
		clear()
		switch {
		case errors.Is(err, validate.ErrNoCycles):
			return simulations{}, cli.Usagef("leave --estimator out", "--estimator regenerative: %s", cli.Plain(err))
		case errors.Is(err, context.Canceled) && len(sims.runs) > 0:
			sims.interrupted = true
			return sims, nil
		case err != nil:
			return simulations{}, err
		}
		sims.runs = append(sims.runs, s)
		if s.Partial {
			sims.interrupted = true
			return sims, nil
		}
	}
	return sims, nil
}

// interruption says how far an interrupted simulation has come.
func (s simulations) interruption(asked float64) error {
	if err := precisionReached(s.runs, asked); err != nil && cli.ExitCode(err) == cli.ExitInterrupted {
		return err
	}
	return cli.Failf(cli.ExitInterrupted, "interrupted: %d of the policies are done", len(s.runs))
}

// markPartial has a result that was interrupted written under a name that says so.
func markPartial(inv *cli.Invocation, all ...simulations) {
	if slices.ContainsFunc(all, func(s simulations) bool { return s.interrupted }) {
		inv.MarkPartial()
	}
}

// chooseBest returns what is to be simulated. Of static policies of which only the best one is asked for it is that which
// the exact chains say, if they can be solved and are those of the jobs that come; otherwise all of them are simulated and
// chosen is false.
func chooseBest(inv *cli.Invocation, file *modelfile.Model, asked *policy.Selection, o validate.Options) (
	run []policy.Policy, chosen bool, err error) {
	if !asked.Best || o.Sample != nil || o.Replay != nil {
		return asked.Run, false, nil
	}
	d, err := decide.Solve(inv.Context, file.System, policy.Statics(file.System.Machine()), markov.Settings{Memory: inv.Memory},
		inv.Workers)
	switch {
	case errors.Is(err, context.Canceled):
		return nil, false, err
	case err != nil || d.Best == nil:
		return asked.Run, false, nil // each says itself why it is not stable
	}
	inv.Notef("best-static is %v: its mean response time is the least by the exact chains, %s", d.Best.Policy,
		output.WithUnit(d.Best.Measures.MeanResponseTime, file.TimeUnit.Name))
	run = slices.Clone(asked.Named)
	if !slices.Contains(run, d.Best.Policy) {
		run = append(run, d.Best.Policy)
	}
	return run, true, nil
}

// withBest leaves, of static policies that were only simulated to find the best one, that one.
func withBest(asked *policy.Selection, runs []validate.Simulation) []validate.Simulation {
	best, least := -1, math.Inf(1)
	for i, s := range runs {
		if e, ok := s.Measure(measure.MeanResponseTime); ok && isStatic(s.Policy) && e.Mean < least {
			best, least = i, e.Mean
		}
	}
	var chosen []validate.Simulation
	for i, s := range runs {
		if i == best || slices.Contains(asked.Named, s.Policy) {
			chosen = append(chosen, s)
		}
	}
	return chosen
}

// precisionReached tells which simulation fell short.
func precisionReached(runs []validate.Simulation, asked float64) error {
	for _, s := range runs {
		switch {
		case s.Partial:
			return cli.Failf(cli.ExitInterrupted, "interrupted: %v is known to %s only", s.Policy, output.Percent(s.Precision))
		case !s.Reached:
			return &cli.Error{
				Code: cli.ExitAccuracy,
				Err: fmt.Errorf("%v: the mean response time is known to %s, not to %s",
					s.Policy, output.Percent(s.Precision), output.Percent(asked)),
				Hint: "near saturation a simulation needs more jobs than --max-jobs can be; trust the solver there",
			}
		}
	}
	return nil
}

// newResult lays out simulations.
func newResult(file *modelfile.Model, sims simulations, o validate.Options) *cli.Result {
	r := &cli.Result{JSON: model.Heading(file)}
	r.CSV = [][]string{{"policy", "partitions", "measure", "value", "low", "high", "half_width"}}
	table := output.Table{
		Title: fmt.Sprintf("%s, %s %% confidence", model.Headline(file), output.Shortest(100*o.Confidence)),
		Columns: []output.Column{{Name: "policy"}, {Name: "measure"}, {Name: "mean", Number: true},
			{Name: "low", Number: true}, {Name: "high", Number: true}, {Name: "unit"}},
	}
	if o.Replay != nil {
		table.Title = fmt.Sprintf("%s, replaying %s", file.Title, output.Count(len(o.Replay), "job"))
	}
	if n := max(len(o.Replay), len(o.Sample)); n > 0 { // in place of those that the heading speaks of
		given := output.Object{{Name: "from", Value: "log"}, {Name: "values", Value: n}}
		if o.Sample != nil {
			given[0].Value = "demands"
		}
		given.Add("load", validate.Offered(file.System, o))
		r.JSON.Add("jobs_given", given)
	}
	var rows []output.Object
	for i := range sims.runs {
		s := &sims.runs[i]
		rows = append(rows, simulatedObject(s))
		for _, e := range s.Measures {
			r.CSV = append(r.CSV, append(model.PolicyCells(s.Policy), e.Name, output.Shortest(e.Mean), output.Shortest(e.Low),
				output.Shortest(e.High), output.Shortest(e.HalfWidth)))
			table.Rows = append(table.Rows, []string{s.Policy.String(), e.Name, output.Round(e.Mean, 5), output.Round(e.Low, 5),
				output.Round(e.High, 5), unitOf(e.Name, file.TimeUnit.Name)})
		}
	}
	r.JSON.Add("results", rows)
	differences(r, file, sims.runs)
	if sims.interrupted {
		r.JSON.Add("interrupted", true)
	}
	r.Tables = []output.Table{table}
	return r
}

// differences adds how much the policies differ from the first in mean response time. Common random numbers make that
// known better than the mean response times are.
func differences(r *cli.Result, file *modelfile.Model, runs []validate.Simulation) {
	const name = measure.MeanResponseTime
	var rows []output.Object
	for i := 1; i < len(runs); i++ {
		c, err := validate.Difference(runs[i], runs[0], name)
		if err != nil || math.IsInf(c.HalfWidth, 0) || math.IsNaN(c.Mean) {
			continue // an interrupted run has fewer replications, and a replay may be cut into others
		}
		o := model.PolicyObject(runs[i].Policy)
		o.Add("minus", runs[0].Policy.String())
		o.Add("measure", name)
		o.Add("mean", c.Mean)
		o.Add("low", c.Low)
		o.Add("high", c.High)
		o.Add("half_width", c.HalfWidth)
		o.Add("variance_reduction", c.VarianceReduction)
		rows = append(rows, o)
		r.Notes = append(r.Notes, fmt.Sprintf(
			"%v − %v: mean response time %s ± %s %s (variance reduced %s times by common random numbers).", runs[i].Policy,
			runs[0].Policy, output.Round(c.Mean, 4), output.Round(c.HalfWidth, 2), file.TimeUnit.Name,
			output.Round(c.VarianceReduction, 2)))
	}
	if rows != nil {
		r.JSON.Add("differences", rows)
	}
}

func unitOf(name, timeUnit string) string {
	m, _ := measure.Named(name)
	return m.Unit.In(timeUnit)
}

func simulatedObject(s *validate.Simulation) output.Object {
	o := model.PolicyObject(s.Policy)
	o.Add("fidelity", string(s.Fidelity))
	var measures output.Object
	for _, e := range s.Measures {
		measures.Add(e.Name, output.Object{{Name: "mean", Value: e.Mean}, {Name: "low", Value: e.Low},
			{Name: "high", Value: e.High}, {Name: "half_width", Value: e.HalfWidth}})
	}
	o.Add("traffic_intensity", s.Intensity)
	o.Add("measures", measures)
	o.Add("precision", s.Precision)
	if s.Partial {
		o.Add("interrupted", true)
	}
	o.Add("replications", s.Replications)
	o.Add("jobs", s.Jobs)
	o.Add("events", s.Events)
	o.Add("warmup", s.Warmup)
	if s.Cycles > 0 {
		o.Add("cycles", s.Cycles)
	}
	o.Add("seconds", s.Seconds)
	o.Add("events_per_second", s.EventsPerSecond)
	return o
}

// isStatic tells static partitioning from other policies.
func isStatic(p policy.Policy) bool {
	_, static := p.(policy.Static)
	return static
}

// askForNodes refuses policies that need to know how many nodes jobs ask for, or how parallel they are, where that is
// not known: the jobs of a model do not ask for nodes, those of a log do.
func askForNodes(inv *cli.Invocation, policies []policy.Policy, o *validate.Options) error {
	for _, p := range policies {
		e, _ := inv.Table.Named(p.Name())
		_, molds := sched.SizingOf(p)
		if o.Replay == nil && (e.Jobs == workload.Rigid || molds) {
			return cli.Usagef("give it the jobs of a log by --log, or use partwise replay",
				"--policy: policy %s: the jobs of a model do not ask for a number of nodes", p)
		}
	}
	return nil
}
