package phasetype

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/matmul"
)

// powers is the table of powers in ordinary numbers, which serves nearly all times.
type powers struct {
	powerTable[*power]
	walk *uniformized
}

// power is exp(T·t), row by row. Phase i is not absorbed within t with probability exp(log[i]) = 1 − gone[i]. Row i of
// phases is the distribution over the phases given that it is not.
type power struct {
	n      int
	phases []float64
	log    []float64
	gone   []float64

	weights         []float64 // scratch for the next power, nil before
	survival        []float64 // exp(log)
	lowest, highest float64   // of log
}

// init sets the step δ of the table for a chain; the table itself grows when it is needed.
func (ps *powers) init(u *uniformized) {
	ps.walk = u
	_, e := math.Frexp(u.rate)
	ps.delta = math.Ldexp(1, -e-1) // 2^(e−1) ≤ rate < 2^e
	ps.first = func(ctx context.Context) *power { return firstPower(ctx, u, ps.delta) }
}

// advance moves p forward by the time x: by uniformization for the part of x below δ, by the table for the rest.
func (ps *powers) advance(ctx context.Context, p *point, x float64) {
	count, rest, later := ps.split(x)
	if rest > 0 {
		ps.walk.advance(ctx, p, rest)
	}
	later += ps.factors(ctx, count, func(e *power) { e.apply(p) })
	if later > 0 {
		p.extrapolate(ps.walk.hazard(p.v), later)
	}
}

// firstPower returns exp(T·δ) by its series, row by row unless products of matrices take less time; nil if ctx ends.
func firstPower(ctx context.Context, u *uniformized, delta float64) *power {
	n := len(u.stay)
	if u.dense != nil && n >= productsFrom {
		return firstPowerByProducts(ctx, u, delta)
	}
	e, p := emptyPower(n), newPoint(n)
	for i := range n {
		if ctx.Err() != nil {
			return nil
		}
		clear(p.v)
		p.v[i], p.survival = 1, survival{alive: 1}
		alive, gone := u.addSeries(p, u.rate*delta)
		p.setFromSum(alive, gone, 0)
		copy(e.phases[i*n:(i+1)*n], p.v)
		e.setRow(i, p.survival, 1)
	}
	return e
}

// firstPowerByProducts is [firstPower] for P without many zeros. All rows of the series take their next term by one product
// of matrices. The series ends when [uniformized.addSeries] would end for every row.
func firstPowerByProducts(ctx context.Context, u *uniformized, delta float64) *power {
	n, events := len(u.stay), u.rate*delta
	e, rows := emptyPower(n), make([]rowSeries, n)
	v, next := make([]float64, n*n), slices.Clone(u.dense) // P^k, P^(k+1)
	for i := range n {
		v[i*n+i] = 1
	}
	weight := math.Exp(-events)
	for k := 0; ; k++ {
		ended := true
		for i := range rows {
			row := v[i*n : (i+1)*n]
			floats.AddScaled(e.phases[i*n:(i+1)*n], weight, row)
			ended = rows[i].add(weight, floats.Sum(row)) && ended
			rows[i].died += dot(row, u.leave)
		}
		if k >= u.depth && ended || weight == 0 {
			break
		}
		if k > 0 {
			multiply(ctx, next, v, u.dense, n)
		}
		if ctx.Err() != nil {
			return nil
		}
		v, next = next, v
		weight *= events / float64(k+1)
	}
	for i, r := range rows {
		s := survival{alive: 1}
		s.step(r.alive, r.gone, 0)
		e.setRow(i, s, r.alive)
	}
	return e
}

// rowSeries sums the probabilities of survival and of absorption of a series. died is the probability of absorption
// before the next term.
type rowSeries struct{ died, alive, gone, lastAlive, lastGone float64 }

// add adds a term, where mass is the probability of survival. It reports whether later terms are below the rounding of the sums.
func (r *rowSeries) add(weight, mass float64) (ended bool) {
	alive, gone := weight*mass, weight*r.died
	r.alive += alive
	r.gone += gone
	ended = finished(alive, r.lastAlive, r.alive) && finished(gone, r.lastGone, r.gone)
	r.lastAlive, r.lastGone = alive, gone
	return ended
}

// squared returns exp(T·2t) of e = exp(T·t): each of its rows is a row of e moved forward by t, all of them by one product
// of matrices. It returns nil if ctx ends.
func (e *power) squared(ctx context.Context) *power {
	n := e.n
	next := emptyPower(n)
	next.weights = e.weights
	if next.weights == nil {
		next.weights = make([]float64, n*n)
	}
	shifts := make([]float64, n)
	for i := range n {
		next.survival[i], next.gone[i], shifts[i] = e.weigh(next.weights[i*n:(i+1)*n], e.phases[i*n:(i+1)*n])
	}
	multiply(ctx, next.phases, next.weights, e.phases, n)
	if ctx.Err() != nil {
		return nil
	}
	for i := range n {
		alive, s := next.survival[i], survival{e.log[i], e.survival[i], e.gone[i]}
		s.step(alive, next.gone[i], shifts[i])
		next.setRow(i, s, alive)
	}
	return next
}

// productsFrom is the order of matrices from which one product takes less time than a product for each row.
const productsFrom = 12

// multiply overwrites c with a·b for square matrices of order n.
func multiply(ctx context.Context, c, a, b []float64, n int) {
	if n >= productsFrom {
		product(ctx, general(a, n, n), general(b, n, n), general(c, n, n))
		return
	}
	for i := range n {
		timesMatrix(c[i*n:(i+1)*n], a[i*n:(i+1)*n], b)
	}
}

// product overwrites c with a·b for matrices whose shapes fit. c is incomplete if ctx ends, which callers check.
func product(ctx context.Context, a, b, c blas64.General) {
	_ = matmul.Multiply(ctx, a, b, c) // no error but that of ctx
}

// general returns a matrix that is stored row by row without gaps.
func general(data []float64, rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

// emptyPower returns a power of order n whose rows are still to be set.
func emptyPower(n int) *power {
	data := make([]float64, n*(n+3))
	e := &power{n: n, highest: math.Inf(-1)}
	e.phases, e.log, e.gone, e.survival = data[:n*n], data[n*n:n*(n+1)], data[n*(n+1):n*(n+2)], data[n*(n+2):]
	return e
}

// setRow sets the probabilities of row i and divides the numbers of its phases by their sum.
func (e *power) setRow(i int, s survival, sum float64) {
	e.log[i], e.gone[i], e.survival[i] = s.log, s.absorbed, math.Exp(s.log)
	e.lowest, e.highest = min(e.lowest, s.log), max(e.highest, s.log)
	if sum > 0 {
		floats.Scale(1/sum, e.phases[i*e.n:(i+1)*e.n])
	}
}

// beyondHorizon reports whether all logarithms of e are below the horizon.
func (e *power) beyondHorizon() bool { return e.highest < horizon }

// apply moves p forward by the time of e, with one product of a vector and a matrix. It returns the probabilities that a
// chain that was not absorbed before survives this time, up to a factor exp(shift), and that it is absorbed.
func (e *power) apply(p *point) (alive, gone float64) {
	alive, gone, shift := e.weigh(p.spare, p.v)
	timesMatrix(p.sum, p.spare, e.phases)
	p.setFromSum(alive, gone, shift)
	return alive, gone
}

// weigh sets to_i to v_i·P(X > t | phase i)·exp(−shift), and returns the total alive, the probability gone of absorption
// within t, and the shift. The shift is 0 unless the numbers would underflow.
func (e *power) weigh(to, v []float64) (alive, gone, shift float64) {
	shift = e.logShift(v)
	for i, x := range v {
		w := x * e.survival[i]
		if shift != 0 { // x may be about to underflow
			w = 0
			if x > 0 {
				w = math.Exp(math.Log(x) + e.log[i] - shift)
			}
		}
		gone += x * e.gone[i]
		alive += w
		to[i] = w
	}
	return alive, gone, shift
}

// keepsDigits is a logarithm above which the exponential times a probability keeps its digits.
const keepsDigits = -600

// logShift returns a number near the largest log v_i + log_i, or 0 if the exponentials of all of them keep their digits
// or none is positive.
func (e *power) logShift(v []float64) float64 {
	if e.lowest > keepsDigits {
		return 0
	}
	shift := math.Inf(-1)
	for i, x := range v {
		if x > 0 {
			shift = max(shift, math.Log(x)+e.log[i])
		}
	}
	if shift > keepsDigits || math.IsInf(shift, -1) {
		return 0
	}
	return shift
}
