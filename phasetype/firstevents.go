package phasetype

import (
	"context"
	"math"
	"sync"

	"gonum.org/v1/gonum/floats"
)

// firstEvents is the chain at its first Poisson events, which all times share. At a time with a expected events, each
// probability is the sum over k of its value after k events with the weights e^(−a)·a^k/k!. So the functions at many
// times take one product with P for each event, not one for each event and time. The list grows to the events that some
// time has needed. It serves times of a stride; if P has many zeros, also the times that [Law.at] would walk event by event.
// [manyEvents] serves later times. Beyond a stride, v is scaled.
type firstEvents struct {
	eventList
	mu       sync.Mutex
	walk     *uniformized
	v, spare []float64 // v·P^k for k = len(after), where v is the initial distribution over the phases
	most     float64   // largest number of expected events of a time that the list serves

	// The sum of weight·v·P^k over the listed events, with the weights of a stride: nil unless the chain may settle. With it,
	// the search for the state that stays takes no products for its first stride.
	stride []float64
	weight float64    // of the next event
	spread [2]float64 // see earlySpread
}

// afterEvents are the probabilities of a chain after k events:
//
//	alive = v·P^k·1,   died = 1 − alive as a sum,   leaves = v·P^k·leave:
//
// not absorbed, absorbed, and absorbed by the next event.
type afterEvents struct{ alive, died, leaves float64 }

// earlyEvents are two numbers of events between which a chain that is slow to mix is known by its spread; see
// [quasiStationary].
var earlyEvents = [2]int{16, 24}

// usualEvents is the room of a new list of events: times of up to 16 expected events need no more.
const usualEvents = 64

// newFirstEvents returns the events of a chain that starts with the distribution initial over the phases.
func newFirstEvents(walk *uniformized, initial []float64) *firstEvents {
	n := len(initial)
	buf := make([]float64, 2*n)
	e := &firstEvents{walk: walk, v: buf[:n:n], spare: buf[n:], most: strideEvents}
	e.eventList = newEventList(1)
	e.after = make([]afterEvents, 0, usualEvents)
	copy(e.v, initial)
	if n >= manyFrom && walk.dense == nil { // beyond, [manyEvents] takes less time for more than a few values
		e.most = max(e.most, walk.directUpTo*walk.rate/4)
	}
	if walk.settles() && n >= tableBelow {
		e.stride, e.weight = make([]float64, n), math.Exp(-strideEvents)
	}
	return e
}

// add appends the probabilities after the next event.
func (e *firstEvents) add() {
	k := len(e.after)
	var next afterEvents
	if k > 0 {
		next.died = e.after[k-1].died + e.after[k-1].leaves
	}
	if e.most > strideEvents && k > 0 && k%spanEvents == 0 {
		e.scale()
	}
	next.alive = floats.Sum(e.v)
	if e.stride != nil {
		floats.AddScaled(e.stride, e.weight, e.v)
		e.weight *= strideEvents / float64(k+1)
	}
	next.leaves = e.walk.stepEvent(e.spare, e.v)
	for i, events := range earlyEvents {
		if k == events && e.stride != nil {
			e.spread[i] = relativeSpread(e.v, e.spare)
		}
	}
	e.v, e.spare = e.spare, e.v
	e.after = append(e.after, next)
}

// spanEvents is the number of events after which v is scaled, and the context is looked at.
const spanEvents = 32

// scale scales v: a span ago, the chain was not absorbed with the probability of v and of all absorptions since. Without
// it, a row of P whose sum is rounded would make the probability drift.
func (e *firstEvents) scale() {
	recent := e.after[len(e.after)-spanEvents:]
	now := floats.Sum(e.v)
	for i := range recent {
		now += recent[i].leaves
	}
	if now > 0 {
		floats.Scale(recent[0].alive/now, e.v)
	}
}

// later returns the probabilities at a time with so many expected events, more than a stride. ok is false if the list does
// not serve it, or if ctx ends.
func (e *firstEvents) later(ctx context.Context, events float64) (sum afterEvents, ok bool) {
	if events > e.most {
		return sum, false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	sum, ok = e.mean(events, func() bool {
		e.add()
		return len(e.after)%spanEvents > 0 || ctx.Err() == nil
	})
	return sum, ok && sum.alive >= leastAlive
}

// at returns the probabilities at a time with so many expected events.
func (e *firstEvents) at(events float64) afterEvents {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sums(events)
}

// advance moves p from the initial distribution forward by a stride, for which the events of shorter times serve again.
func (e *firstEvents) advance(p *point) {
	e.mu.Lock()
	defer e.mu.Unlock()
	sum := e.sums(strideEvents)
	copy(p.sum, e.stride)
	p.setFromSum(sum.alive, sum.died, 0)
}

// earlySpread returns the relative spread of the distribution over the phases after the first and the second number of
// earlyEvents, for a chain that may settle.
func (e *firstEvents) earlySpread() (first, second float64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.after) <= earlyEvents[1] {
		e.add()
	}
	return e.spread[0], e.spread[1]
}

// sums is [firstEvents.at] for a caller that holds the lock. The sums end as in [uniformized.addSeries]. The terms of the
// probability of absorption do not halve before the event 2a, and they exceed the sum times the weight. So only later terms
// with small weights are compared.
func (e *firstEvents) sums(events float64) afterEvents {
	weight := math.Exp(-events)
	compareFrom := max(e.walk.depth, int(2*events))
	var sum, last afterEvents
	for k := 0; weight > 0; k++ {
		if k == len(e.after) {
			e.add()
		}
		after := &e.after[k]
		term := afterEvents{weight * after.alive, weight * after.died, weight * after.leaves}
		sum.alive += term.alive
		sum.died += term.died
		sum.leaves += term.leaves
		if k >= compareFrom && weight <= 0x1p-56 && finished(term.alive, last.alive, sum.alive) &&
			finished(term.died, last.died, sum.died) {
			break
		}
		last = term
		weight *= events / float64(k+1)
	}
	return sum
}
