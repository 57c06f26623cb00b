package decide

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
)

// Percents are the percentiles that are told of waiting and response times.
func Percents() []float64 { return slices.Clone(percents) }

var percents = []float64{50, 90, 95, 99}

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
	// HalfWidths are those of the confidence intervals of values that were simulated by whoever adds them; nil of those that
	// were solved.
	HalfWidths []float64
}

// Of returns the percentiles of the time of a name, nil if there are none.
func (p *Percentiles) Of(name string) *TimePercentiles {
	if p == nil {
		return nil
	}
	i := slices.IndexFunc(p.Times, func(t TimePercentiles) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return &p.Times[i]
}

// Simulated reports whether the percentiles were simulated.
func (p *Percentiles) Simulated() bool {
	return p != nil && len(p.Times) > 0 && p.Times[0].HalfWidths != nil
}

// Percentiles returns the percentiles of a result, nil for a policy that has none. Under static partitioning they are
// exact; under dynamic partitioning a job is followed through the repartitions, which takes seconds, and is refused with
// models.ErrTooLarge where it would take much longer.
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
	waiting, response, ok, err := r.Measures.Delays(ctx, class)
	if !ok {
		return r.followed(ctx, class)
	}
	if err != nil {
		return nil, fmt.Errorf("%v: percentiles: %w", r.Policy, err)
	}
	p := &Percentiles{}
	for _, t := range []struct {
		name  string
		delay *multiserver.Delay
	}{{"waiting_time", waiting}, {"response_time", response}} {
		if class != "" && t.delay == waiting {
			continue // jobs of all classes wait alike
		}
		times, err := percentiles(ctx, t.name, func(p float64) (float64, error) { return t.delay.Quantile(ctx, p) })
		if err != nil {
			return nil, fmt.Errorf("%v: percentiles: %w", r.Policy, err)
		}
		p.Times = append(p.Times, times)
	}
	return p, p.check(r)
}

// followed returns the percentiles under a policy whose jobs are followed through repartitions.
func (r *Solved) followed(ctx context.Context, class string) (*Percentiles, error) {
	response, ok, err := r.Measures.Response(ctx, class)
	if !ok {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%v: percentiles: %w", r.Policy, err)
	}
	times, err := percentiles(ctx, "response_time", func(p float64) (float64, error) {
		low, high := response.Quantile(p)
		return (low + high) / 2, nil
	})
	if err != nil {
		return nil, err
	}
	p := &Percentiles{Bound: response.Lost(), Times: []TimePercentiles{times}}
	return p, p.check(r)
}

func percentiles(ctx context.Context, name string, quantile func(p float64) (float64, error)) (TimePercentiles, error) {
	t := TimePercentiles{Name: name}
	for _, percent := range percents {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		v, err := quantile(percent / 100)
		if err != nil {
			return t, err
		}
		t.Values = append(t.Values, v)
	}
	return t, nil
}

func (p *Percentiles) check(r *Solved) error {
	for _, t := range p.Times {
		for i, v := range t.Values {
			if math.IsNaN(v) {
				return fmt.Errorf("%v: percentile %g of the %s: %w", r.Policy, percents[i], t.Name, markov.ErrNoConvergence)
			}
		}
	}
	return nil
}
