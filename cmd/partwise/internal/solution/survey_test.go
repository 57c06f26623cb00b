package solution_test

import (
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/solution"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
)

// Points as they come from sweeps, not in the order of their loads. What is expected is counted by hand.
func TestSurvey(t *testing.T) {
	unstable := []decide.Solved{{Policy: policy.Dynamic{}, Measures: models.Measures{Stable: false}}}
	points := []decide.Point{{Load: 0.9, Decision: decide.Decision{Results: unstable}}, {Load: 0.1, Decision: decide.Decision{Ratio: 1.001}},
		{Load: 0.3, Decision: decide.Decision{Ratio: 1.5}}, {Load: 0.5, Decision: decide.Decision{Ratio: 0.8}}, {Load: 0.7, Decision: decide.Decision{Ratio: 1.2}},
		{Load: 0.8, Decision: decide.Decision{Results: unstable}}}
	if got, want := solution.NewTally(points), (solution.Tally{Known: 4, Faster: 3, Slightly: 1, Most: 2}); got != want {
		t.Errorf("tally %+v, want %+v", got, want)
	}
	const pays = "dynamic partitioning pays from load 0.1 to 0.3 and at load 0.7, of the loads that were solved"
	if got := solution.Crossings(points); got != pays {
		t.Errorf("got %q, want %q", got, pays)
	}
	if got := solution.Onsets(points); len(got) != 1 || got[0].Load != 0.8 {
		t.Errorf("unstable from %v", got)
	}
	if got := solution.Thrashing(points); got != "" {
		t.Errorf("without repartitions: %s", got)
	}
	if _, least := solution.LeastAccuratePoint(points); least != nil {
		t.Errorf("least accurate: %v", least)
	}
}

// Thrashing is from the least to the largest load at which more than a threshold of the time goes into repartitions, and the
// most accurate bound is that of the point with the largest one.
func TestThrashingAndAccuracy(t *testing.T) {
	var points []decide.Point
	for _, q := range [][2]float64{{0.6, 0.7}, {0.2, 0.01}, {0.8, 0.9}} { // load, share of the time
		m := models.Measures{Stable: true, Repartitions: &models.Repartitions{Probability: q[1]}}
		m.Diagnostics.ErrorBound = q[0] / 1e6
		points = append(points, decide.Point{Load: q[0], Decision: decide.Decision{Results: []decide.Solved{{Policy: policy.Dynamic{}, Measures: m}}}})
	}
	const want = "thrashing from load 0.6 to 0.8: up to 90 % of the time goes into repartitioning (at load 0.8)"
	if got := solution.Thrashing(points); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if at, least := solution.LeastAccuratePoint(points); at != 2 || least == nil {
		t.Errorf("least accurate: point %d, %v", at, least)
	}
}

func TestLeastAccurate(t *testing.T) {
	with := func(p policy.Policy, stable bool, bound float64) decide.Solved {
		r := decide.Solved{Policy: p, Measures: models.Measures{Stable: stable}}
		r.Measures.Diagnostics.ErrorBound = bound
		return r
	}
	results := []decide.Solved{with(policy.Dynamic{}, true, 1e-13), with(policy.Static{Partitions: 2}, true, 1e-9),
		with(policy.Static{Partitions: 4}, false, 1)}
	if got := solution.LeastAccurate(results); got != &results[1] {
		t.Errorf("%+v", got)
	}
	if solution.LeastAccurate(results[2:]) != nil {
		t.Error("an unstable policy is accurate")
	}
}
