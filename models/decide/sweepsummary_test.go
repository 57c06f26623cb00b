package decide_test

import (
	"slices"
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
)

// TestSurvey takes points as they come from sweeps, not in the order of their loads. What is expected is counted by hand.
func TestSurvey(t *testing.T) {
	unstable := []decide.Solved{{Policy: policy.Dynamic{}, Measures: models.Measures{Stable: false}}}
	points := []decide.Point{{Load: 0.9, Decision: decide.Decision{Results: unstable}}, {Load: 0.1, Decision: decide.Decision{Ratio: 1.001}},
		{Load: 0.3, Decision: decide.Decision{Ratio: 1.5}}, {Load: 0.5, Decision: decide.Decision{Ratio: 0.8}}, {Load: 0.7, Decision: decide.Decision{Ratio: 1.2}},
		{Load: 0.8, Decision: decide.Decision{Results: unstable}}}
	if got, want := decide.NewTally(points), (decide.Tally{Known: 4, Faster: 3, Slightly: 1, Most: 2}); got != want {
		t.Errorf("tally %+v, want %+v", got, want)
	}
	pays, want := decide.Paying(decide.Compared(points)), [][2]float64{{0.1, 0.3}, {0.7, 0.7}}
	if !slices.Equal(pays, want) {
		t.Errorf("pays at %v, want %v", pays, want)
	}
	if got := decide.Onsets(points); len(got) != 1 || got[0].Load != 0.8 {
		t.Errorf("unstable from %v", got)
	}
	if _, least := decide.LeastAccuratePoint(points); least != nil {
		t.Errorf("least accurate: %v", least)
	}
}

// TestLeastAccuratePoint: the least accurate point is the point with the largest bound of the error.
func TestLeastAccuratePoint(t *testing.T) {
	var points []decide.Point
	for _, load := range []float64{0.6, 0.2, 0.8} {
		m := models.Measures{Stable: true}
		m.Diagnostics.ErrorBound = load / 1e6
		points = append(points, decide.Point{Load: load, Decision: decide.Decision{Results: []decide.Solved{{Policy: policy.Dynamic{}, Measures: m}}}})
	}
	if at, least := decide.LeastAccuratePoint(points); at != 2 || least == nil {
		t.Errorf("least accurate: point %d, %v", at, least)
	}
}

// TestLeastAccurate: the least accurate result is a stable one.
func TestLeastAccurate(t *testing.T) {
	with := func(p policy.Policy, stable bool, bound float64) decide.Solved {
		r := decide.Solved{Policy: p, Measures: models.Measures{Stable: stable}}
		r.Measures.Diagnostics.ErrorBound = bound
		return r
	}
	results := []decide.Solved{with(policy.Dynamic{}, true, 1e-13), with(policy.Static{Partitions: 2}, true, 1e-9),
		with(policy.Static{Partitions: 4}, false, 1)}
	if got := decide.LeastAccurate(results); got != &results[1] {
		t.Errorf("%+v", got)
	}
	if decide.LeastAccurate(results[2:]) != nil {
		t.Error("an unstable policy is accurate")
	}
}
