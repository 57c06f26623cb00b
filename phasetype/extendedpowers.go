package phasetype

import (
	"context"
	"math"
)

// extendedFrom is the number of phases from which on a chain has extended powers. In a series of n phases with similar
// rates the probabilities of the phases given survival differ by a factor of up to x^(n−1)/(n−1)! after x events. With 16
// phases or fewer this factor stays below the largest number up to the horizon, at 10¹⁸ events.
const extendedFrom = 17

// extendedPowers is the table of powers in numbers that do not underflow. It serves times at which a chain of many phases
// survives with a probability far below the smallest number. By then the chain has mostly reached its last phases. But a
// chain that survives for much longer is still in its first phases, however improbable these phases are by then. The
// table has the same powers and the same logarithms as [powers]. It takes two to ten times as long, so other times do not
// use the table.
type extendedPowers struct {
	powerTable[*extendedPower]
	ordinary *powers
}

// extendedPower is a [power] whose distributions over the phases are extended vectors, one for each row.
type extendedPower struct {
	rows    []extended
	log     []float64
	gone    []float64
	highest float64 // of log
}

// extendedPoint is the state of a chain at a time, as in [point], with an extended distribution over the phases.
type extendedPoint struct {
	survival
	v extended
}

// init sets the ordinary powers of the same chain; the table itself grows when it is needed.
func (ps *extendedPowers) init(ordinary *powers) {
	ps.ordinary, ps.delta, ps.first = ordinary, ordinary.delta, ordinary.extendedFirst
}

// advance returns the state of a chain that moves on from the time of p, by x. p must lie within an event of the start
// of the chain; advance overwrites p. The result means nothing if ctx has ended.
func (ps *extendedPowers) advance(ctx context.Context, p *point, x float64) state {
	walk := ps.ordinary.walk
	count, rest, later := ps.split(x)
	if rest > 0 {
		walk.advance(ctx, p, rest)
	}
	q := &extendedPoint{p.survival, newExtended(p.v)}
	later += ps.factors(ctx, count, q.apply)
	return state{q.survival, q.v.dot(walk.leave) * walk.rate}.later(later)
}

// extendedFirst returns exp(T·δ), the first of the ordinary powers; nil if ctx has ended. Phases that half an event does
// not reach with a probability of a float64 count as unreachable. Paths to them by several later events are far more
// probable.
func (ps *powers) extendedFirst(ctx context.Context) *extendedPower {
	e, _ := ps.at(ctx, 0)
	if e == nil {
		return nil
	}
	x := &extendedPower{log: e.log, gone: e.gone, highest: e.highest}
	for i := range e.n {
		x.rows = append(x.rows, newExtended(e.phases[i*e.n:(i+1)*e.n]))
	}
	return x
}

// squared returns exp(T·2t) of e = exp(T·t), row by row as [power.squared]; nil if ctx ends.
func (e *extendedPower) squared(ctx context.Context) *extendedPower {
	n := len(e.rows)
	next := &extendedPower{rows: make([]extended, n), log: make([]float64, n), gone: make([]float64, n), highest: math.Inf(-1)}
	for i := range n {
		if ctx.Err() != nil {
			return nil
		}
		p := &extendedPoint{survival{e.log[i], math.Exp(e.log[i]), e.gone[i]}, e.rows[i]}
		p.apply(e)
		next.rows[i], next.log[i], next.gone[i] = p.v, p.log, p.absorbed
		next.highest = max(next.highest, p.log)
	}
	return next
}

// beyondHorizon reports whether all logarithms of e are below the horizon.
func (e *extendedPower) beyondHorizon() bool { return e.highest < horizon }

// apply moves p forward by the time of e, as [power.apply] does in ordinary numbers. The weight of a phase is its
// probability times the survival probability from it. Both may be too small for a float64, so the weights are an
// extended vector.
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
		if shift == 0 { // the product keeps the digits that the logarithm loses
			weights.setProduct(i, p.v, e.log[i])
		} else {
			weights.setExp(i, log-shift)
		}
		alive += weights.at(i)
		gone += p.v.at(i) * e.gone[i]
	}
	p.v = weights.times(e.rows)
	p.step(alive, gone, shift)
	p.v.divide(alive)
}
