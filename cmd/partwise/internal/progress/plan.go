package progress

import (
	"slices"
	"sync"
	"time"
)

// Plan shows one progress for a command that does several parts, one after the other. The rest of the current part is
// estimated from its fraction and its expected time. A later part is expected to take its expected time. Plan is safe
// for concurrent use.
type Plan struct {
	Show Display          // gets one state at a time
	Now  func() time.Time // the clock

	mu       sync.Mutex // guards what follows, and calls of Show
	expected []float64  // seconds of each part
	current  int
	began    time.Time // when the plan began
	entered  time.Time // when the current part began
	done     float64   // fraction of the current part
	measured bool      // see State
	took     []float64 // seconds of each finished part
	shown    float64   // the largest fraction that has been shown
}

// Part is a part of a plan, or a step of a part. A nil Part belongs to no plan.
type Part struct {
	plan        *Plan
	index       int
	from, width float64 // of the part: where the step begins, and its share
}

// NewPlan returns a plan of parts that are expected to take so many seconds each. show gets every state of the plan.
// The plan begins when its first part begins.
func NewPlan(show Display, expected ...float64) *Plan {
	return &Plan{Show: show, Now: time.Now, expected: slices.Clone(expected), current: -1}
}

// Took returns the seconds that a part took, or has taken so far; 0 for a part that has not begun.
func (p *Plan) Took(part int) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case part < len(p.took):
		return p.took[part]
	case part == p.current:
		return p.Now().Sub(p.entered).Seconds()
	}
	return 0
}

// Expect replaces the expected times, in seconds, of the parts after the current one.
func (p *Plan) Expect(seconds ...float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	copy(p.expected[p.current+1:], seconds)
}

// Begin ends the current part, begins the next part, and shows the state of the plan.
func (p *Plan) Begin() *Part {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.Now()
	if p.current < 0 {
		p.began = now
	} else {
		p.took = append(p.took, now.Sub(p.entered).Seconds())
	}
	p.current++
	p.entered, p.done, p.measured = now, 0, false
	p.tell("")
	return &Part{p, p.current, 0, 1}
}

// Step returns the i-th of n equal steps of a part, i from 0, so that a step can be divided as a part can. The step of a nil Part
// is nil.
func (q *Part) Step(i, n int) *Part {
	if q == nil {
		return nil
	}
	width := q.width / float64(n)
	return &Part{q.plan, q.index, q.from + float64(i)*width, width}
}

// Show shows the state of the part as a state of the plan. The fraction of a part becomes smaller only if it is measured.
func (q *Part) Show(s State) {
	p := q.plan
	p.mu.Lock()
	defer p.mu.Unlock()
	if done := min(q.from+q.width*s.Fraction, 1); p.current == q.index && (s.Measured || done > p.done) {
		p.done, p.measured = done, s.Measured
	}
	p.tell(s.Details)
}

// tell shows the fraction of the plan's time that has passed, and the time that is left. The caller holds the lock.
func (p *Plan) tell(details string) {
	now, left := p.Now(), 0.0
	if p.current >= 0 && p.current < len(p.expected) {
		// The more of the part is done, the more its own pace counts, because the first steps may be quick. The pace of a
		// measured fraction counts three times as much.
		passed, expected, own := now.Sub(p.entered).Seconds(), p.expected[p.current], p.done
		if p.measured {
			own = min(3*own, 1)
		}
		if p.done == 0 {
			left = max(0, expected-passed)
		} else {
			left = (1 - p.done) * (own/p.done*passed + (1-own)*expected)
		}
	}
	for _, x := range p.expected[min(p.current+1, len(p.expected)):] {
		left += x
	}
	passed, fraction := now.Sub(p.began).Seconds(), 1.0
	if left > 0 {
		fraction = passed / (passed + left)
	}
	p.shown = max(p.shown, fraction) // the fraction does not go back, but the time left may grow
	p.Show(State{Fraction: p.shown, Left: time.Duration(left * float64(time.Second)), Details: details})
}
