package decide

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/measure"
)

// Percents returns the percentiles that are reported for waiting and response times, in percent. They are the
// percentiles of [measure.ResponseTimePercentiles].
func Percents() []float64 { return []float64{50, 90, 95, 99} }

// Percentiles are percentiles of the waiting and response times of jobs under a policy.
type Percentiles struct {
	Times []TimePercentiles
	// Bound is the largest error of P(time ≤ t) at a percentile t. It includes the error bound of the solution.
	Bound float64
	// Classes are the percentiles of each class, in the order of models.Measures.Classes: of the response time and, for
	// rigid jobs, of the waiting time.
	Classes []*Percentiles
}

// TimePercentiles are the percentiles of one time. Values has one entry for each of [Percents].
type TimePercentiles struct {
	Name   string // waiting_time or response_time
	Values []float64
}

// Of returns the percentiles of the time with a name, nil if they are not known.
func (p *Percentiles) Of(name string) []float64 {
	if p != nil {
		for _, t := range p.Times {
			if t.Name == name {
				return t.Values
			}
		}
	}
	return nil
}

// Percentiles returns the percentiles of a result, nil if the policy is unstable. Under static partitioning they have the
// digits of the solution. Under dynamic partitioning the function follows one job through the repartitions, which takes
// seconds. The error wraps [models.ErrNoChain] if the policy has no exact percentiles. It wraps [markov.ErrTooLarge] if following a
// job would take much longer, or comes from ctx.
func (r *Solved) Percentiles(ctx context.Context) (*Percentiles, error) {
	if r == nil {
		return nil, nil
	}
	p, err := r.percentilesOf(ctx, "")
	for k := 0; p != nil && err == nil && k < len(r.Measures.Classes); k++ {
		var of *Percentiles
		of, err = r.percentilesOf(ctx, r.Measures.Classes[k].Name)
		p.Classes = append(p.Classes, of)
	}
	return p, err
}

// percentilesOf returns the percentiles of the jobs of a class, or of all jobs if class is empty.
func (r *Solved) percentilesOf(ctx context.Context, class string) (*Percentiles, error) {
	waiting, response, bound, err := r.Measures.Quantiles(ctx, class, measure.ResponseTimePercentiles())
	if err != nil {
		return nil, fmt.Errorf("%v: percentiles: %w", r.Policy, err)
	}
	if response == nil {
		return nil, nil
	}
	if class != "" && r.Measures.Rigid == nil {
		waiting = nil // only waiting times of rigid jobs depend on the class
	}
	all := &Percentiles{Bound: bound}
	for _, t := range []TimePercentiles{{"waiting_time", waiting}, {"response_time", response}} {
		if i := slices.IndexFunc(t.Values, math.IsNaN); i >= 0 {
			return nil, fmt.Errorf("%v: percentile %g of the %s: %w", r.Policy, Percents()[i], t.Name, markov.ErrNoConvergence)
		}
		if t.Values != nil {
			all.Times = append(all.Times, t)
		}
	}
	return all, nil
}
