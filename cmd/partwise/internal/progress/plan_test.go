package progress

import (
	"math"
	"testing"
	"time"
)

// TestPlan runs three parts that take longer than the plan expects: the first and the third twice as long, the second four
// times. The fraction never goes back and never exceeds 1. The first part promises too much; once the truth has caught up, at 36 of 60 s, the fraction is exact.
func TestPlan(t *testing.T) {
	var now time.Duration
	var passed, fractions []float64
	p := NewPlan(func(s State) {
		passed, fractions = append(passed, now.Seconds()), append(fractions, s.Fraction)
	}, 5, 5, 10)
	p.Now = func() time.Time { return time.Time{}.Add(now) }
	for _, seconds := range []int{10, 20, 30} {
		part := p.Begin()
		for i := range 100 {
			now += time.Duration(seconds) * 10 * time.Millisecond
			part.Show(State{Fraction: float64(i+1) / 100})
		}
	}
	for i, f := range fractions {
		switch {
		case f > 1 || f < 0 || i > 0 && f < fractions[i-1]:
			t.Errorf("fraction %v", f)
		case passed[i] > 36.1:
			if left := passed[i] * (1 - f) / f; math.Abs(left-(60-passed[i])) > 1e-6*60 {
				t.Errorf("after %v s: %v s left", passed[i], left)
			}
		}
	}
}

// TestExpect: what a part foretells counts, and the pace of the parts before it no more.
func TestExpect(t *testing.T) {
	var now time.Duration
	var last State
	p := NewPlan(func(s State) { last = s }, 1, 1, 1)
	p.Now = func() time.Time { return time.Time{}.Add(now) }
	p.Begin()
	now += 10 * time.Second
	p.Begin()
	if last.Left != 20*time.Second { // ten times as slow as expected
		t.Errorf("%v left", last.Left)
	}
	now += 5 * time.Second
	p.Expect(85)
	p.Begin()
	if last.Left != 85*time.Second || math.Abs(last.Fraction-0.15) > 0.2 {
		t.Errorf("%v left, fraction %g", last.Left, last.Fraction)
	}
}

// Steps of a part follow each other.
func TestPlanSteps(t *testing.T) {
	p := NewPlan(Hidden, 1)
	whole := p.Begin()
	whole.Step(0, 4).Show(State{Fraction: 1})
	if p.done != 0.25 {
		t.Errorf("done %v", p.done)
	}
	step := whole.Step(2, 4)
	step.Show(State{Fraction: 0.5})
	if math.Abs(p.done-0.625) > 1e-12 {
		t.Errorf("done %v", p.done)
	}
	step.Show(State{})
	if math.Abs(p.done-0.625) > 1e-12 {
		t.Error("it went back")
	}
	if (*Part)(nil).Step(0, 2) != nil {
		t.Error("a step of no part is one")
	}
}
