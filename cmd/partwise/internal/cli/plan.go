package cli

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
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
	report   func(fraction float64, left time.Duration)
	now      func() time.Time
}

// part is one of a plan.
type part struct {
	plan        *Plan
	index       int
	from, width float64 // share of the part that what it does now takes
}

// widths of the bar and of a fraction of it.
const planSteps = 1000

// Plan begins a plan of parts that are expected to take so many seconds each, and returns it with a function that clears
// what it shows.
func (inv *Invocation) Plan(what string, expected ...float64) (plan *Plan, clear func()) {
	plan = newPlan(expected, time.Now)
	plan.report, clear = inv.planReport(what)
	return plan, clear
}

func newPlan(expected []float64, now func() time.Time) *Plan {
	return &Plan{expected: expected, current: -1, began: now(), entered: now(), now: now,
		report: func(float64, time.Duration) {}}
}

// planReport returns what shows a fraction and how much time is left: a bar on a terminal, a line a minute elsewhere.
func (inv *Invocation) planReport(what string) (report func(float64, time.Duration), clear func()) {
	if inv.quiet {
		return func(float64, time.Duration) {}, func() {}
	}
	if os.Getenv("TERM") == "dumb" || !IsTerminal(inv.Stderr) {
		last := time.Now()
		return func(fraction float64, left time.Duration) {
			if now := time.Now(); now.Sub(last) >= time.Minute {
				last = now
				inv.Notef("%s: %.0f %% done, about %v left", what, 100*fraction, left.Round(time.Second))
			}
		}, func() {}
	}
	bar := progressbar.NewOptions(planSteps, progressbar.OptionSetWriter(inv.Stderr), progressbar.OptionSetWidth(30),
		progressbar.OptionSetPredictTime(false), progressbar.OptionClearOnFinish())
	// A bar that cannot be drawn is no reason to stop.
	return func(fraction float64, left time.Duration) {
		bar.Describe(fmt.Sprintf("%s, about %v left", what, left.Round(time.Second)))
		_ = bar.Set(int(planSteps * fraction))
	}, func() { _ = bar.Clear() }
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
	report := p.report
	p.report = func(fraction float64, left time.Duration) {
		see(p.now().Sub(p.began), fraction)
		report(fraction, left)
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

// Begin ends the part before and begins the next one: it returns an invocation whose progress is that of the part.
func (p *Plan) Begin(inv *Invocation) *Invocation {
	p.mu.Lock()
	now := p.now()
	if p.current >= 0 {
		p.spent += now.Sub(p.entered).Seconds()
		p.foreseen += p.expected[p.current]
	}
	p.current++
	p.entered, p.done = now, 0
	p.mu.Unlock()
	of := *inv
	of.part = &part{p, p.current, 0, 1}
	p.tell()
	return &of
}

// Step returns the invocation of the i-th, from 0, of n equal steps of a part of a plan; outside of one, the invocation as
// it is.
func (inv *Invocation) Step(i, n int) *Invocation {
	if inv.part == nil {
		return inv
	}
	of := *inv
	width := inv.part.width / float64(n)
	of.part = &part{inv.part.plan, inv.part.index, inv.part.from + float64(i)*width, width}
	return &of
}

// progress returns the function that tells how many of n steps of the part are done.
func (q *part) progress(n int) func(done int) {
	return func(done int) {
		q.plan.mu.Lock()
		if share := q.from + q.width*float64(done)/float64(max(n, 1)); q.plan.current == q.index && share > q.plan.done {
			q.plan.done = min(share, 1)
		}
		q.plan.mu.Unlock()
		q.plan.tell()
	}
}

// enough is the share of a part from which on its own pace says what is left of it.
const enough = 0.05

// tell reports the fraction of the time that has passed, and how much is left.
func (p *Plan) tell() {
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
	p.report(fraction, time.Duration(left*float64(time.Second)))
}
