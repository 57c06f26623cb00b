package solution

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

// bootstrapSeed keys the measurements that are drawn again.
const bootstrapSeed = 1

// AddBootstrap adds to the result how sure the measures are, from so many samples of the measurements that the model was
// fitted to.
func AddBootstrap(inv *cli.Invocation, file *modelfile.Model, asked *policy.Selection, solved *decide.Decision, samples int,
	set markov.Settings, to *output.Result) error {
	again, err := file.Resampler(bootstrapSeed)
	if errors.Is(err, modelfile.ErrNothingFitted) {
		return cli.Failf(cli.ExitInput, "%s: --bootstrap: %w", file.File, err)
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
	boot := output.Pairs("samples", samples)
	if constant(r.Policies) {
		to.Add("bootstrap", boot)
		to.Note("All samples are the same, as those of a log of less than two weeks are: they do not tell how sure the answer is.")
		return nil
	}
	shown := solved.Shown(asked)
	rows := slices.DeleteFunc(slices.Clone(r.Policies), func(p decide.BootstrapPolicy) bool {
		return !slices.ContainsFunc(shown, func(s decide.Solved) bool { return s.Policy == p.Policy })
	})
	boot.Add("confidence", measure.Confidence)
	boot.Add("results", &output.List{Len: len(rows), Form: output.Long, Columns: intervalColumns(rows, samples, file.TimeUnit.Name),
		Title: fmt.Sprintf("%s intervals of the mean response time, from %d samples of the measurements", output.Percent(measure.Confidence), samples)})
	if asked.Every && !math.IsNaN(r.ProbabilityDynamic) {
		boot.Add("ratio", output.Pairs("low", r.Ratio.Low, "high", r.Ratio.High))
		boot.Add("probability_dynamic_wins", r.ProbabilityDynamic)
		to.Note("Dynamic partitioning wins in %s of %d samples of the measurements; %s of the ratios lie between %s and %s.",
			output.Percent(r.ProbabilityDynamic), samples, output.Percent(measure.Confidence), bound(r.Ratio.Low), bound(r.Ratio.High))
	}
	to.Add("bootstrap", boot)
	return nil
}

// constant reports whether no measure differs between the samples: they do not tell how sure the decision is.
func constant(policies []decide.BootstrapPolicy) bool {
	return !slices.ContainsFunc(policies, func(p decide.BootstrapPolicy) bool {
		return slices.ContainsFunc(p.Measures, func(m decide.BootstrapMeasure) bool { return m.Low != m.High })
	})
}

// ofPolicy is the number of columns of an [input.WrittenPolicy].
const ofPolicy = 3

// intervalColumns returns the intervals of all measures in JSON and CSV, and that of the mean response time in tables. Ends that are
// infinite, as the policy is unstable for too many samples, are left out.
func intervalColumns(rows []decide.BootstrapPolicy, samples int, unit string) []output.Column {
	type row struct {
		input.WrittenPolicy
		Low      any     `head:"low [unit]" form:"number"` // absent if the policy is unstable in all samples
		High     any     `head:"high [unit]" form:"number"`
		Unstable float64 `key:"probability_unstable" head:"unstable" form:"shares json"`
	}
	var names []string // of the measures that some of the policies have
	columns := output.ColumnsOf(output.RowsOf(rows, func(p decide.BootstrapPolicy) row {
		r := row{WrittenPolicy: input.Written(p.Policy), Unstable: float64(p.Unstable) / float64(samples)}
		for _, m := range p.Measures {
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
			if m.Name == measure.MeanResponseTime {
				r.Low, r.High = bound(m.Low), bound(m.High)
			}
		}
		return r
	}), unit)
	var measures []output.Column
	for _, name := range names {
		of := func(i int) decide.BootstrapMeasure {
			for _, m := range rows[i].Measures {
				if m.Name == name {
					return m
				}
			}
			return decide.BootstrapMeasure{Low: math.NaN(), High: math.NaN()}
		}
		measures = append(measures,
			output.Column{Key: name, OnlyJSON: true, Value: func(i int) any {
				m := of(i)
				return output.When(output.Finite(m.Low), output.Pairs("low", m.Low, "high", m.High))
			}},
			output.Column{Key: name + "_low", OnlyCSV: true, Value: func(i int) any { return of(i).Low }},
			output.Column{Key: name + "_high", OnlyCSV: true, Value: func(i int) any { return of(i).High }})
	}
	return slices.Insert(columns, ofPolicy, measures...)
}

// bound writes the bound of an interval.
func bound(v float64) string {
	if math.IsInf(v, 1) {
		return "unstable"
	}
	return output.Round(v, 4)
}
