package simulation

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/spec"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate"
)

// Simulate is the command that simulates the machine of a model.
func Simulate(table policy.Table) cli.Command {
	return cli.Command{
		Name:      "simulate",
		Group:     cli.Checking,
		Summary:   "simulate the machine of a model",
		Arguments: "FILE",
		Details: "Simulates each policy until the mean response time is known to the precision. The model fidelity is " +
			"the machine that solve solves; the machine fidelity has whole nodes and stops only the jobs that are resized. " +
			"All policies meet the same arrivals and demands, so that their differences are known better than each.",
		Examples: []string{
			"partwise simulate model.yaml --policy dynamic --precision 1%",
			"partwise simulate model.yaml --fidelity machine --load 0.7 --seed 7",
			"partwise simulate model.yaml --policy dynamic --policy folding --policy smoothing:60 --gantt schedule.svg",
			"partwise simulate model.yaml --policy dynamic --log log.swf.gz --trace jobs.csv",
		},
		Flags:   slices.Concat(model.Flags(table, policy.WholeNodes|policy.Chain), simulationFlags(validate.ModelFidelity), jobFlags(), scheduleFlags()),
		MinArgs: 1, MaxArgs: 1,
		Formats:      []string{"json", "csv", "markdown", "table"},
		RunsPolicies: policy.WholeNodes | policy.Chain,
		Run:          simulate,
	}
}

// bothFidelities is what --fidelity says for one after the other.
const bothFidelities = "both"

func simulationFlags(fidelity validate.Fidelity) []urfave.Flag {
	words, otherwise := "simulate `WHAT`: model or machine", "model, or machine where only that makes sense"
	if fidelity == bothFidelities {
		words, otherwise = "simulate `WHAT`: model, machine or both", bothFidelities
	}
	return []urfave.Flag{
		&urfave.StringFlag{Name: "fidelity", Value: string(fidelity), DefaultText: otherwise, Usage: words},
		&urfave.StringFlag{Name: "precision", Value: "1%",
			Usage: "relative half-width of the interval of the mean response time, `E`"},
		&urfave.StringFlag{Name: "confidence", Value: "0.95", Usage: "level `C` of the intervals"},
		&urfave.IntFlag{Name: "replications", DefaultText: "32", Usage: "`R` independent runs"},
		&urfave.Int64Flag{Name: "max-jobs", DefaultText: "2000000000",
			Usage: "end after `N` jobs of each policy even if the precision is not reached; that is exit code 5"},
		&urfave.StringFlag{Name: "estimator", Value: string(validate.Replications),
			Usage: "intervals by `WHAT`: replications, or regenerative, from cycles between arrivals that find the machine empty"},
		&urfave.Uint64Flag{Name: "seed", Value: 1,
			Usage: "number `N` that the random streams begin with: the same seed gives the same results"},
	}
}

// readOptions reads the flags of a simulation.
func readOptions(inv *cli.Invocation) (validate.Options, error) {
	o := validate.Options{
		Fidelity:  validate.Fidelity(inv.Flags.String("fidelity")),
		Estimator: validate.Estimator(inv.Flags.String("estimator")),
		Seed:      inv.Flags.Uint64("seed"),
		Workers:   inv.Workers,
	}
	switch o.Estimator {
	case validate.Replications, validate.Regenerative:
	default:
		return o, cli.Usagef("use replications or regenerative", "--estimator: unknown estimator %q", string(o.Estimator))
	}
	var err error
	if o.Precision, err = inv.Share("precision", "for example --precision 1%"); err != nil {
		return o, err
	}
	if o.Confidence, err = inv.Share("confidence", "for example --confidence 0.95"); err != nil {
		return o, err
	}
	if inv.Flags.IsSet("replications") {
		if o.Replications = inv.Flags.Int("replications"); o.Replications < 1 {
			return o, cli.Usagef("for example --replications 32", "--replications: %d is not a positive number", o.Replications)
		}
	}
	if inv.Flags.IsSet("max-jobs") {
		if o.MaxJobs = inv.Flags.Int64("max-jobs"); o.MaxJobs < 1 {
			return o, cli.Usagef("for example --max-jobs 1000000", "--max-jobs: %d is not a positive number", o.MaxJobs)
		}
	}
	return o, nil
}

func simulate(inv *cli.Invocation) error {
	options, err := readOptions(inv)
	if err != nil {
		return err
	}
	show, err := readSchedule(inv)
	if err != nil {
		return err
	}
	file, err := model.Load(inv)
	if err != nil {
		return err
	}
	asked, err := model.Policies(inv, file.System)
	if err != nil {
		return err
	}
	if options.Fidelity, err = chooseFidelity(inv, options.Fidelity, asked.Run, show.wanted()); err != nil {
		return err
	}
	if err := addJobs(inv, file, &options); err != nil {
		return err
	}
	sims, err := simulatePolicies(inv, file, asked.Run, options)
	if err != nil {
		return err
	}
	if len(sims.runs) == 0 && len(sims.refused) > 0 {
		return sims.refused[len(sims.refused)-1]
	}
	if asked.Best {
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
	if err := show.write(inv, file, sims.runs, options); err != nil {
		return err
	}
	return precisionReached(sims.runs, options.Precision)
}

// chooseFidelity decides on the machine to simulate: that of --fidelity, or whole nodes where nothing else makes sense.
func chooseFidelity(inv *cli.Invocation, f validate.Fidelity, policies []policy.Policy,
	flag string) (validate.Fidelity, error) {
	reason := flag
	for _, name := range []string{"demands", "log"} {
		if inv.Flags.String(name) != "" {
			reason = "--" + name
		}
	}
	for _, p := range policies {
		if !validate.HasModel(p) {
			reason = p.String()
		}
	}
	switch {
	case f != validate.ModelFidelity && f != validate.MachineFidelity:
		return f, cli.Usagef("use model or machine", "--fidelity: unknown fidelity %q", string(f))
	case reason == "" || f == validate.MachineFidelity:
		return f, nil
	case inv.Flags.IsSet("fidelity"):
		return f, cli.Usagef("leave --fidelity out, or say machine", "--fidelity model: %s needs whole nodes", reason)
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
	file *spec.Model, policies []policy.Policy, o validate.Options,
) (sims simulations, err error) {
	for _, p := range policies {
		step, clear := inv.Progress(100, p.String())
		o.Progress = func(s validate.Progress) { step(int(100 * s.Jobs / max(s.Planned, 1))) }
		s, err := validate.Simulate(inv.Context, file.System, p, o)
		clear()
		var unstable *models.UnstableError
		switch {
		case errors.As(err, &unstable):
			sims.refused = append(sims.refused, &cli.Error{Code: cli.ExitUnstable, Err: err})
			continue
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
func newResult(file *spec.Model, sims simulations, o validate.Options) *cli.Result {
	r := &cli.Result{JSON: model.Heading(file)}
	r.CSV = [][]string{{"policy", "partitions", "measure", "value", "low", "high", "half_width"}}
	table := output.Table{
		Title: fmt.Sprintf("%s, %s %% confidence", model.Headline(file), output.Shortest(100*o.Confidence)),
		Columns: []output.Column{{Name: "policy"}, {Name: "measure"}, {Name: "mean", Number: true},
			{Name: "low", Number: true}, {Name: "high", Number: true}, {Name: "unit"}},
	}
	if o.Replay != nil {
		table.Title = fmt.Sprintf("%s, replaying %d jobs", file.Title, len(o.Replay))
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
func differences(r *cli.Result, file *spec.Model, runs []validate.Simulation) {
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

// askForNodes refuses policies that need to know how many nodes jobs ask for, or how parallel they are, where that is not
// known: the jobs of a model do not ask for nodes, those of a log do.
func askForNodes(inv *cli.Invocation, policies []policy.Policy, o *validate.Options) error {
	for _, p := range policies {
		e, _ := inv.Table.Named(p.Name())
		if o.Replay == nil && (e.Jobs == workload.Rigid || molds(p)) {
			return cli.Usagef("give it the jobs of a log by --log, or replay the log", "--policy: policy %s: the jobs of a model "+
				"ask for no number of nodes", p)
		}
	}
	return nil
}
