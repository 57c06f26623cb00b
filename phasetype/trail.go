package phasetype

import (
	"context"
	"math"
	"slices"
	"sync"
)

// trail holds the state of the chain, from time 0 on, at equal intervals. The distribution over the phases often tends
// to a limit; the states after it follow from a constant hazard rate.
type trail struct {
	walk     *uniformized
	interval float64 // time between two states
	direct   float64 // time up to which uniformization takes less time than the table of powers
	tries    int     // number of intervals in which a steady state is looked for before the table is made

	mu     sync.Mutex
	states []state
	steady bool // the distribution over the phases does not change after the last of states
}

type state struct {
	v             []float64
	log, absorbed float64
}

// quickTable is the number of phases below which the table of powers is made in microseconds; it evaluates faster.
const quickTable = 16

// init sets the times of the trail of a chain. The trail has at most about as many states as the chain has phases.
func (t *trail) init(u *uniformized) {
	n := float64(len(u.stay))
	var direct float64 // events
	switch {
	case u.matrix == nil:
		direct = 4 * n * n * n / (n + float64(len(u.jumps)))
	case n < quickTable:
		direct = 4 * n
	default:
		direct = 8 * n
	}
	interval := strideEvents * math.Ceil(direct/(strideEvents*n))
	t.walk, t.interval, t.direct, t.tries = u, interval/u.rate, direct/u.rate, int(4*n/interval)
}

// advance moves p, which is at time 0, forward by the time x. It succeeds if x is at most t.direct, or if the distribution
// over the phases is steady after t.tries intervals; otherwise p stays at time 0. The states that exist already make no
// difference to the result. It stops early when ctx ends.
func (t *trail) advance(ctx context.Context, p *point, x float64) bool {
	intervals := t.tries
	if x <= t.direct {
		intervals = int(x / t.interval)
	}
	var steady bool
	rest := x
	if intervals > 0 {
		var s state
		s, intervals, steady = t.reach(ctx, p, intervals)
		if !steady && x > t.direct {
			return false
		}
		copy(p.v, s.v)
		p.log, p.absorbed = s.log, s.absorbed
		rest = math.Max(0, x-float64(intervals)*t.interval)
	}
	switch {
	case steady:
		t.walk.extrapolate(p, rest)
	case x <= t.direct:
		t.walk.advance(ctx, p, rest)
	default:
		return false
	}
	return true
}

// reach returns the state so many intervals after start, or an earlier one if that is steady, and the number of
// intervals before it. It stops early when ctx ends.
func (t *trail) reach(ctx context.Context, start *point, intervals int) (at state, done int, steady bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.states == nil {
		t.states = []state{start.state()}
	}
	if last := len(t.states) - 1; last < intervals && !t.steady {
		p := newPoint(len(start.v))
		copy(p.v, t.states[last].v)
		p.log, p.absorbed = t.states[last].log, t.states[last].absorbed
		for ; last < intervals && !t.steady; last++ {
			t.walk.advance(ctx, p, t.interval)
			if ctx.Err() != nil {
				break
			}
			t.states = append(t.states, p.state())
			t.steady = t.walk.isSteady(p)
		}
	}
	done = min(intervals, len(t.states)-1)
	return t.states[done], done, t.steady && done == len(t.states)-1
}

func (p *point) state() state { return state{slices.Clone(p.v), p.log, p.absorbed} }

// When a distribution is steady: the events until which the decrease of a difference is followed, and how small it must
// have become relative to the distribution.
const (
	steadyEvents = 2 * strideEvents
	steadyLeft   = 0x1p-90
)

// isSteady reports whether p.v, the distribution over the phases given survival, does not change any more. Two things
// must hold: in each entry, v·P differs from a multiple of v by no more than roundings; and this difference decreases,
// so that it comes to nothing even after 2^40 events. Groups of phases that hardly ever lead to each other fail: what they
// exchange in an event is less than a rounding, but does not decrease. P is nonnegative, so |d| ≤ ε·v entails
// |d·P| ≤ ε·v·P: what is left of a difference remains small relative to each entry.
//
// isSteady overwrites p.spare and p.sum.
//
// Reference: L. Collatz, Einschließungssatz für die charakteristischen Zahlen von Matrizen, Math. Z. 48 (1942) 221–226.
func (u *uniformized) isSteady(p *point) bool {
	v, d, next := p.v, p.spare, p.sum
	u.step(next, v)
	low, high := spreadOf(next, v)
	if !(high-low <= (4+math.Sqrt(float64(len(v))))*0x1p-52*high) {
		return false
	}
	theta := (low + high) / 2
	for i := range d {
		d[i] = next[i]/theta - v[i]
	}
	for range steadyEvents {
		low, high := spreadOf(d, v)
		if high-low <= steadyLeft {
			return true
		}
		for i := range d { // what is in proportion to v belongs to the eigenvalue
			d[i] -= (low + high) / 2 * v[i]
		}
		u.step(next, d)
		for i := range d {
			d[i] = next[i] / theta
		}
	}
	return false
}

// spreadOf returns the least and the largest ratio of the entries of x to those of v.
func spreadOf(x, v []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i, p := range v {
		if p == 0 && x[i] == 0 {
			continue
		}
		low, high = math.Min(low, x[i]/p), math.Max(high, x[i]/p)
	}
	return low, high
}
