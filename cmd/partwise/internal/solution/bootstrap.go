package solution

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
)

// bootstrapSeed keys the measurements that are drawn again.
const bootstrapSeed = 1

// AddBootstrap adds to the result how sure the measures are, from so many samples of the measurements that the model was
// fitted to.
func AddBootstrap(inv *cli.Invocation, file *modelfile.Model, asked *policy.Selection, solved *decide.Decision, samples int,
	set markov.Settings, to *output.Result) error {
	again, err := file.Resampler(bootstrapSeed)
	if errors.Is(err, modelfile.ErrNothingFitted) {
		return fault.Failf(fault.ExitInput, "%s: --bootstrap: %w", file.File, err)
	}
	if err != nil {
		return err
	}
	step, clear := inv.Progress(samples, "fitting and solving again")
	defer clear()
	draw := func(i int) (*models.System, error) {
		m, err := again(i)
		if err != nil {
			return nil, err
		}
		return m.System, nil
	}
	r, err := decide.Bootstrap(inv.Context, solved, draw,
		decide.BootstrapOptions{Samples: samples, Settings: set, Workers: inv.Workers, Progress: step})
	if err != nil {
		return input.MethodError(set.Method, err)
	}
	ShowBootstrap(r, asked, solved, file.TimeUnit.Name, to)
	return nil
}

// ShowBootstrap adds to the result how sure the measures are by the samples of a bootstrap; unit is the unit of times.
func ShowBootstrap(r *decide.BootstrapResult, asked *policy.Selection, solved *decide.Decision, unit string, to *output.Result) {
	samples := r.Samples
	boot := output.Pairs("samples", samples)
	if r.IsConstant() {
		to.Add("bootstrap", boot)
		to.Note("All samples are the same, as those of a log of less than two weeks are: they do not tell how sure the answer is.")
		return
	}
	shown := solved.Shown(asked)
	rows := slices.DeleteFunc(slices.Clone(r.Policies), func(p decide.BootstrapPolicy) bool {
		return !slices.ContainsFunc(shown, func(s decide.Solved) bool { return s.Policy == p.Policy })
	})
	boot.Add("confidence", measure.Confidence)
	title := fmt.Sprintf("%s intervals of the mean response time, from %d samples of the measurements",
		words.Percent(measure.Confidence), samples)
	boot.Add("results", output.NewList("", title, output.Long, rows, func(p *decide.BootstrapPolicy) output.Row {
		return bootstrapRow(p, samples)
	}).In(unit))
	if asked.Every && !math.IsNaN(r.ProbabilityDynamic) {
		boot.Add("ratio", output.Pairs("low", r.Ratio.Low, "high", r.Ratio.High))
		boot.Add("probability_dynamic_wins", r.ProbabilityDynamic)
		to.Note("Dynamic partitioning wins in %s of %d samples of the measurements; %s of the ratios lie between %s and %s.",
			words.Percent(r.ProbabilityDynamic), samples, words.Percent(measure.Confidence), bound(r.Ratio.Low), bound(r.Ratio.High))
	}
	to.Add("bootstrap", boot)
}

// bootstrapRow returns the intervals of all measures of a policy in JSON and CSV, and the interval of the mean response time in
// tables. Infinite ends, of a policy that is unstable for too many samples, are left out of JSON and CSV.
func bootstrapRow(p *decide.BootstrapPolicy, samples int) output.Row {
	row := output.Policy(p.Policy)
	low, high := output.InTable("low").Time().Right(), output.InTable("high").Time().Right()
	for _, m := range p.Measures {
		row = append(row, output.Measure(m.Name).Headed("").JSON().If(words.Finite(m.Low), output.Pairs("low", m.Low, "high", m.High)),
			output.InCSV(m.Name+"_low", m.Low), output.InCSV(m.Name+"_high", m.High))
		if m.Name == measure.MeanResponseTime {
			row = append(row, low.Is(bound(m.Low)), high.Is(bound(m.High)))
		}
	}
	return append(row, output.Col("probability_unstable", "unstable").Shares().JSON().Is(float64(p.Unstable)/float64(samples)))
}

// bound writes the bound of an interval.
func bound(v float64) string {
	if math.IsInf(v, 1) {
		return "unstable"
	}
	return words.Round(v, 4)
}
