package productlimit

import (
	"math"
	"testing"
)

// TestComplete: without censoring and truncation the estimate is the empirical distribution, and its spread is 1.
func TestComplete(t *testing.T) {
	var events []Event
	for _, x := range []float64{1, 2, 2, 3, 5} {
		events = append(events, Event{X: x, Ended: 1})
	}
	e := New(t.Context(), events, 5, 5)
	for i, want := range []Step{{X: 1, Before: 1, After: .8}, {X: 2, Before: .8, After: .4}, {X: 3, Before: .4, After: .2}, {X: 5, Before: .2}} {
		got := e.Steps[i]
		if got.X != want.X || math.Abs(got.Before-want.Before)+math.Abs(got.After-want.After) > 1e-15 ||
			math.Abs(got.SpreadBefore-1)+math.Abs(got.SpreadAfter-1) > 1e-15 {
			t.Errorf("step %+v, want %+v with spread 1", got, want)
		}
	}
	if spreads := e.Spreads(t.Context(), func(x float64) float64 { return math.Exp(-x) }); spreads != nil {
		t.Errorf("spreads %v of complete data", spreads)
	}
}

// TestCensored compares the spread with its definition, for a time of 1, a lower bound of 2 and a time of 3.
func TestCensored(t *testing.T) {
	e := New(t.Context(), []Event{{X: 1, Ended: 1}, {X: 2, Left: 1}, {X: 3, Ended: 1}, {X: 4, Left: 1}}, 4, 4)
	greenwood := 4 * (1./(4*3) + 1./(2*1))
	if got, want := e.Steps[1].SpreadAfter, .75*.5*(1+greenwood); math.Abs(got-want) > 1e-15 {
		t.Errorf("spread %g, want %g", got, want)
	}
}

// TestGap: the estimate is for the times behind the gap, and a survival function leaves it the spread of its hazard.
func TestGap(t *testing.T) {
	events := []Event{{X: 1, Left: -1}, {X: 2, Ended: 1}, {X: 3, Left: -2}, {X: 4, Left: -1}, {X: 5, Ended: 2}, {X: 6, Ended: 1}}
	e := New(t.Context(), events, 0, 4)
	if e.Start != 3 || len(e.Steps) != 2 || math.Abs(e.Steps[0].After-1./3) > 1e-15 {
		t.Fatalf("%+v", e)
	}
	got := e.Spreads(t.Context(), func(x float64) float64 { return math.Exp(-x) })
	// The hazard 1 lasts for 1 with a weight of 2 at risk, for 1 with 3, and for 1 with 1.
	for i, want := range []float64{math.Exp(-2) * (1 + 4*(1./2+1./3)), math.Exp(-3) * (1 + 4*(1./2+1./3+1))} {
		if math.Abs(got[i]-want) > 1e-14 {
			t.Errorf("spread %g at step %d, want %g", got[i], i, want)
		}
	}
}
