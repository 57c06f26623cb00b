package decide

import (
	"slices"
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
)

// Points as they come from sweeps, not in the order of their loads. What is expected is counted by hand.
func TestSurvey(t *testing.T) {
	unstable := []Solved{{Policy: policy.Dynamic{}, Measures: models.Measures{Stable: false}}}
	points := []Point{{Load: 0.9, Decision: Decision{Results: unstable}}, {Load: 0.1, Decision: Decision{Ratio: 1.001}},
		{Load: 0.3, Decision: Decision{Ratio: 1.5}}, {Load: 0.5, Decision: Decision{Ratio: 0.8}}, {Load: 0.7, Decision: Decision{Ratio: 1.2}},
		{Load: 0.8, Decision: Decision{Results: unstable}}}
	if got, want := NewTally(points), (Tally{Known: 4, Faster: 3, Slightly: 1, Most: 2}); got != want {
		t.Errorf("tally %+v, want %+v", got, want)
	}
	known := Compared(points)
	if len(known) != 4 || known[0].Load != 0.1 || known[3].Load != 0.7 {
		t.Errorf("compared: %v", known)
	}
	if got, want := Paying(known), [][2]float64{{0.1, 0.3}, {0.7, 0.7}}; !slices.Equal(got, want) {
		t.Errorf("pays at %v, want %v", got, want)
	}
	if got := Onsets(points); len(got) != 1 || got[0].Load != 0.8 {
		t.Errorf("unstable from %v", got)
	}
	if _, found := NewThrashing(points); found {
		t.Error("thrashes without repartitions")
	}
	if _, least := LeastAccuratePoint(points); least != nil {
		t.Errorf("least accurate: %v", least)
	}
}

// Thrashing is from the least to the largest load at which more than a threshold of the time goes into repartitions, and the
// most accurate bound is that of the point with the largest one.
func TestThrashingAndAccuracy(t *testing.T) {
	var points []Point
	for _, q := range [][2]float64{{0.6, 0.7}, {0.2, 0.01}, {0.8, 0.9}} { // load, share of the time
		m := models.Measures{Stable: true, Repartitions: &models.Repartitions{Probability: q[1]}}
		m.Diagnostics.ErrorBound = q[0] / 1e6
		points = append(points, Point{Load: q[0], Decision: Decision{Results: []Solved{{Policy: policy.Dynamic{}, Measures: m}}}})
	}
	if got, found := NewThrashing(points); !found || got != (Thrashing{From: 0.6, To: 0.8, At: 0.8, Share: 0.9}) {
		t.Errorf("thrashing %+v, %v", got, found)
	}
	if at, least := LeastAccuratePoint(points); at != 2 || least == nil {
		t.Errorf("least accurate: point %d, %v", at, least)
	}
}
