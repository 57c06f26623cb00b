package sweep_test

import (
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/sweep"
)

// Points as they come from sweeps, not in the order of their loads. What is expected is counted by hand.
func TestSurvey(t *testing.T) {
	unstable := []decide.Solved{{Policy: policy.Dynamic{}, Measures: models.Measures{Stable: false}}}
	points := []decide.Point{{Load: 0.9, Decision: decide.Decision{Results: unstable}}, {Load: 0.1, Decision: decide.Decision{Ratio: 1.001}},
		{Load: 0.3, Decision: decide.Decision{Ratio: 1.5}}, {Load: 0.5, Decision: decide.Decision{Ratio: 0.8}},
		{Load: 0.7, Decision: decide.Decision{Ratio: 1.2}},
		{Load: 0.8, Decision: decide.Decision{Results: unstable}}}
	const pays = "dynamic partitioning pays from load 0.1 to 0.3 and at load 0.7, of the loads that were solved"
	if got := sweep.Crossings(points); got != pays {
		t.Errorf("got %q, want %q", got, pays)
	}
	if got := sweep.Thrashing(points); got != "" {
		t.Errorf("without repartitions: %s", got)
	}
}

// Thrashing is from the least to the largest load at which more than a threshold of the time goes into repartitions.
func TestThrashingOverLoads(t *testing.T) {
	var points []decide.Point
	for _, q := range [][2]float64{{0.6, 0.7}, {0.2, 0.01}, {0.8, 0.9}} { // load, share of the time
		m := models.Measures{Stable: true, Repartitions: &models.Repartitions{Probability: q[1]}}
		points = append(points, decide.Point{Load: q[0], Decision: decide.Decision{Results: []decide.Solved{{Policy: policy.Dynamic{}, Measures: m}}}})
	}
	const want = "thrashing from load 0.6 to 0.8: up to 90 % of the time goes into repartitioning (at load 0.8)"
	if got := sweep.Thrashing(points); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
