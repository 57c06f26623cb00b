package main

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
)

// percents are the percentiles that are told of waiting and response times.
var percents = []float64{50, 90, 95, 99}

// tails are the percentiles of the times of jobs under a static policy.
type tails struct{ waiting, response []float64 }

// newTails returns the percentiles of a result, nil for a policy that has none.
func newTails(r *models.Solved) (*tails, error) {
	waiting, response, ok, err := r.Measures.Delays()
	if !ok {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%v: percentiles: %w", r.Policy, err)
	}
	t := &tails{}
	for _, p := range percents {
		w, s := waiting.Quantile(p/100), response.Quantile(p/100)
		if math.IsNaN(w) || math.IsNaN(s) {
			return nil, fmt.Errorf("%v: percentile %g: %w", r.Policy, p, markov.ErrNoConvergence)
		}
		t.waiting = append(t.waiting, w)
		t.response = append(t.response, s)
	}
	return t, nil
}

// percentilesOf returns the percentiles of the results that are shown, if they were asked for or belong to the table of
// a single policy.
func (inv *invocation) percentilesOf(shown []models.Solved) ([]*tails, error) {
	all := make([]*tails, len(shown))
	asked := inv.flags.Bool("percentiles")
	if !asked && (len(shown) != 1 || inv.format != "table" && inv.format != "markdown") {
		return all, nil
	}
	for i := range shown {
		var err error
		all[i], err = newTails(&shown[i])
		switch {
		case err != nil && asked:
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
