package decide_test

import (
	"math"
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
		{Load: 0.3, Decision: decide.Decision{Ratio: 1.5}}, {Load: 0.5, Decision: decide.Decision{Ratio: 0.8}},
		{Load: 0.7, Decision: decide.Decision{Ratio: 1.2}},
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

// Rigid jobs saturate where their traffic intensity is 1: at 0.9/1.2 of the capacity, by the point at load 0.9.
func TestRigidLimit(t *testing.T) {
	rigid := func(load, intensity float64) decide.Point {
		m := models.Measures{Stable: intensity < 1, TrafficIntensity: intensity}
		return decide.Point{Load: load, Decision: decide.Decision{Results: []decide.Solved{{Policy: policy.FCFS{}, Measures: m}}}}
	}
	if got := decide.RigidLimit([]decide.Point{rigid(0.6, 0.8), rigid(0.9, 1.2)}); math.Abs(got-0.75) > 1e-15 {
		t.Errorf("saturated at load %v, want 0.75", got)
	}
	if got := decide.RigidLimit([]decide.Point{rigid(0.6, 0.8), {Load: 0.9}}); got != 0 {
		t.Errorf("stable jobs saturate at load %v", got)
	}
}

// Dynamic partitioning thrashes at some loads, at one of them most. A machine that resizes jobs while others run does not thrash.
func TestThrashingLoads(t *testing.T) {
	at := func(load, share float64, partial bool) decide.Point {
		m := models.Measures{Stable: true, Repartitions: &models.Repartitions{Probability: share, Partial: partial}}
		return decide.Point{Load: load, Decision: decide.Decision{Results: []decide.Solved{{Policy: policy.Dynamic{}, Measures: m}}}}
	}
	got := decide.ThrashingLoads([]decide.Point{at(0.9, 0.3, false), at(0.2, 0.1, false), at(0.5, 0.4, false), at(0.95, 0.9, true)})
	if want := (decide.Thrashing{From: 0.5, To: 0.9, Share: 0.4, At: 0.5}); got == nil || *got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := decide.ThrashingLoads([]decide.Point{at(0.2, 0.1, false), {Load: 0.9}}); got != nil {
		t.Errorf("thrashes at %+v", got)
	}
}
