package phasetype

import (
	"context"
	"math"
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

	row             *point    // scratch for a row of the next power
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

// firstPower returns exp(T·δ) by its series, row by row; nil if ctx ends.
func firstPower(ctx context.Context, u *uniformized, delta float64) *power {
	return newPower(ctx, newPoint(len(u.stay)), func(i int, p *point) {
		clear(p.v)
		p.v[i], p.survival = 1, survival{alive: 1}
		alive, gone := u.addSeries(p, u.rate*delta)
		p.setFromSum(alive, gone, 0)
	})
}

// squared returns exp(T·2t) of e = exp(T·t): each of its rows is a row of e moved forward by t. It returns nil if ctx
// ends.
func (e *power) squared(ctx context.Context) *power {
	return newPower(ctx, e.row, func(i int, p *point) {
		copy(p.v, e.phases[i*e.n:(i+1)*e.n])
		p.survival = survival{e.log[i], e.survival[i], e.gone[i]}
		e.apply(p)
	})
}

// newPower returns the power whose row i is the point p after set(i, p); nil if ctx ends.
func newPower(ctx context.Context, p *point, set func(i int, p *point)) *power {
	n := len(p.v)
	data := make([]float64, n*(n+3))
	e := &power{n: n, row: p, highest: math.Inf(-1)}
	e.phases, e.log, e.gone, e.survival = data[:n*n], data[n*n:n*(n+1)], data[n*(n+1):n*(n+2)], data[n*(n+2):]
	for i := range n {
		if ctx.Err() != nil {
			return nil
		}
		set(i, p)
		copy(e.phases[i*n:(i+1)*n], p.v)
		e.log[i], e.gone[i], e.survival[i] = p.log, p.absorbed, math.Exp(p.log)
		e.lowest, e.highest = min(e.lowest, p.log), max(e.highest, p.log)
	}
	return e
}

// beyondHorizon reports whether all logarithms of e are below the horizon.
func (e *power) beyondHorizon() bool { return e.highest < horizon }

// apply moves p forward by the time of e, with one product of a vector and a matrix.
func (e *power) apply(p *point) {
	shift := e.logShift(p.v)
	var alive, gone float64
	for i, v := range p.v {
		w := v * e.survival[i]
		if shift != 0 { // v may be about to underflow
			w = math.Exp(math.Log(v) + e.log[i] - shift)
		}
		gone += v * e.gone[i]
		alive += w
		p.spare[i] = w
	}
	timesMatrix(p.sum, p.spare, e.phases)
	p.setFromSum(alive, gone, shift)
}

// keepsDigits is a logarithm above which the exponential times a probability keeps its digits.
const keepsDigits = -600

// logShift returns a number near the largest log v_i + log_i, or 0 if the exponentials of all of them keep their digits.
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
	if shift > keepsDigits {
		return 0
	}
	return shift
}
