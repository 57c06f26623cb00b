package main

import (
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
)

// tails are percentiles of the times of jobs under a static policy.
type tails struct {
	percents          []float64
	waiting, response []float64
}

// newTails returns the percentiles, nil for a policy that has none.
func newTails(s *models.System, r *models.Solved) (*tails, error) {
	return nil, nil
}

func (t *tails) object(values []float64) output.Object {
	var o output.Object
	for i, p := range t.percents {
		o.Add(output.Shortest(p), values[i])
	}
	return o
}
