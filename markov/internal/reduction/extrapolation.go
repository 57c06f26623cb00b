package reduction

import (
	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// Extrapolation improves the result of a step of a fixed point iteration by the result of the step before. It takes the
// combination of the two results whose changes, relative to the entries, have the least sum of squares.
//
// Reference: D. G. Anderson, Iterative procedures for nonlinear integral equations, J. ACM 12 (1965) 547–560.
type Extrapolation struct {
	room                       block.Matrix // of the other vectors, one for each
	result, change             []float64    // of the latest step
	resultBefore, changeBefore []float64    // of the step before
	steps                      int
	mostWeight                 float64
}

// NewExtrapolation returns an extrapolation for vectors of n entries. mostWeight is the largest multiple of the difference
// of two results that is added to the latest: η/(1−η) if changes fall by a factor of at most η. The caller releases it.
func NewExtrapolation(n int, mostWeight float64) *Extrapolation {
	room := block.NewRaw(4, n)
	return &Extrapolation{
		room: room, result: room.Row(0), change: room.Row(1), resultBefore: room.Row(2), changeBefore: room.Row(3),
		mostWeight: mostWeight,
	}
}

// Release releases the storage.
func (e *Extrapolation) Release() { e.room.Release() }

// Add adds a step of the iteration: what it began with, and its result. Both stay unchanged.
func (e *Extrapolation) Add(before, result []float64) {
	e.result, e.resultBefore = e.resultBefore, e.result
	e.change, e.changeBefore = e.changeBefore, e.change
	copy(e.result, result)
	floats.SubTo(e.change, result, before)
	e.steps++
}

// Extrapolate overwrites the latest result with the combination of the latest two results, if there are two. Each entry
// stays at least half of the latest. With the changes d and d' of the latest step and the step before, divided by the
// entries, the weight of the difference of the results is
//
//	Σ d·(d' − d) / Σ (d' − d)².
func (e *Extrapolation) Extrapolate(latest []float64) {
	if e.steps < 2 {
		return
	}
	up, down := 0.0, 0.0
	for i, v := range e.result {
		if v > 0 {
			now, less := e.change[i]/v, (e.changeBefore[i]-e.change[i])/v
			up += now * less
			down += less * less
		}
	}
	if down == 0 { // the changes have not changed
		return
	}
	weight := min(max(0, up/down), e.mostWeight)
	for i, v := range e.result {
		latest[i] = max(v/2, v+weight*(v-e.resultBefore[i]))
	}
}
