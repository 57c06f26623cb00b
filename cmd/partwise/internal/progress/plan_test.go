package progress

import (
	"math"
	"testing"
	"time"
)

// TestPlan runs three parts, of which the plan expects half of the time of the first and of the third, and a quarter of that of the
// second. The fraction never goes back and never exceeds 1. What a part foretells while it runs counts, so that the fraction is exact
// from the end of the second part on.
func TestPlan(t *testing.T) {
	var now time.Duration
	var passed, fractions []float64
	p := NewPlan(func(s State) {
		passed, fractions = append(passed, now.Seconds()), append(fractions, s.Fraction)
	}, 5, 5, 10)
	p.Now = func() time.Time { return time.Time{}.Add(now) }
	for k, seconds := range []int{10, 20, 30} {
		if k == 2 {
			p.Expect(30)
		}
		part := p.Begin()
		for i := range 100 {
			now += time.Duration(seconds) * 10 * time.Millisecond
			part.Show(State{Fraction: float64(i+1) / 100})
		}
		if took := p.Took(k); math.Abs(took-float64(seconds)) > 1e-9 || p.Took(k+1) != 0 {
			t.Errorf("part %d took %g s", k, took)
		}
	}
	for i, f := range fractions {
		switch {
		case f > 1 || f < 0 || i > 0 && f < fractions[i-1]:
			t.Errorf("fraction %v", f)
		case passed[i] > 45: // the truth has caught up with the promises of the first parts
			if left := passed[i] * (1 - f) / f; math.Abs(left-(60-passed[i])) > 1e-6*60 {
				t.Errorf("after %v s: %v s left", passed[i], left)
			}
		}
	}
}

// TestMeasured: a fraction of measured costs counts alone from a third on, and may become smaller.
func TestMeasured(t *testing.T) {
	var now time.Duration
	var last State
	p := NewPlan(func(s State) { last = s }, 1, 10)
	p.Now = func() time.Time { return time.Time{}.Add(now) }
	part := p.Begin()
	for fraction, left := range map[float64]time.Duration{0.5: 20 * time.Second, 0.4: 25 * time.Second} {
		now = 10 * time.Second
		part.Show(State{Fraction: fraction, Measured: true})
		if math.Abs((last.Left - left).Seconds()) > 1e-6 {
			t.Errorf("%v left in place of %v", last.Left, left)
		}
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
