package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/models"
)

// percents are the percentiles that are told of waiting and response times.
var percents = []float64{50, 90, 95, 99}

// tails are the percentiles of the times of jobs under a policy.
type tails struct {
	times []percentiles
	bound float64 // largest error of the probabilities that belong to them; 0 if they are exact
}

// percentiles are those of one time, in the order of percents.
type percentiles struct {
	name   string
	values []float64
}

// newTails returns the percentiles of a result, nil for a policy that has none.
func newTails(ctx context.Context, r *models.Solved) (*tails, error) {
	waiting, response, ok, err := r.Measures.Delays(ctx)
	if !ok {
		return followed(ctx, r)
	}
	if err != nil {
		return nil, fmt.Errorf("%v: percentiles: %w", r.Policy, err)
	}
	t := &tails{}
	for _, time := range []struct {
		name  string
		delay *multiserver.Delay
	}{{"waiting_time", waiting}, {"response_time", response}} {
		p := percentiles{name: time.name}
		for _, percent := range percents {
			v, err := time.delay.Quantile(ctx, percent/100)
			if err != nil {
				return nil, fmt.Errorf("%v: percentiles: %w", r.Policy, err)
			}
			p.values = append(p.values, v)
		}
		t.times = append(t.times, p)
	}
	return t, t.check(r.Policy)
}

// followed returns the percentiles under a policy whose jobs are followed through repartitions.
func followed(ctx context.Context, r *models.Solved) (*tails, error) {
	response, ok, err := r.Measures.Response(ctx)
	if !ok {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%v: percentiles: %w", r.Policy, err)
	}
	p := percentiles{name: "response_time"}
	for _, percent := range percents {
		low, high := response.Quantile(percent / 100)
		p.values = append(p.values, (low+high)/2)
	}
	t := &tails{bound: response.Lost(), times: []percentiles{p}}
	return t, t.check(r.Policy)
}

func (t *tails) check(policy models.Policy) error {
	for _, time := range t.times {
		for i, v := range time.values {
			if math.IsNaN(v) {
				return fmt.Errorf("%v: percentile %g: %w", policy, percents[i], markov.ErrNoConvergence)
			}
		}
	}
	return nil
}

// percentilesOf returns the percentiles of the results that are shown, if they were asked for or belong to the table of
// a single static policy. Those under dynamic partitioning take seconds, and are left out with a warning where they
// would take much longer.
func (inv *invocation) percentilesOf(shown []models.Solved) ([]*tails, error) {
	all := make([]*tails, len(shown))
	asked := inv.flags.Bool("percentiles")
	single := len(shown) == 1 && shown[0].Policy.Kind == models.Static
	if !asked && !(single && (inv.format == "table" || inv.format == "markdown")) {
		return all, nil
	}
	for i := range shown {
		var err error
		all[i], err = newTails(inv.ctx, &shown[i])
		switch {
		case err != nil && asked && !errors.Is(err, models.ErrTooLarge):
			return nil, err
		case err != nil:
			inv.warn("%v", err)
		}
	}
	return all, nil
}

func percentileObject(values []float64) output.Object {
	var o output.Object
	for i, p := range percents {
		o.Add(output.Shortest(p), values[i])
	}
	return o
}
