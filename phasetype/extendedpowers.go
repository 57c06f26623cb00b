package phasetype

import (
	"context"
	"math"
	"sync"
)

// extendedFrom is the number of phases from which on a chain has extended powers. In a series of n phases with similar
// rates the probabilities of the phases given survival differ by a factor of up to x^(n−1)/(n−1)! after x events. With 16
// phases or fewer this factor stays below the largest number up to the horizon, at 10¹⁸ events.
const extendedFrom = 17

// extendedPowers is the table of [powers] with numbers that do not underflow. It serves times at which a chain of many
// phases survives with a probability far below the smallest number. There a chain has mostly reached its last phases. But
// what survives for much longer comes from the first phases, however improbable these phases are by then. The table has
// the same powers and the same logarithms as powers. It takes two to ten times as long.
type extendedPowers struct {
	ordinary *powers
	mu       sync.Mutex
	table    []*extendedPower
}

// extendedPower is a [power] whose distributions over the phases are extended vectors, one for each row.
type extendedPower struct {
	rows          []extended
	log           []float64
	gone          []float64
	beyondHorizon bool // all of log are below the horizon
}

// extendedPoint is the state of a chain at a time, as in [point], with an extended distribution over the phases.
type extendedPoint struct {
	v        extended
	log      float64
	absorbed float64
}

// advance returns the state of a chain that moves on from the time of p, by x. p must lie within an event of the start
// of the chain. The result means nothing if ctx has ended.
func (ps *extendedPowers) advance(ctx context.Context, p *point, x float64) state {
	walk, delta := ps.ordinary.walk, ps.ordinary.delta
	count := min(math.Floor(x/delta), math.Ldexp(1, 1000)) // later than the horizon, see the limits of a Dist
	if rest := x - count*delta; rest > 0 && rest < delta {
		walk.advance(ctx, p, rest)
	}
	q := &extendedPoint{newExtended(p.v), p.log, p.absorbed}
	extrapolated := max(0, x-count*delta-delta)
	fraction, exponent := math.Frexp(count)
	bits := uint64(math.Ldexp(fraction, 53))
	for b, k := 0, exponent-53; b < 53; b, k = b+1, k+1 {
		if bits>>b&1 == 0 {
			continue
		}
		e, last := ps.powerAt(ctx, k)
		if e == nil {
			return state{}
		}
		q.apply(e)
		if last < k {
			extrapolated += math.Ldexp(delta, k) - math.Ldexp(delta, last)
		}
	}
	s := state{q.log, q.absorbed, q.v.dot(walk.leave) * walk.rate}
	return s.later(extrapolated)
}

// powerAt returns exp(T·δ·2^k), or the last power before the horizon, and its k; nil if ctx has ended. Missing powers
// are added to the table.
func (ps *extendedPowers) powerAt(ctx context.Context, k int) (e *extendedPower, last int) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	for len(ps.table) <= k {
		n := len(ps.table)
		if n > 0 && ps.table[n-1].beyondHorizon {
			return ps.table[n-1], n - 1
		}
		var next *extendedPower
		if n == 0 {
			next = ps.first(ctx)
		} else {
			next = ps.table[n-1].squared(ctx)
		}
		if next == nil {
			return nil, 0
		}
		ps.table = append(ps.table, next)
	}
	return ps.table[k], k
}

// first returns exp(T·δ), the first of the ordinary powers; nil if ctx has ended. Phases that half an event does not reach
// with a probability of a float64 count as unreachable. Paths to them by several later events are far more probable.
func (ps *extendedPowers) first(ctx context.Context) *extendedPower {
	e, _ := ps.ordinary.powerAt(ctx, 0)
	if e == nil {
		return nil
	}
	x := &extendedPower{log: e.log, gone: e.gone}
	for i := range e.n {
		x.rows = append(x.rows, newExtended(e.phases[i*e.n:(i+1)*e.n]))
	}
	return x
}

// squared returns exp(T·2t) of e = exp(T·t), row by row as [powers.square]; nil if ctx ends.
func (e *extendedPower) squared(ctx context.Context) *extendedPower {
	n := len(e.rows)
	next := &extendedPower{rows: make([]extended, n), log: make([]float64, n), gone: make([]float64, n), beyondHorizon: true}
	for i := range n {
		if ctx.Err() != nil {
			return nil
		}
		p := &extendedPoint{e.rows[i], e.log[i], e.gone[i]}
		p.apply(e)
		next.rows[i], next.log[i], next.gone[i] = p.v, p.log, p.absorbed
		next.beyondHorizon = next.beyondHorizon && p.log < horizon
	}
	return next
}

// apply moves p forward by the time of e. [power.apply] and [point.setFromSum] do the same with other numbers.
func (p *extendedPoint) apply(e *extendedPower) {
	n := len(e.rows)
	logs, shift := make([]float64, n), math.Inf(-1)
	for i := range n {
		logs[i] = p.v.log(i) + e.log[i]
		shift = max(shift, logs[i])
	}
	if shift > keepsDigits {
		shift = 0
	}
	weights := extended{make([]float64, n), make([]int32, n)}
	var alive, gone float64
	for i, log := range logs {
		weights.setExp(i, log-shift)
		if shift == 0 { // the product keeps the digits that the logarithm loses
			weights.setProduct(i, p.v, e.log[i])
		}
		alive += weights.at(i)
		gone += p.v.at(i) * e.gone[i]
	}
	p.v = weights.times(e.rows)
	p.absorbed += gone * math.Exp(p.log)
	total := alive + gone
	switch {
	case shift != 0:
		p.log += shift + math.Log(alive)
		p.v.divide(alive)
		return
	case gone < 0.5*total:
		p.log += math.Log1p(-gone / total)
	default:
		p.log += math.Log(alive / total)
	}
	p.v.divide(alive)
}
