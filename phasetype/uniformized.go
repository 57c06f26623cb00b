package phasetype

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// uniformized is the chain at the events of a Poisson process with the largest rate, P = I + T/rate, by its nonzero
// entries.
type uniformized struct {
	rate  float64
	stay  []float64 // diagonal of P
	jumps []jump    // off-diagonal of P
	leave []float64 // exit/rate
	depth int       // largest number of moves from a phase to absorption

	matrix blas64.General // P, if it is dense
}

type jump struct {
	from, to int
	p        float64
}

func (d Dist) uniformize() *uniformized {
	u := &uniformized{stay: make([]float64, d.n), leave: make([]float64, d.n)}
	for i := range d.n {
		u.rate = math.Max(u.rate, -d.Rate(i, i))
	}
	for i := range d.n {
		u.stay[i] = (u.rate + d.Rate(i, i)) / u.rate
		u.leave[i] = d.exit[i] / u.rate
	}
	if d.isDense() {
		u.fill(d)
	} else {
		for i := range d.n {
			for j := range d.n {
				if j != i && d.t[i*d.n+j] > 0 {
					u.jumps = append(u.jumps, jump{i, j, d.t[i*d.n+j] / u.rate})
				}
			}
		}
	}
	u.depth = d.distance()
	return u
}

// distance returns the largest number of moves that it takes at least from a phase to absorption.
func (d Dist) distance() (depth int) {
	seen, left := make([]bool, d.n), d.n
	var now []int
	for i, rate := range d.exit {
		if rate > 0 {
			seen[i] = true
			now = append(now, i)
		}
	}
	for ; len(now) > 0; depth++ {
		var next []int
		left -= len(now)
		for _, i := range now {
			for j := 0; j < d.n && left > len(next); j++ {
				if !seen[j] && d.t[j*d.n+i] > 0 {
					seen[j] = true
					next = append(next, j)
				}
			}
		}
		now = next
	}
	return depth
}

// step returns v·P in dst and the probability of absorption at the event.
func (u *uniformized) step(dst, v []float64) (absorbed float64) {
	if u.dense() {
		u.timesMatrix(dst, v)
		return dot(v, u.leave)
	}
	for i, x := range v {
		dst[i] = x * u.stay[i]
		absorbed += x * u.leave[i]
	}
	for _, m := range u.jumps {
		dst[m.to] += v[m.from] * m.p
	}
	return absorbed
}

// strideEvents is the expected number of Poisson events in a stride; exp(−strideEvents) is far from underflow.
const strideEvents = 64

// advance moves p forward by the time x.
func (u *uniformized) advance(ctx context.Context, p *point, x float64) {
	events := u.rate * x
	strides := math.Max(math.Ceil(events/strideEvents), 1)
	for k := range int(strides) {
		if k > 0 && ctx.Err() != nil {
			return
		}
		alive, gone := u.series(p, events/strides)
		p.settle(alive, gone)
	}
}

// series sets
//
//	p.sum = Σ_k e^(−a)·a^k/k!·v·P^k
//
// for a expected events, and returns its total and the probability of absorption. p.v is overwritten. The series ends
// when both results have all their digits, however small they are: not before absorption is possible from every phase,
// and not before its terms decrease fast.
func (u *uniformized) series(p *point, events float64) (alive, gone float64) {
	weight := math.Exp(-events)
	var died, lastAlive, lastGone float64
	clear(p.sum)
	for k := 0; ; k++ {
		var mass float64
		for i, x := range p.v {
			p.sum[i] += weight * x
			mass += x
		}
		termAlive, termGone := weight*mass, weight*died
		alive += termAlive
		gone += termGone
		if k >= u.depth && finished(termAlive, lastAlive, alive) && finished(termGone, lastGone, gone) || weight == 0 {
			return alive, gone
		}
		lastAlive, lastGone = termAlive, termGone
		died += u.step(p.spare, p.v)
		p.v, p.spare = p.spare, p.v
		weight *= events / float64(k+1)
	}
}

// finished reports whether the terms after this one are below the rounding of the sum.
func finished(term, last, sum float64) bool {
	return term == 0 || term <= last/2 && term <= 0x1p-56*sum
}

// settle replaces the phases of p by p.sum, which has the total alive, after a step in which the chain was absorbed
// with probability gone.
func (p *point) settle(alive, gone float64) {
	p.absorbed += gone * math.Exp(p.log)
	total := alive + gone // one up to rounding; dividing by it keeps the rounding from accumulating
	if gone < 0.5*total {
		p.log += math.Log1p(-gone / total)
	} else {
		p.log += math.Log(alive / total)
	}
	if alive == 0 {
		p.log = math.Inf(-1)
		alive = 1
	}
	for i := range p.v {
		p.v[i] = p.sum[i] / alive
	}
}
