package phasetype

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// eventPower is Q^t for the probabilities Q of moves at an event.
type eventPower struct {
	n      int
	phases []float64 // Q^t, row-major
	gone   []float64 // 1 − Q^t·1, with all digits
}

// firstEventPower returns Q = (I + P)/2.
func firstEventPower(walk *uniformized) *eventPower {
	n := len(walk.stay)
	e := &eventPower{n, make([]float64, n*n), make([]float64, n)}
	if walk.dense != nil {
		floats.ScaleTo(e.phases, .5, walk.dense)
	}
	for _, m := range walk.jumps {
		e.phases[m.from*n+m.to] = m.p / 2
	}
	for i, stay := range walk.stay {
		e.phases[i*n+i] = (1 + stay) / 2
	}
	floats.ScaleTo(e.gone, .5, walk.leave)
	e.normalise()
	return e
}

// normalise divides each row by its sum with gone, so that roundings do not accumulate.
func (e *eventPower) normalise() {
	for i, gone := range e.gone {
		row := e.phases[i*e.n : (i+1)*e.n]
		total := floats.Sum(row) + gone
		floats.Scale(1/total, row)
		e.gone[i] = gone / total
	}
}

// squared returns Q^(2t) of e = Q^t, nil if ctx ends.
func (e *eventPower) squared(ctx context.Context) *eventPower {
	n := e.n
	next := &eventPower{n, make([]float64, n*n), make([]float64, n)}
	multiply(ctx, next.phases, e.phases, e.phases, n)
	if ctx.Err() != nil {
		return nil
	}
	e.timesColumn(next.gone, e.gone)
	floats.Add(next.gone, e.gone)
	next.normalise()
	return next
}

// beyondHorizon is false: no power ends the table.
func (e *eventPower) beyondHorizon() bool { return false }

// apply moves p forward by t events. It returns the probability that a chain that was not absorbed before is absorbed.
func (e *eventPower) apply(p *point) (gone float64) {
	timesMatrix(p.sum, p.v, e.phases)
	gone = dot(p.v, e.gone)
	p.setFromSum(floats.Sum(p.sum), gone, 0)
	return gone
}

// timesColumn overwrites dst with Q^t·v.
func (e *eventPower) timesColumn(dst, v []float64) {
	blas64.Gemv(blas.NoTrans, 1, general(e.phases, e.n, e.n), blas64.Vector{N: e.n, Inc: 1, Data: v},
		0, blas64.Vector{N: e.n, Inc: 1, Data: dst})
}

// columns returns g, Q^t·g, Q^(2t)·g, … for g = gone: count columns, made one by one.
func (e *eventPower) columns(count int) blas64.General {
	c := general(make([]float64, e.n*count), e.n, count)
	g, next := slices.Clone(e.gone), make([]float64, e.n)
	for k := range count {
		if k > 0 {
			e.timesColumn(next, g)
			g, next = next, g
		}
		blas64.Copy(blas64.Vector{N: e.n, Inc: 1, Data: g}, blas64.Vector{N: e.n, Inc: count, Data: c.Data[k:]})
	}
	return c
}

// doubled returns (C, Q^t·C) for the columns C.
func (e *eventPower) doubled(ctx context.Context, c blas64.General) blas64.General {
	n, count := e.n, c.Cols
	both := general(make([]float64, 2*n*count), n, 2*count)
	for i := range n {
		copy(both.Data[2*i*count:], c.Data[i*count:(i+1)*count])
	}
	later := blas64.General{Rows: n, Cols: count, Stride: both.Stride, Data: both.Data[count:]}
	product(ctx, general(e.phases, n, n), c, later)
	return both
}
