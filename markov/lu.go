package markov

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/gemm"
)

// luCols is the width of columns, and the height of rows in a triangular solve, up to which there is too little to multiply.
const luCols = 8

// lu is a factorisation with row exchanges, P·M = L·U with a unit diagonal in L. What is singular gives infinities; callers
// certify their results.
//
// Reference: S. Toledo, Locality of reference in LU decomposition with partial pivoting, SIAM J. Matrix Anal. Appl. 18
// (1997) 1065–1081.
type lu struct {
	a     matrix // below the diagonal L, on and above it U
	pivot []int  // row i was exchanged with row pivot[i], in order
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
	f := lu{a: w, pivot: make([]int, w.rows)}
	f.factor(0, w.rows)
	return f
}

// factor factors the columns c0..c1-1 from row c0 down: half of them, then what the half leaves of the others.
func (f lu) factor(c0, c1 int) {
	if c1-c0 <= luCols {
		for j := c0; j < c1; j++ {
			f.factorColumn(j, c0, c1)
		}
		return
	}
	mid, n := (c0+c1)/2, f.a.rows
	f.factor(c0, mid)
	f.exchange(c0, mid, mid, c1)
	f.solveUnit(f.a, c0, mid, mid, c1)
	gemm.Sub(f.a.part(mid, n, c0, mid), f.a.part(c0, mid, mid, c1), f.a.part(mid, n, mid, c1))
	f.factor(mid, c1)
	f.exchange(mid, c1, c0, mid)
}

// factorColumn eliminates column j in the columns up to c1.
func (f lu) factorColumn(j, c0, c1 int) {
	p, largest := j, -1.0
	for i := j; i < f.a.rows; i++ {
		if v := math.Abs(f.a.at(i, j)); v > largest {
			p, largest = i, v
		}
	}
	f.pivot[j] = p
	f.exchange(j, j+1, c0, c1)
	from := f.a.row(j)[j:c1]
	for i := j + 1; i < f.a.rows; i++ {
		row := f.a.row(i)[j:c1]
		l := row[0] / from[0]
		row[0] = l
		for c := 1; c < len(from); c++ {
			row[c] -= l * from[c]
		}
	}
}

// exchange carries out the exchanges of the rows i0..i1-1 in the columns c0..c1-1.
func (f lu) exchange(i0, i1, c0, c1 int) {
	for i := i0; i < i1; i++ {
		if p := f.pivot[i]; p != i {
			a, b := f.a.row(i)[c0:c1], f.a.row(p)[c0:c1]
			for c := range a {
				a[c], b[c] = b[c], a[c]
			}
		}
	}
}

// solveUnit overwrites b[i0:i1, c0:c1] with (L of the rows and columns i0..i1-1)⁻¹ times it.
func (f lu) solveUnit(b matrix, i0, i1, c0, c1 int) {
	if i1-i0 > luCols {
		mid := (i0 + i1) / 2
		f.solveUnit(b, i0, mid, c0, c1)
		gemm.Sub(f.a.part(mid, i1, i0, mid), b.part(i0, mid, c0, c1), b.part(mid, i1, c0, c1))
		f.solveUnit(b, mid, i1, c0, c1)
		return
	}
	for i := i0 + 1; i < i1; i++ {
		for k := i0; k < i; k++ {
			floats.AddScaled(b.row(i)[c0:c1], -f.a.at(i, k), b.row(k)[c0:c1])
		}
	}
}

// solveUpper overwrites the rows i0..i1-1 of b with (U of these rows and columns)⁻¹ times them.
func (f lu) solveUpper(b matrix, i0, i1 int) {
	if i1-i0 > luCols {
		mid := (i0 + i1) / 2
		f.solveUpper(b, mid, i1)
		gemm.Sub(f.a.part(i0, mid, mid, i1), b.part(mid, i1, 0, b.cols), b.part(i0, mid, 0, b.cols))
		f.solveUpper(b, i0, mid)
		return
	}
	for i := i1 - 1; i >= i0; i-- {
		for k := i + 1; k < i1; k++ {
			floats.AddScaled(b.row(i), -f.a.at(i, k), b.row(k))
		}
		floats.Scale(1/f.a.at(i, i), b.row(i))
	}
}

// solve overwrites b with M⁻¹·b.
func (f lu) solve(b matrix) {
	if b.cols == 0 {
		return
	}
	lu{a: b, pivot: f.pivot}.exchange(0, b.rows, 0, b.cols)
	f.solveUnit(b, 0, b.rows, 0, b.cols)
	f.solveUpper(b, 0, b.rows)
}

// solveLeft overwrites x with x·M⁻¹.
func (f lu) solveLeft(x []float64) {
	for i := range x {
		row := f.a.row(i)
		x[i] /= row[i]
		floats.AddScaled(x[i+1:], -x[i], row[i+1:])
	}
	for i := len(x) - 1; i > 0; i-- {
		floats.AddScaled(x[:i], -x[i], f.a.row(i)[:i])
	}
	for i := len(x) - 1; i >= 0; i-- {
		p := f.pivot[i]
		x[i], x[p] = x[p], x[i]
	}
}
