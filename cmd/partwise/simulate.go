package main

import (
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
		summary:   "simulate the machine of a model",
		arguments: "FILE",
		details: "Simulates each policy until the mean response time is known to the precision. The model fidelity is " +
			"the machine that solve solves; the machine fidelity has whole nodes and stops only the jobs that are resized.",
		examples: []string{
			"partwise simulate model.yaml --policy dynamic --precision 1%",
			"partwise simulate model.yaml --fidelity machine --load 0.7 --seed 7",
		},
		flags:   append(modelFlags(), simulationFlags()...),
		minArgs: 1, maxArgs: 1,
		formats: []string{"json", "csv", "markdown", "table"},
		run:     simulate,
	}
}

func simulationFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "fidelity", Value: string(validate.ModelFidelity), Usage: "model or machine"},
		&cli.StringFlag{Name: "precision", Value: "1%",
			Usage: "relative half-width of the interval of the mean response time, `E`"},
		&cli.StringFlag{Name: "confidence", Value: "0.95", Usage: "of the intervals"},
		&cli.IntFlag{Name: "replications", Usage: "`R` independent runs (default: 32)"},
		&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "the same seed gives the same results"},
	}
}

// simulationOptions reads the flags of a simulation.
func (inv *invocation) simulationOptions() (validate.Options, error) {
	o := validate.Options{
		Fidelity: validate.Fidelity(inv.flags.String("fidelity")),
		Seed:     inv.flags.Uint64("seed"),
		Workers:  inv.workers,
	}
	if o.Fidelity != validate.ModelFidelity && o.Fidelity != validate.MachineFidelity {
		return o, usage("use model or machine", "--fidelity: unknown fidelity %q", string(o.Fidelity))
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
	file, err := inv.model()
	if err != nil {
		return err
	}
	asked, err := inv.policies(file.System)
	if err != nil {
		return err
	}
	runs, refused, err := inv.simulations(file, asked.solved, options)
	if err != nil {
		return err
	}
	if len(runs) == 0 && len(refused) > 0 {
		return refused[len(refused)-1]
	}
	if asked.best {
		runs = asked.withBest(runs)
	}
	inv.markPartial(runs)
	if err := inv.emit(newSimulated(file, runs, options.Confidence)); err != nil {
		return err
	}
	for _, err := range refused {
		inv.warn("%v", err)
	}
	return precisionReached(runs, options.Precision)
}

// simulations simulates the policies one after the other, each by all workers. It returns those that are stable, and
// why the others were refused.
func (inv *invocation) simulations(
	file *spec.Model, policies []models.Policy, o validate.Options,
) (runs []validate.Simulation, refused []error, err error) {
	for _, p := range policies {
		step, clear := inv.progress(100, p.String())
		o.Progress = func(s validate.Progress) { step(int(100 * s.Jobs / max(s.Planned, 1))) }
		s, err := validate.Simulate(inv.ctx, file.System, p, o)
		clear()
		var unstable *validate.UnstableError
		switch {
		case errors.As(err, &unstable):
			refused = append(refused, &exitError{code: exitUnstable, err: err})
			continue
		case err != nil:
			return nil, nil, err
		}
		runs = append(runs, s)
		if s.Partial {
			break
		}
	}
	return runs, refused, nil
}

// markPartial has a result that was interrupted written under a name that says so.
func (inv *invocation) markPartial(runs []validate.Simulation) {
	if slices.ContainsFunc(runs, func(s validate.Simulation) bool { return s.Partial }) {
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
				hint: "near saturation a simulation needs too many jobs; trust the solver there",
			}
		}
	}
	return nil
}

// newSimulated lays out simulations.
func newSimulated(file *spec.Model, runs []validate.Simulation, confidence float64) *result {
	r := &result{json: heading(file)}
	r.csv = [][]string{{"policy", "partitions", "measure", "value", "low", "high", "half_width"}}
	table := output.Table{
		Title: fmt.Sprintf("%s, %s %% confidence", headline(file), output.Shortest(100*confidence)),
		Columns: []output.Column{{Name: "policy"}, {Name: "measure"}, {Name: "mean", Number: true},
			{Name: "low", Number: true}, {Name: "high", Number: true}, {Name: "unit"}},
	}
	var rows []output.Object
	for i := range runs {
		s := &runs[i]
		rows = append(rows, simulatedObject(s))
		for _, e := range s.Measures {
			r.csv = append(r.csv, append(policyCells(s.Policy), e.Name, output.Shortest(e.Mean), output.Shortest(e.Low),
				output.Shortest(e.High), output.Shortest(e.HalfWidth)))
			table.Rows = append(table.Rows, []string{s.Policy.String(), e.Name, output.Round(e.Mean, 5), output.Round(e.Low, 5),
				output.Round(e.High, 5), unitOf(e.Name, file.TimeUnit.Name)})
		}
	}
	r.json.Add("results", rows)
	r.tables = []output.Table{table}
	return r
}

func unitOf(measure, timeUnit string) string {
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
	o.Add("measures", measures)
	o.Add("precision", s.Precision)
	if s.Partial {
		o.Add("interrupted", true)
	}
	o.Add("replications", s.Replications)
	o.Add("jobs", s.Jobs)
	o.Add("events", s.Events)
	o.Add("warmup", s.Warmup)
	o.Add("seconds", s.Seconds)
	o.Add("events_per_second", s.EventsPerSecond)
	return o
}
