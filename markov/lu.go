package markov

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// lu is a factorisation with row exchanges.
type lu struct {
	a     blas64.General
	pivot []int
}

func luOfIMinus(m matrix) lu {
	w := m.clone()
	floats.Scale(-1, w.a)
	for i := range w.rows {
		w.a[i*w.cols+i]++
	}
	return luOf(w)
}

// luOf factors w in place.
func luOf(w matrix) lu {
	f := lu{a: w.general(), pivot: make([]int, w.rows)}
	lapack64.Getrf(f.a, f.pivot)
	return f
}

// solveLeft overwrites x with x·M⁻¹.
func (f lu) solveLeft(x []float64) {
	lapack64.Getrs(blas.Trans, f.a, blas64.General{Rows: len(x), Cols: 1, Stride: 1, Data: x}, f.pivot)
}

// solve overwrites b with M⁻¹·b.
func (f lu) solve(b matrix) { lapack64.Getrs(blas.NoTrans, f.a, b.general(), f.pivot) }
