package phasetype

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// uniformized is the chain at the events of a Poisson process with the largest rate out of a phase, P = I + T/rate.
type uniformized struct {
	rate  float64
	leave []float64 // exit/rate
	depth int       // largest number of moves from a phase to absorption

	stay       []float64 // diagonal of P
	jumps      []jump    // nonzero entries of P off the diagonal; nil if dense is set
	dense      []float64 // P, row-major, if many of its entries are not zero
	directUpTo float64   // time up to which the walk takes less than a small part of the time to make the table of powers
}

type jump struct {
	from, to int
	p        float64
}

// uniformize returns the chain at the events of a Poisson process. d must have phases.
func (d Dist) uniformize() *uniformized {
	n := d.n
	u := &uniformized{stay: make([]float64, n), leave: make([]float64, n)}
	_, u.depth = d.absorbed()
	for i := range n {
		u.rate = max(u.rate, -d.Rate(i, i))
	}
	for i := range n {
		u.stay[i] = (u.rate + d.Rate(i, i)) / u.rate
		u.leave[i] = d.exit[i] / u.rate
	}
	jumps := 0
	for _, rate := range d.t {
		if rate > 0 {
			jumps++
		}
	}
	u.directUpTo = math.Pow(float64(n), 3) / float64(4*(n+jumps)) / u.rate
	if n >= loopsBelow && float64(jumps) > manyJumps*float64(n*n) {
		u.dense = make([]float64, n*n)
		for i, p := range d.t {
			u.dense[i] = p / u.rate
		}
		for i, p := range u.stay {
			u.dense[i*n+i] = p
		}
		return u
	}
	u.jumps = make([]jump, 0, jumps)
	for i := range n {
		for j, rate := range d.t[i*n : (i+1)*n] {
			if rate > 0 {
				u.jumps = append(u.jumps, jump{i, j, rate / u.rate})
			}
		}
	}
	return u
}

// manyJumps is a share of nonzero entries of P. With more, a product with the whole matrix takes less time than with the
// entries one by one. The share is measured.
const manyJumps = 0.2

// loopsBelow is the order of a matrix below which plain loops are faster than blas64.
const loopsBelow = 6

// timesMatrix overwrites dst with v·m for a square row-major matrix m. Row after row, this is twice as fast as
// blas64.Gemm.
func timesMatrix(dst, v, m []float64) {
	n := len(v)
	if n >= loopsBelow {
		blas64.Gemv(blas.Trans, 1, blas64.General{Rows: n, Cols: n, Stride: n, Data: m},
			blas64.Vector{N: n, Inc: 1, Data: v}, 0, blas64.Vector{N: n, Inc: 1, Data: dst})
		return
	}
	clear(dst)
	for i, x := range v {
		for j, q := range m[i*n : (i+1)*n] {
			dst[j] += x * q
		}
	}
}

// stepEvent overwrites dst with v·P and returns the probability of absorption at the event.
func (u *uniformized) stepEvent(dst, v []float64) (absorbed float64) {
	if u.dense != nil {
		timesMatrix(dst, v, u.dense)
		return dot(v, u.leave)
	}
	stay, leave := u.stay[:len(v)], u.leave[:len(v)]
	dst = dst[:len(v)]
	for i, x := range v {
		dst[i] = x * stay[i]
		absorbed += x * leave[i]
	}
	for _, m := range u.jumps {
		dst[m.to] += v[m.from] * m.p
	}
	return absorbed
}

// strideEvents is the expected number of Poisson events in a stride; exp(−strideEvents) is far from underflow.
const strideEvents = 64

// advance moves p forward by the time x, event by event. It stops early when ctx ends.
func (u *uniformized) advance(ctx context.Context, p *point, x float64) {
	events := u.rate * x
	strides := max(math.Ceil(events/strideEvents), 1)
	for k := range int(strides) {
		if k > 0 && ctx.Err() != nil {
			return
		}
		alive, gone := u.addSeries(p, events/strides)
		p.setFromSum(alive, gone, 0)
	}
}

// addSeries overwrites p.sum with
//
//	Σ_k e^(−a)·a^k/k!·v·P^k
//
// for a expected events, and returns its total and the probability of absorption. p.v is overwritten. The series ends
// when both results have all their digits, however small they are. So it does not end before absorption is possible
// from every phase, nor before its terms decrease fast.
func (u *uniformized) addSeries(p *point, events float64) (alive, gone float64) {
	weight := math.Exp(-events)
	var died, lastAlive, lastGone float64
	clear(p.sum)
	for k := 0; ; k++ {
		var mass float64
		sum := p.sum[:len(p.v)]
		for i, x := range p.v {
			sum[i] += weight * x
			mass += x
		}
		termAlive, termGone := weight*mass, weight*died
		alive += termAlive
		gone += termGone
		if k >= u.depth && finished(termAlive, lastAlive, alive) && finished(termGone, lastGone, gone) || weight == 0 {
			return alive, gone
		}
		lastAlive, lastGone = termAlive, termGone
		died += u.stepEvent(p.spare, p.v)
		p.v, p.spare = p.spare, p.v
		weight *= events / float64(k+1)
	}
}

// finished reports whether the terms after this one are below the rounding of the sum.
func finished(term, last, sum float64) bool {
	return term == 0 || term <= last/2 && term <= 0x1p-56*sum
}

// setFromSum moves p forward by a step as [survival.step] does. Its new distribution over the phases is p.sum, which has
// the total alive, divided by alive.
func (p *point) setFromSum(alive, gone, shift float64) {
	p.step(alive, gone, shift)
	if alive == 0 {
		alive = 1
	}
	for i := range p.v {
		p.v[i] = p.sum[i] / alive
	}
}

// hazard returns the hazard rate of a chain with the distribution v over the phases.
func (u *uniformized) hazard(v []float64) float64 { return dot(v, u.leave) * u.rate }
