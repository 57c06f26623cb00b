package phasetype

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/floats"
)

// firstEvents is the chain at its first Poisson events, which all times share. Let v be the initial distribution over the
// phases. After k events the chain is
//
//	alive[k] = v·P^k·1,   died[k] = 1 − alive[k] as a sum,   leaves[k] = v·P^k·leave:
//
// not absorbed, absorbed, and absorbed by the next event. At a time with a expected events, each probability is the sum
// with the weights e^(−a)·a^k/k!. So the functions at many times take one product with P for each event, not one for
// each event and time. Lists grow to the events that some time has needed, at most a few strides.
type firstEvents struct {
	mu                  sync.Mutex
	walk                *uniformized
	v, spare            []float64 // v·P^k after the last event of the lists
	alive, died, leaves []float64
}

// newFirstEvents returns the events of a chain that starts in alpha, given that it is not absorbed at once.
func newFirstEvents(walk *uniformized, alpha []float64) *firstEvents {
	e := &firstEvents{walk: walk, v: make([]float64, len(alpha)), spare: make([]float64, len(alpha))}
	total := floats.Sum(alpha)
	for i, a := range alpha {
		e.v[i] = a / total
	}
	e.add(0)
	return e
}

// add appends the state after the next event, where died is the probability of absorption up to there.
func (e *firstEvents) add(died float64) {
	e.alive, e.died = append(e.alive, floats.Sum(e.v)), append(e.died, died)
	e.leaves = append(e.leaves, dot(e.v, e.walk.leave))
}

// grow adds events until event k is listed.
func (e *firstEvents) grow(k int) {
	for last := len(e.alive) - 1; last < k; last++ {
		absorbed := e.walk.stepEvent(e.spare, e.v)
		e.v, e.spare = e.spare, e.v
		e.add(e.died[last] + absorbed)
	}
}

// at returns the probabilities at a time with so many expected events: not absorbed, absorbed, and absorbed by the next
// event. The sums end as in [uniformized.addSeries].
func (e *firstEvents) at(events float64) (alive, gone, leaves float64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	weight := math.Exp(-events)
	var lastAlive, lastGone float64
	for k := 0; ; k++ {
		e.grow(k)
		termAlive, termGone := weight*e.alive[k], weight*e.died[k]
		alive += termAlive
		gone += termGone
		leaves += weight * e.leaves[k]
		if weight == 0 || k >= e.walk.depth && finished(termAlive, lastAlive, alive) && finished(termGone, lastGone, gone) {
			return alive, gone, leaves
		}
		lastAlive, lastGone = termAlive, termGone
		weight *= events / float64(k+1)
	}
}
