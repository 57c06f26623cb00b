package decide

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/markov"
)

// Percents are the percentiles that are told of waiting and response times.
var Percents = []float64{50, 90, 95, 99}

// Percentiles are those of the times of jobs under a policy.
type Percentiles struct {
	Times []TimePercentiles
	Bound float64 // largest error of the probabilities that belong to them; 0 if they are exact
}

// TimePercentiles are the percentiles of one time, in the order of [Percents].
type TimePercentiles struct {
	Name   string // waiting_time or response_time
	Values []float64
}

// Percentiles returns the percentiles of a result, nil for a policy that has none. Under static partitioning they are
// exact; under dynamic partitioning a job is followed through the repartitions, which takes seconds, and is refused
// with models.ErrTooLarge where it would take much longer.
func (r *Solved) Percentiles() (*Percentiles, error) {
	waiting, response, ok, err := r.Measures.Delays()
	if !ok {
		return r.followed()
	}
	if err != nil {
		return nil, fmt.Errorf("%v: percentiles: %w", r.Policy, err)
	}
	p := &Percentiles{Times: []TimePercentiles{
		percentilesOf("waiting_time", waiting.Quantile), percentilesOf("response_time", response.Quantile),
	}}
	return p, p.check(r)
}

// followed returns the percentiles under a policy whose jobs are followed through repartitions.
func (r *Solved) followed() (*Percentiles, error) {
	response, ok, err := r.Measures.Response()
	if !ok {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%v: percentiles: %w", r.Policy, err)
	}
	p := &Percentiles{Bound: response.Lost(), Times: []TimePercentiles{
		percentilesOf("response_time", func(p float64) float64 {
			low, high := response.Quantile(p)
			return (low + high) / 2
		})}}
	return p, p.check(r)
}

func percentilesOf(name string, quantile func(p float64) float64) TimePercentiles {
	t := TimePercentiles{Name: name}
	for _, percent := range Percents {
		t.Values = append(t.Values, quantile(percent/100))
	}
	return t
}

func (p *Percentiles) check(r *Solved) error {
	for _, t := range p.Times {
		for i, v := range t.Values {
			if math.IsNaN(v) {
				return fmt.Errorf("%v: percentile %g of the %s: %w", r.Policy, Percents[i], t.Name, markov.ErrNoConvergence)
			}
		}
	}
	return nil
}
