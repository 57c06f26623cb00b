package decide

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/measure"
)

// Percents are the percentiles that are told of waiting and response times, those of [measure.ResponseTimePercentiles].
func Percents() []float64 { return []float64{50, 90, 95, 99} }

// Percentiles are those of the times of jobs under a policy.
type Percentiles struct {
	Times []TimePercentiles
	Bound float64 // largest error of the probabilities that belong to them; 0 if they are exact
	// Classes are those of the response times of each class, in the order of the Classes of [models.Measures].
	Classes []*Percentiles
}

// TimePercentiles are the percentiles of one time, in the order of [Percents].
type TimePercentiles struct {
	Name   string // waiting_time or response_time
	Values []float64
}

// Of returns the percentiles of the time of a name, nil if there are none.
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

// Percentiles returns the percentiles of a result, nil for a policy that has none. Under static partitioning they are
// exact; under dynamic partitioning a job is followed through the repartitions, which takes seconds, and is refused with
// markov.ErrTooLarge where it would take much longer.
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
	if class != "" {
		waiting = nil // jobs of all classes wait alike
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
