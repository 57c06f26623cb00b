package cli

import (
	"math"
	"testing"
	"time"
)

// Three parts of which the plan expects half of what they take, the second twice as slow as that again: from the middle of
// the second on, what is left is known, and the fraction never exceeds 1.
func TestPlan(t *testing.T) {
	now := time.Unix(0, 0)
	p := newPlan([]float64{5, 5, 10}, func() time.Time { return now })
	inv := &Invocation{quiet: true}
	var passed, fractions []float64
	p.Watch(func(at time.Duration, fraction float64) {
		passed, fractions = append(passed, at.Seconds()), append(fractions, fraction)
	})
	for _, seconds := range []int{10, 20, 30} {
		in := p.Begin(inv)
		step, clear := in.Progress(100, "working")
		for i := range 100 {
			now = now.Add(time.Duration(seconds) * 10 * time.Millisecond)
			step(i + 1)
		}
		clear()
	}
	for i, f := range fractions {
		switch {
		case f > 1 || f < 0:
			t.Errorf("fraction %v", f)
		case passed[i] > 30.1:
			if left := passed[i] * (1 - f) / f; math.Abs(left-(60-passed[i])) > 1e-6*60 {
				t.Errorf("after %v s: %v s left", passed[i], left)
			}
		}
	}
	if p.Expect(2, 30); math.Abs(p.expected[2]-10) > 1e-9 { // at three times the pace of the plan
		t.Errorf("%v expected", p.expected[2])
	}
}

// Steps of a part follow each other.
func TestPlanSteps(t *testing.T) {
	p := newPlan([]float64{1}, time.Now)
	whole := p.Begin(&Invocation{quiet: true})
	step, _ := whole.Step(0, 4).Progress(10, "one")
	step(10)
	if p.done != 0.25 {
		t.Errorf("done %v", p.done)
	}
	step, _ = whole.Step(2, 4).Progress(2, "two")
	step(1)
	if math.Abs(p.done-0.625) > 1e-12 {
		t.Errorf("done %v", p.done)
	}
	step(0)
	if math.Abs(p.done-0.625) > 1e-12 {
		t.Error("it went back")
	}
	if alone := (&Invocation{}); alone.Step(0, 2) != alone {
		t.Error("an invocation without a plan is not itself")
	}
}
