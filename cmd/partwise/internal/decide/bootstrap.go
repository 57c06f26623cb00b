package decide

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/bootstrap"
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
	set markov.Settings, to *cli.Result) error {
	again, err := file.Resampler(bootstrapSeed)
	if errors.Is(err, modelfile.ErrNothingFitted) {
		return cli.Failf(cli.ExitInput, "%s: --bootstrap: %w", file.File, err)
	}
	if err != nil {
		return err
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
	r, err := bootstrap.Run(inv.Context, solved, draw,
		bootstrap.Options{Samples: samples, Settings: set, Workers: inv.Workers})
	if err != nil {
		return model.MethodError(set.Method, err)
	}
	shown := map[string]bool{}
	for _, s := range model.Shown(asked, solved) {
		shown[s.Policy.String()] = true
	}
	t := output.Table{Title: fmt.Sprintf("95 %% intervals of the mean response time, from %d samples of the measurements", samples),
		Columns: []output.Column{{Name: "policy"}, {Name: "low [" + file.TimeUnit.Name + "]", Number: true},
			{Name: "high [" + file.TimeUnit.Name + "]", Number: true}, {Name: "unstable", Number: true}}}
	var rows []output.Object
	for _, p := range r.Policies {
		if !shown[p.Policy.String()] {
			continue
		}
		o := model.PolicyObject(p.Policy)
		for _, m := range p.Measures {
			o.Add(m.Name, intervalObject(m.Interval))
			to.CSV = append(to.CSV, intervalRows(p.Policy, m)...)
			if m.Name == measure.MeanResponseTime {
				t.Rows = append(t.Rows, []string{p.Policy.String(), bound(m.Low), bound(m.High),
					output.Percent(float64(p.Unstable) / float64(samples))})
			}
		}
		o.Add("probability_unstable", float64(p.Unstable)/float64(samples))
		rows = append(rows, o)
	}
	boot := output.Object{{Name: "samples", Value: samples}, {Name: "confidence", Value: 0.95}, {Name: "results", Value: rows}}
	if same(r) {
		to.JSON.Add("bootstrap", output.Object{{Name: "samples", Value: samples}})
		to.Notes = append(to.Notes, "All samples are the same, as those of a log of less than two weeks are: they do not tell "+
			"how sure the answer is.")
		return nil
	}
	if asked.Every && !math.IsNaN(r.ProbabilityDynamic) {
		boot.Add("ratio", intervalObject(r.Ratio))
		boot.Add("probability_dynamic_wins", r.ProbabilityDynamic)
		to.Notes = append(to.Notes, fmt.Sprintf("Dynamic partitioning wins in %s of %d samples of the measurements; 95 %% of the "+
			"ratios lie between %s and %s.", output.Percent(r.ProbabilityDynamic), samples, bound(r.Ratio.Low), bound(r.Ratio.High)))
	}
	to.JSON.Add("bootstrap", boot)
	to.Tables = append(to.Tables, t)
	return nil
}

// same reports whether no measure differs between the samples.
func same(r *bootstrap.Result) bool {
	for _, p := range r.Policies {
		for _, m := range p.Measures {
			if m.Low != m.High {
				return false
			}
		}
	}
	return true
}

// intervalObject leaves out a bound that is infinite: the policy is unstable for too many samples.
func intervalObject(i bootstrap.Interval) output.Object {
	var o output.Object
	if !math.IsInf(i.Low, 0) {
		o.Add("low", i.Low)
	}
	if !math.IsInf(i.High, 0) {
		o.Add("high", i.High)
	}
	return o
}

// intervalRows are the bounds of an interval that are finite, as measures of their own.
func intervalRows(p policy.Policy, m bootstrap.Measure) [][]string {
	var rows [][]string
	for _, b := range []struct {
		end   string
		value float64
	}{{"_low", m.Low}, {"_high", m.High}} {
		if !math.IsInf(b.value, 0) {
			rows = append(rows, append(model.PolicyCells(p), m.Name+b.end, output.Shortest(b.value)))
		}
	}
	return rows
}

// bound writes the bound of an interval.
func bound(v float64) string {
	if math.IsInf(v, 1) {
		return "unstable"
	}
	return output.Round(v, 4)
}
