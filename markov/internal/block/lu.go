package block

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// luCols is the largest number of columns, and of rows in a triangular solve, that is handled without products of blocks.
// The kernel of products is fastest at multiples of it.
const luCols = 12

// LU is a factorisation with row exchanges, P·M = L·U, where L has a unit diagonal. A singular matrix gives infinities,
// and callers certify their results. The factors are stored with the opposite sign off the diagonal, so that solves add
// products.
//
// Reference: S. Toledo, Locality of reference in LU decomposition with partial pivoting, SIAM J. Matrix Anal. Appl. 18
// (1997) 1065–1081.
type LU struct {
	*triangles
	pivot []int // row i of M was exchanged with row pivot[i], in this order
}

// FactorIMinus factors I − m. The result is incomplete if ctx ends.
func FactorIMinus(ctx context.Context, m Matrix) LU {
	w := m.Clone()
	floats.Scale(-1, w.Data)
	for i := range w.Rows {
		w.Data[i*w.Cols+i]++
	}
	return FactorLU(ctx, w)
}

// FactorLU factors w in place. The result is incomplete if ctx ends.
func FactorLU(ctx context.Context, w Matrix) LU {
	f := LU{&triangles{n: w.Rows, size: blockSize(w.Rows), rates: w}, make([]int, w.Rows)}
	f.factor(ctx, 0, w.Rows)
	for i := range w.Rows {
		floats.Scale(-1, w.Row(i)[i+1:])
	}
	return f
}

// factor factors the columns c0 to c1−1 from row c0 down: first the left half of the columns, then the right half after
// its update. It leaves −L below the diagonal, and U.
func (f LU) factor(ctx context.Context, c0, c1 int) {
	if c1-c0 <= luCols {
		f.factorPanel(c0, c1)
		return
	}
	mid := c0 + halfOf(c1-c0, luCols)
	f.factor(ctx, c0, mid)
	if ctx.Err() != nil {
		return
	}
	exchange(f.rates, f.pivot[c0:mid], c0, mid, c1)
	f.solveUnit(ctx, c0, mid, mid, c1)
	subMulAdd(ctx, f.rates, mid, f.n, c0, mid, mid, c1)
	f.factor(ctx, mid, c1)
	exchange(f.rates, f.pivot[mid:c1], mid, c0, mid)
}

// halfOf returns about half of n > unit, a multiple of unit.
func halfOf(n, unit int) int { return (n/2 + unit - 1) / unit * unit }

// factorPanel factors at most luCols columns c0 to c1−1 from row c0 down. It works on a copy, because in a large matrix
// each entry of a column is on a page of its own.
func (f LU) factorPanel(c0, c1 int) {
	rows, width := f.n-c0, c1-c0
	storage := NewRaw(rows, luCols)
	defer storage.Release()
	panel := func(i int) *[luCols]float64 { return (*[luCols]float64)(storage.Data[i*luCols:]) }
	for i := range rows {
		copy(panel(i)[:], f.rates.Row(c0 + i)[c0:c1])
	}
	for j := range width {
		p, largest := j, -1.0
		for i := j; i < rows; i++ {
			if v := math.Abs(panel(i)[j]); v > largest {
				p, largest = i, v
			}
		}
		f.pivot[c0+j] = c0 + p
		from, other := panel(j), panel(p)
		*from, *other = *other, *from
		for i := j + 1; i < rows; i++ {
			row := panel(i)
			l := -row[j] / from[j]
			row[j] = l
			for c := j + 1; c < width; c++ {
				row[c] += l * from[c]
			}
		}
	}
	for i := range rows {
		copy(f.rates.Row(c0 + i)[c0:c1], panel(i)[:])
	}
}

// exchange exchanges row first+i of a matrix with row pivot[i], in this order, in the columns c0 to c1−1.
func exchange(m Matrix, pivot []int, first, c0, c1 int) {
	for i, p := range pivot {
		if p != first+i {
			a, b := m.Row(first + i)[c0:c1], m.Row(p)[c0:c1]
			for c := range a {
				a[c], b[c] = b[c], a[c]
			}
		}
	}
}

// solveUnit overwrites the columns c0 to c1−1 of rows i0 to i1−1 with L⁻¹ times them, where L is the diagonal block of
// these rows.
func (f LU) solveUnit(ctx context.Context, i0, i1, c0, c1 int) {
	if ctx.Err() != nil {
		return
	}
	if i1-i0 > luCols {
		mid := i0 + halfOf(i1-i0, luCols)
		f.solveUnit(ctx, i0, mid, c0, c1)
		subMulAdd(ctx, f.rates, mid, i1, i0, mid, c0, c1)
		f.solveUnit(ctx, mid, i1, c0, c1)
		return
	}
	for i := i0 + 1; i < i1; i++ {
		for k := i0; k < i; k++ {
			floats.AddScaled(f.rates.Row(i)[c0:c1], f.rates.At(i, k), f.rates.Row(k)[c0:c1])
		}
	}
}

// Solve overwrites b, n×q, with M⁻¹·b. b is incomplete if ctx ends.
func (f LU) Solve(ctx context.Context, b Matrix) {
	if b.Cols == 0 {
		return
	}
	f.invert(ctx)
	exchange(b, f.pivot, 0, 0, b.Cols)
	step := func(inverse blas64.General, k0, k1, from, to int) {
		rows := b.part(k0, k1, 0, b.Cols)
		addProduct(ctx, f.rates.part(k0, k1, from, to), b.part(from, to, 0, b.Cols), rows)
		blockTimes(ctx, inverse, rows)
	}
	substitute(ctx, f.n, f.size,
		func(k0, k1 int) { step(f.inverse(f.lower, k0, k1), k0, k1, 0, k0) },
		func(k0, k1 int) { step(f.inverse(f.upper, k0, k1), k0, k1, k1, f.n) })
}

// SolveVec overwrites x with M⁻¹·x, row by row: for one vector, inverses of the diagonal blocks would take longer.
func (f LU) SolveVec(x []float64) {
	for i, p := range f.pivot {
		x[i], x[p] = x[p], x[i]
	}
	for i := range x {
		x[i] += floats.Dot(f.rates.Row(i)[:i], x[:i])
	}
	for i := f.n - 1; i >= 0; i-- {
		row := f.rates.Row(i)
		x[i] = (x[i] + floats.Dot(row[i+1:], x[i+1:])) / row[i]
	}
}

// SolveLeftRows overwrites each row x of b, q×n, with x·M⁻¹. b is incomplete if ctx ends.
func (f LU) SolveLeftRows(ctx context.Context, b Matrix) {
	if b.Rows == 0 {
		return
	}
	f.invert(ctx)
	step := func(inverse blas64.General, k0, k1, from, to int) {
		columns := b.part(0, b.Rows, k0, k1)
		addProduct(ctx, b.part(0, b.Rows, from, to), f.rates.part(from, to, k0, k1), columns)
		timesBlock(ctx, columns, inverse)
	}
	substitute(ctx, f.n, f.size,
		func(k0, k1 int) { step(f.inverse(f.upper, k0, k1), k0, k1, 0, k0) },
		func(k0, k1 int) { step(f.inverse(f.lower, k0, k1), k0, k1, k1, f.n) })
	for i := range b.Rows {
		f.exchangeBack(b.Row(i))
	}
}

// SolveLeft overwrites x with x·M⁻¹.
func (f LU) SolveLeft(x []float64) {
	const together = 2 * rowsAtOnce // rows that are read together
	substitute(context.Background(), f.n, together,
		func(i0, i1 int) {
			for i := i0; i < i1; i++ {
				if x[i] == 0 {
					continue
				}
				row := f.rates.Row(i)[:i1]
				x[i] /= row[i]
				floats.AddScaled(x[i+1:i1], x[i], row[i+1:])
			}
			addSome(x[i1:], x[i0:i1], f.rates, i0, i1)
		},
		func(i0, i1 int) {
			for i := i1 - 1; i > i0; i-- {
				if x[i] != 0 {
					floats.AddScaled(x[i0:i], x[i], f.rates.Row(i)[i0:i])
				}
			}
			addSome(x[:i0], x[i0:i1], f.rates, i0, 0)
		})
	f.exchangeBack(x)
}

// exchangeBack undoes the exchanges of rows in the entries of x, the last exchange first.
func (f LU) exchangeBack(x []float64) {
	for i, p := range slices.Backward(f.pivot) {
		x[i], x[p] = x[p], x[i]
	}
}

// Release releases the storage of a factorisation whose matrix is a scratch block. The factorisation must not be used any
// more.
func (f LU) Release() {
	f.rates.Release()
	f.release()
}

// LeftNullVector returns x with x·w = 0 for a matrix w of rank n−1, of which any n−1 columns are independent. Then the
// last pivot is zero up to rounding, and x = e_n·L⁻¹·P. LeftNullVector overwrites w with its factors, the last pivot
// being replaced by 1. With these factors SolveLeft solves x·w = r for every r that has a solution.
func LeftNullVector(ctx context.Context, w Matrix) ([]float64, LU) {
	f := FactorLU(ctx, w)
	w.Data[len(w.Data)-1] = 1
	x := make([]float64, w.Rows)
	x[w.Rows-1] = 1
	f.SolveLeft(x)
	return x, f
}
