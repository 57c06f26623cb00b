package phasetype

import (
	"context"
	"math"
	"sync"
)

// horizon is the logarithm of the survival probability at which the table ends. From there the hazard rate counts as
// constant. Phases in series with one rate come nearest to their last rate as 1/time: beyond the horizon the error is below
// the rounding of the logarithm, for up to a thousand phases.
const horizon = -1e18

// powers is the table of exp(T·δ·2^k), k = 0, 1, …, grown on demand.
type powers struct {
	delta float64 // a power of two with at most half an event of the uniformized chain
	walk  *uniformized
	mu    sync.Mutex
	table []*power
	row   *point // scratch space for a row of the next power
}

// power is exp(T·t), row by row. Phase i is not absorbed within t with probability exp(log[i]) = 1 − gone[i]. Row i of
// phases is the distribution over the phases given that it is not.
type power struct {
	n      int
	phases []float64
	log    []float64
	gone   []float64

	survival      []float64 // exp(log)
	lowest        float64   // of log
	beyondHorizon bool      // all of log are below the horizon
}

// init sets the step δ of the table for a chain; the table itself grows when it is needed.
func (ps *powers) init(u *uniformized) {
	ps.walk = u
	_, e := math.Frexp(u.rate)
	ps.delta = math.Ldexp(1, -e-1) // 2^(e−1) ≤ rate < 2^e
}

// advance moves p forward by the time x: by uniformization for the part of x below δ, by the table for the rest.
func (ps *powers) advance(ctx context.Context, p *point, x float64) {
	count := math.Floor(x / ps.delta)
	if math.IsInf(count, 1) {
		last := math.Ldexp(ps.delta, 1000) // later than the horizon, see the limits of a Dist
		ps.advance(ctx, p, last)
		ps.walk.extrapolate(p, x-last)
		return
	}
	if rest := x - count*ps.delta; rest > 0 {
		ps.walk.advance(ctx, p, rest)
	}
	fraction, exponent := math.Frexp(count)
	bits := uint64(math.Ldexp(fraction, 53))
	for b, k := 0, exponent-53; b < 53; b, k = b+1, k+1 {
		if bits>>b&1 == 0 {
			continue
		}
		e, last := ps.powerAt(ctx, k)
		if e == nil {
			return
		}
		e.apply(p)
		if last < k {
			ps.walk.extrapolate(p, math.Ldexp(ps.delta, k)-math.Ldexp(ps.delta, last))
		}
	}
}

// extrapolate moves p forward by the time x with a constant hazard rate and an unchanged distribution over the phases.
func (u *uniformized) extrapolate(p *point, x float64) {
	hazard := dot(p.v, u.leave) * u.rate
	p.absorbed -= math.Exp(p.log) * math.Expm1(-hazard*x)
	p.log -= hazard * x
}

// powerAt returns exp(T·δ·2^k), or the last power before the horizon, and its k; nil if ctx has ended. Missing powers
// are added to the table.
func (ps *powers) powerAt(ctx context.Context, k int) (e *power, last int) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	for len(ps.table) <= k {
		n := len(ps.table)
		var next *power
		switch {
		case n == 0:
			ps.row = newPoint(len(ps.walk.stay))
			next = ps.first(ctx)
		case ps.table[n-1].beyondHorizon:
			return ps.table[n-1], n - 1
		default:
			next = ps.square(ctx, ps.table[n-1])
		}
		if next == nil {
			return nil, 0
		}
		ps.table = append(ps.table, next)
	}
	return ps.table[k], k
}

// first returns exp(T·δ) by its series, row by row; nil if ctx ends.
func (ps *powers) first(ctx context.Context) *power {
	return ps.newPower(ctx, func(i int, p *point) {
		clear(p.v)
		p.v[i], p.log, p.absorbed = 1, 0, 0
		p.setFromSum(ps.walk.addSeries(p, ps.walk.rate*ps.delta))
	})
}

// square returns exp(T·2t), in which each row is a row of e = exp(T·t) moved forward by t; nil if ctx ends.
func (ps *powers) square(ctx context.Context, e *power) *power {
	return ps.newPower(ctx, func(i int, p *point) {
		copy(p.v, e.phases[i*e.n:(i+1)*e.n])
		p.log, p.absorbed = e.log[i], e.gone[i]
		e.apply(p)
	})
}

// newPower returns the power whose row i is the point that set sets; nil if ctx ends.
func (ps *powers) newPower(ctx context.Context, set func(i int, p *point)) *power {
	p := ps.row
	n := len(p.v)
	data := make([]float64, n*(n+3))
	e := &power{n: n, phases: data[:n*n], log: data[n*n : n*(n+1)], gone: data[n*(n+1) : n*(n+2)], survival: data[n*(n+2):]}
	highest := math.Inf(-1)
	for i := range n {
		if ctx.Err() != nil {
			return nil
		}
		set(i, p)
		copy(e.phases[i*n:(i+1)*n], p.v)
		e.log[i], e.gone[i], e.survival[i] = p.log, p.absorbed, math.Exp(p.log)
		e.lowest = min(e.lowest, p.log)
		highest = max(highest, p.log)
	}
	e.beyondHorizon = highest < horizon
	return e
}

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
	if shift != 0 { // far in the tail, alive is in units of exp(shift)
		p.absorbed += gone * math.Exp(p.log)
		p.log += shift + math.Log(alive)
		for j := range p.v {
			p.v[j] = p.sum[j] / alive
		}
		return
	}
	p.setFromSum(alive, gone)
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
