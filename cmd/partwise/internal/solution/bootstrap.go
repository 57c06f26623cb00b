package solution

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

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
// fitted to, and returns what the samples tell: nil if they are all the same.
func AddBootstrap(inv *cli.Invocation, file *modelfile.Model, asked *policy.Selection, solved *decide.Decision, samples int,
	set markov.Settings, to *output.Result) (*decide.BootstrapResult, error) {
	again, err := file.Resampler(bootstrapSeed)
	if errors.Is(err, modelfile.ErrNothingFitted) {
		return nil, cli.Failf(cli.ExitInput, "%s: --bootstrap: %w", file.File, err)
	}
	if err != nil {
		return nil, err
	}
	step, clear := inv.Progress(samples, "fitting and solving again")
	defer clear()
	var drawn atomic.Int64
	draw := func(i int) (*models.System, error) {
		m, err := again(i)
		step(int(drawn.Add(1)))
		if err != nil {
			return nil, err
		}
		return m.System, nil
	}
	r, err := decide.Bootstrap(inv.Context, solved, draw,
		decide.BootstrapOptions{Samples: samples, Settings: set, Workers: inv.Workers})
	if err != nil {
		return nil, input.MethodError(set.Method, err)
	}
	shown := solved.Shown(asked)
	rows := slices.DeleteFunc(slices.Clone(r.Policies), func(p decide.BootstrapPolicy) bool {
		return !slices.ContainsFunc(shown, func(s decide.Solved) bool { return s.Policy.String() == p.Policy.String() })
	})
	if constant(r.Policies) {
		to.Add("bootstrap", output.Pairs("samples", samples))
		to.List(intervalRows(rows))
		to.Note("All samples are the same, as those of a log of less than two weeks are: they do not tell how sure the answer is.")
		return nil, nil
	}
	results := &output.List{Len: len(rows), Form: output.NoCSV, Columns: intervalColumns(rows, samples, file.TimeUnit.Name),
		Title: fmt.Sprintf("95 %% intervals of the mean response time, from %d samples of the measurements", samples)}
	boot := output.Pairs("samples", samples, "confidence", 0.95, "results", results)
	if asked.Every && !math.IsNaN(r.ProbabilityDynamic) {
		boot.Add("ratio", intervalObject([]float64{r.Ratio.Low, r.Ratio.High}))
		boot.Add("probability_dynamic_wins", r.ProbabilityDynamic)
		to.Note("Dynamic partitioning wins in %s of %d samples of the measurements; 95 %% of the ratios lie between %s and %s.",
			output.Percent(r.ProbabilityDynamic), samples, bound(r.Ratio.Low), bound(r.Ratio.High))
	}
	to.Add("bootstrap", boot)
	to.List(intervalRows(rows))
	return r, nil
}

// intervalColumns returns the intervals of all measures in JSON, and that of the mean response time in tables.
func intervalColumns(rows []decide.BootstrapPolicy, samples int, unit string) []output.Column {
	columns := output.ColumnsOf(output.RowsOf(rows, func(p decide.BootstrapPolicy) input.WrittenPolicy { return input.Written(p.Policy) }), "")
	for _, name := range measureNames(rows) {
		columns = append(columns, output.Column{Key: name, Value: func(i int) any {
			return intervalObject(intervalOf(&rows[i], name))
		}})
	}
	type row struct {
		Low      any     `head:"low [unit]" form:"number"` // absent if the policy is unstable in all samples
		High     any     `head:"high [unit]" form:"number"`
		Unstable float64 `key:"probability_unstable" head:"unstable" form:"shares"`
	}
	return append(columns, output.ColumnsOf(output.RowsOf(rows, func(p decide.BootstrapPolicy) row {
		r := row{Unstable: float64(p.Unstable) / float64(samples)}
		if ends := intervalOf(&p, measure.MeanResponseTime); ends != nil {
			r.Low, r.High = bound(ends[0]), bound(ends[1])
		}
		return r
	}), unit)...)
}

// ends are the names of the ends of an interval.
var ends = [2]string{"low", "high"}

// intervalOf returns the ends of the interval of a measure, nil if the policy does not have the measure.
func intervalOf(p *decide.BootstrapPolicy, name string) []float64 {
	for _, m := range p.Measures {
		if m.Name == name {
			return []float64{m.Low, m.High}
		}
	}
	return nil
}

// intervalObject returns the finite ends of an interval as JSON. An end is infinite if the policy is unstable for too many samples.
func intervalObject(interval []float64) output.Object {
	var o output.Object
	for k, v := range interval {
		if !math.IsInf(v, 0) {
			o.Add(ends[k], v)
		}
	}
	return o
}

// intervalRows returns the finite ends of all intervals as measures of CSV.
func intervalRows(rows []decide.BootstrapPolicy) *output.List {
	l := output.ListOf("", "", output.Long, output.RowsOf(rows, func(p decide.BootstrapPolicy) input.PolicyName { return input.NameOf(p.Policy) }), "")
	for _, name := range measureNames(rows) {
		for k, end := range ends {
			l.Columns = append(l.Columns, output.Column{Key: name + "_" + end, Value: func(i int) any {
				if interval := intervalOf(&rows[i], name); interval != nil {
					return interval[k]
				}
				return nil
			}})
		}
	}
	return l
}

// bound writes the bound of an interval.
func bound(v float64) string {
	if math.IsInf(v, 1) {
		return "unstable"
	}
	return output.Round(v, 4)
}
