package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/spec"
	"github.com/partwise/partwise/validate"
)

func simulateCommand() command {
	return command{
		name:      "simulate",
		group:     checking,
		summary:   "simulate the machine of a model",
		arguments: "FILE",
		details: "Simulates each policy until the mean response time is known to the precision. The model fidelity is " +
			"the machine that solve solves; the machine fidelity has whole nodes and stops only the jobs that are resized. " +
			"All policies meet the same arrivals and demands, so that their differences are known better than each.",
		examples: []string{
			"partwise simulate model.yaml --policy dynamic --precision 1%",
			"partwise simulate model.yaml --fidelity machine --load 0.7 --seed 7",
			"partwise simulate model.yaml --policy dynamic --policy folding --policy smoothing:60 --gantt schedule.svg",
			"partwise simulate model.yaml --policy dynamic --log log.swf.gz --trace jobs.csv",
		},
		flags:   slices.Concat(modelFlags(), simulationFlags(validate.ModelFidelity), jobFlags(), scheduleFlags()),
		minArgs: 1, maxArgs: 1,
		formats: []string{"json", "csv", "markdown", "table"},
		run:     simulate,
	}
}

// bothFidelities is what --fidelity says for one after the other.
const bothFidelities = "both"

func simulationFlags(fidelity validate.Fidelity) []cli.Flag {
	words, otherwise := "simulate `WHAT`: model or machine", "model, or machine where only that makes sense"
	if fidelity == bothFidelities {
		words, otherwise = "simulate `WHAT`: model, machine or both", bothFidelities
	}
	return []cli.Flag{
		&cli.StringFlag{Name: "fidelity", Value: string(fidelity), DefaultText: otherwise, Usage: words},
		&cli.StringFlag{Name: "precision", Value: "1%",
			Usage: "relative half-width of the interval of the mean response time, `E`"},
		&cli.StringFlag{Name: "confidence", Value: "0.95", Usage: "level `C` of the intervals"},
		&cli.IntFlag{Name: "replications", DefaultText: "32", Usage: "`R` independent runs"},
		&cli.Int64Flag{Name: "max-jobs", DefaultText: "2000000000",
			Usage: "end after `N` jobs of each policy even if the precision is not reached; that is exit code 5"},
		&cli.StringFlag{Name: "estimator", Value: string(validate.Replications),
			Usage: "intervals by `WHAT`: replications, or regenerative, from cycles between arrivals that find the machine empty"},
		&cli.Uint64Flag{Name: "seed", Value: 1,
			Usage: "number `N` that the random streams begin with: the same seed gives the same results"},
	}
}

// simulationOptions reads the flags of a simulation.
func (inv *invocation) simulationOptions() (validate.Options, error) {
	o := validate.Options{
		Fidelity:  validate.Fidelity(inv.flags.String("fidelity")),
		Estimator: validate.Estimator(inv.flags.String("estimator")),
		Seed:      inv.flags.Uint64("seed"),
		Workers:   inv.workers,
	}
	switch o.Estimator {
	case validate.Replications, validate.Regenerative:
	default:
		return o, usage("use replications or regenerative", "--estimator: unknown estimator %q", string(o.Estimator))
	}
	var err error
	if o.Precision, err = inv.share("precision", "for example --precision 1%"); err != nil {
		return o, err
	}
	if o.Confidence, err = inv.share("confidence", "for example --confidence 0.95"); err != nil {
		return o, err
	}
	if inv.flags.IsSet("replications") {
		if o.Replications = inv.flags.Int("replications"); o.Replications < 1 {
			return o, usage("for example --replications 32", "--replications: %d is not a positive number", o.Replications)
		}
	}
	if inv.flags.IsSet("max-jobs") {
		if o.MaxJobs = inv.flags.Int64("max-jobs"); o.MaxJobs < 1 {
			return o, usage("for example --max-jobs 1000000", "--max-jobs: %d is not a positive number", o.MaxJobs)
		}
	}
	return o, nil
}

// share reads a flag between 0 and 1, also written as a percentage.
func (inv *invocation) share(name, hint string) (float64, error) {
	text := inv.flags.String(name)
	number, isPercent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if isPercent {
		v /= 100
	}
	if err != nil || !(v > 0 && v < 1) || math.IsInf(v, 0) {
		return 0, usage(hint, "--%s: %q is not a share between 0 and 1", name, text)
	}
	return v, nil
}

func simulate(inv *invocation) error {
	options, err := inv.simulationOptions()
	if err != nil {
		return err
	}
	show, err := inv.show()
	if err != nil {
		return err
	}
	file, err := inv.model()
	if err != nil {
		return err
	}
	asked, err := inv.policies(file.System)
	if err != nil {
		return err
	}
	if options.Fidelity, err = inv.fidelity(options.Fidelity, asked.solved, show.wanted()); err != nil {
		return err
	}
	if err := inv.jobs(file, &options); err != nil {
		return err
	}
	sims, err := inv.simulations(file, asked.solved, options)
	if err != nil {
		return err
	}
	if len(sims.runs) == 0 && len(sims.refused) > 0 {
		return sims.refused[len(sims.refused)-1]
	}
	if asked.best {
		sims.runs = asked.withBest(sims.runs)
	}
	inv.markPartial(sims)
	if err := inv.emit(newSimulated(file, sims, options)); err != nil {
		return err
	}
	for _, err := range sims.refused {
		inv.warn("%v", err)
	}
	if sims.interrupted {
		return sims.interruption(options.Precision)
	}
	if err := show.write(inv, file, sims.runs, options); err != nil {
		return err
	}
	return precisionReached(sims.runs, options.Precision)
}

// fidelity decides on the machine to simulate: that of --fidelity, or whole nodes where nothing else makes sense.
func (inv *invocation) fidelity(f validate.Fidelity, policies []models.Policy, flag string) (validate.Fidelity, error) {
	reason := flag
	for _, name := range []string{"demands", "log"} {
		if inv.flags.String(name) != "" {
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
		return f, usage("use model or machine", "--fidelity: unknown fidelity %q", string(f))
	case reason == "" || f == validate.MachineFidelity:
		return f, nil
	case inv.flags.IsSet("fidelity"):
		return f, usage("leave --fidelity out, or say machine", "--fidelity model: %s needs whole nodes", reason)
	}
	inv.note("simulating whole nodes, at machine fidelity: %s needs them", reason)
	return validate.MachineFidelity, nil
}

// simulated is what came out of simulating one policy after the other.
type simulated struct {
	runs        []validate.Simulation
	refused     []error // why others were not simulated
	interrupted bool
}

// simulations simulates the policies one after the other, each by all workers. If that is interrupted it returns what
// it has, unless that is nothing.
func (inv *invocation) simulations(
	file *spec.Model, policies []models.Policy, o validate.Options,
) (sims simulated, err error) {
	for _, p := range policies {
		step, clear := inv.progress(100, p.String())
		o.Progress = func(s validate.Progress) { step(int(100 * s.Jobs / max(s.Planned, 1))) }
		s, err := validate.Simulate(inv.ctx, file.System, p, o)
		clear()
		var unstable *validate.UnstableError
		switch {
		case errors.As(err, &unstable):
			sims.refused = append(sims.refused, &exitError{code: exitUnstable, err: err})
			continue
		case errors.Is(err, validate.ErrNoCycles):
			return simulated{}, usage("leave --estimator out", "--estimator regenerative: %s", plain(err))
		case errors.Is(err, context.Canceled) && len(sims.runs) > 0:
			sims.interrupted = true
			return sims, nil
		case err != nil:
			return simulated{}, err
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
func (s simulated) interruption(asked float64) error {
	if err := precisionReached(s.runs, asked); err != nil && exitCode(err) == exitInterrupted {
		return err
	}
	return fail(exitInterrupted, "interrupted: %d of the policies are done", len(s.runs))
}

// markPartial has a result that was interrupted written under a name that says so.
func (inv *invocation) markPartial(all ...simulated) {
	if slices.ContainsFunc(all, func(s simulated) bool { return s.interrupted }) {
		inv.partial()
	}
}

// withBest leaves, of static policies that were only simulated to find the best one, that one.
func (r *request) withBest(runs []validate.Simulation) []validate.Simulation {
	best, least := -1, math.Inf(1)
	for i, s := range runs {
		if e, ok := s.Measure("mean_response_time"); ok && s.Policy.Kind == models.Static && e.Mean < least {
			best, least = i, e.Mean
		}
	}
	var kept []validate.Simulation
	for i, s := range runs {
		if i == best || slices.Contains(r.named, s.Policy) {
			kept = append(kept, s)
		}
	}
	return kept
}

// precisionReached tells which simulation fell short.
func precisionReached(runs []validate.Simulation, asked float64) error {
	for _, s := range runs {
		switch {
		case s.Partial:
			return fail(exitInterrupted, "interrupted: %v is known to %s only", s.Policy, percent(s.Precision))
		case !s.Reached:
			return &exitError{
				code: exitAccuracy,
				err: fmt.Errorf("%v: the mean response time is known to %s, not to %s",
					s.Policy, percent(s.Precision), percent(asked)),
				hint: "near saturation a simulation needs more jobs than --max-jobs can be; trust the solver there",
			}
		}
	}
	return nil
}

// newSimulated lays out simulations.
func newSimulated(file *spec.Model, sims simulated, o validate.Options) *result {
	r := &result{json: heading(file)}
	r.csv = [][]string{{"policy", "partitions", "measure", "value", "low", "high", "half_width"}}
	table := output.Table{
		Title: fmt.Sprintf("%s, %s %% confidence", headline(file), output.Shortest(100*o.Confidence)),
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
		r.json.Add("jobs_given", given)
	}
	var rows []output.Object
	for i := range sims.runs {
		s := &sims.runs[i]
		rows = append(rows, simulatedObject(s))
		for _, e := range s.Measures {
			r.csv = append(r.csv, append(policyCells(s.Policy), e.Name, output.Shortest(e.Mean), output.Shortest(e.Low),
				output.Shortest(e.High), output.Shortest(e.HalfWidth)))
			table.Rows = append(table.Rows, []string{s.Policy.String(), e.Name, output.Round(e.Mean, 5), output.Round(e.Low, 5),
				output.Round(e.High, 5), unitOf(e.Name, file.TimeUnit.Name)})
		}
	}
	r.json.Add("results", rows)
	differences(r, file, sims.runs)
	if sims.interrupted {
		r.json.Add("interrupted", true)
	}
	r.tables = []output.Table{table}
	return r
}

// differences adds how much the policies differ from the first in mean response time. Common random numbers make that
// known better than the mean response times are.
func differences(r *result, file *spec.Model, runs []validate.Simulation) {
	const measure = "mean_response_time"
	var rows []output.Object
	for i := 1; i < len(runs); i++ {
		c, err := validate.Difference(runs[i], runs[0], measure)
		if err != nil || math.IsInf(c.HalfWidth, 0) || math.IsNaN(c.Mean) {
			continue // an interrupted run has fewer replications, and a replay may be cut into others
		}
		o := policyObject(runs[i].Policy)
		o.Add("minus", runs[0].Policy.String())
		o.Add("measure", measure)
		o.Add("mean", c.Mean)
		o.Add("low", c.Low)
		o.Add("high", c.High)
		o.Add("half_width", c.HalfWidth)
		o.Add("variance_reduction", c.VarianceReduction)
		rows = append(rows, o)
		r.notes = append(r.notes, fmt.Sprintf(
			"%v − %v: mean response time %s ± %s %s (variance reduced %s times by common random numbers).", runs[i].Policy,
			runs[0].Policy, output.Round(c.Mean, 4), output.Round(c.HalfWidth, 2), file.TimeUnit.Name,
			output.Round(c.VarianceReduction, 2)))
	}
	if rows != nil {
		r.json.Add("differences", rows)
	}
}

func unitOf(measure, timeUnit string) string {
	if strings.HasPrefix(measure, "response_time_p") {
		return timeUnit
	}
	for _, q := range models.Table {
		if q.Name == measure {
			return unitName(q.Unit, timeUnit)
		}
	}
	return ""
}

func simulatedObject(s *validate.Simulation) output.Object {
	o := policyObject(s.Policy)
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
