package progress

import (
	"sync"
	"time"
)

// Plan is the progress of a command that does several things one after the other, shown as one. What is left of a part
// that has come far enough follows from how far it has come; what parts to come will take is what the plan expects, times
// what the parts before took over what was expected of them.
type Plan struct {
	mu       sync.Mutex
	telling  sync.Mutex // one at a time
	expected []float64  // seconds of each part
	current  int
	began    time.Time // the plan
	entered  time.Time // the current part
	done     float64   // share of the current part
	spent    float64   // seconds of the finished parts
	foreseen float64   // what was expected of those
	show     Display
	now      func() time.Time
}

// Part is one of a plan; nil is a part of none.
type Part struct {
	plan        *Plan
	index       int
	from, width float64 // share of the part that what it does now takes
}

// NewPlan begins a plan of parts that are expected to take so many seconds each.
func NewPlan(show Display, expected ...float64) *Plan { return newPlan(show, time.Now, expected) }

func newPlan(show Display, now func() time.Time, expected []float64) *Plan {
	return &Plan{expected: append([]float64(nil), expected...), current: -1, began: now(), entered: now(), now: now, show: show}
}

// Clock replaces the clock by another that shows the time since the plan began.
func (p *Plan) Clock(passed func() time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = func() time.Time { return time.Unix(0, 0).Add(passed()) }
	p.began = time.Unix(0, 0)
	p.entered = p.began
}

// Passed returns the time since the plan began.
func (p *Plan) Passed() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now().Sub(p.began)
}

// Watch has a function told of every change of the fraction that is done, at the time that has passed.
func (p *Plan) Watch(see func(passed time.Duration, fraction float64)) {
	p.telling.Lock()
	defer p.telling.Unlock()
	show := p.show
	p.show = func(s State) {
		see(p.now().Sub(p.began), s.Fraction)
		show(s)
	}
}

// Expect replaces what is expected of a part to come, in seconds as fast as the parts before were.
func (p *Plan) Expect(i int, seconds float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expected[i] = seconds / p.speed()
}

// speed returns what the finished parts took over what was expected of them.
func (p *Plan) speed() float64 {
	if p.foreseen == 0 || p.spent == 0 {
		return 1
	}
	return p.spent / p.foreseen
}

// Begin ends the part before and begins the next one.
func (p *Plan) Begin() *Part {
	p.mu.Lock()
	now := p.now()
	if p.current >= 0 {
		p.spent += now.Sub(p.entered).Seconds()
		p.foreseen += p.expected[p.current]
	}
	p.current++
	p.entered, p.done = now, 0
	index := p.current
	p.mu.Unlock()
	p.tell("")
	return &Part{p, index, 0, 1}
}

// Step returns the i-th, from 0, of n equal steps of a part.
func (q *Part) Step(i, n int) *Part {
	if q == nil {
		return nil
	}
	width := q.width / float64(n)
	return &Part{q.plan, q.index, q.from + float64(i)*width, width}
}

// Show shows the state of the part as one of the plan.
func (q *Part) Show(s State) {
	q.plan.mu.Lock()
	if share := q.from + q.width*s.Fraction; q.plan.current == q.index && share > q.plan.done {
		q.plan.done = min(share, 1)
	}
	q.plan.mu.Unlock()
	q.plan.tell(s.Details)
}

// enough is the share of a part from which on its own pace says what is left of it.
const enough = 0.05

// tell reports the fraction of the time that has passed, and how much is left.
func (p *Plan) tell(details string) {
	p.telling.Lock()
	defer p.telling.Unlock()
	p.mu.Lock()
	now := p.now()
	speed := p.speed()
	left := 0.0
	if p.current >= 0 && p.current < len(p.expected) {
		passed := now.Sub(p.entered).Seconds()
		if p.done >= enough {
			left = passed * (1 - p.done) / p.done
		} else {
			left = max(0, speed*p.expected[p.current]-passed)
		}
	}
	for _, x := range p.expected[min(p.current+1, len(p.expected)):] {
		left += speed * x
	}
	passed := now.Sub(p.began).Seconds()
	fraction := 1.0
	if left > 0 {
		fraction = passed / (passed + left)
	}
	p.mu.Unlock()
	p.show(State{fraction, time.Duration(left * float64(time.Second)), details})
}
