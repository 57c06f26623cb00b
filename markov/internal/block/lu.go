package block

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
)

// luCols is the width of columns, and the height of rows in a triangular solve, up to which there is too little to
// multiply.
const luCols = 8

// LU is a factorisation with row exchanges, P·M = L·U with a unit diagonal in L. What is singular gives infinities;
// callers certify their results.
//
// Reference: S. Toledo, Locality of reference in LU decomposition with partial pivoting, SIAM J. Matrix Anal. Appl. 18
// (1997) 1065–1081.
type LU struct {
	a     Matrix // below the diagonal L, on and above it U
	pivot []int  // row i was exchanged with row pivot[i], in order
}

// FactorIMinus factors I − m, unless ctx ends.
func FactorIMinus(ctx context.Context, m Matrix) LU {
	w := m.Clone()
	floats.Scale(-1, w.Data)
	for i := range w.Rows {
		w.Data[i*w.Cols+i]++
	}
	return FactorLU(ctx, w)
}

// FactorLU factors w in place, unless ctx ends.
func FactorLU(ctx context.Context, w Matrix) LU {
	f := LU{a: w, pivot: make([]int, w.Rows)}
	f.factor(ctx, 0, w.Rows)
	return f
}

// factor factors the columns c0..c1-1 from row c0 down: half of them, then what the half leaves of the others.
func (f LU) factor(ctx context.Context, c0, c1 int) {
	if c1-c0 <= luCols {
		f.factorPanel(c0, c1)
		return
	}
	mid, n := (c0+c1)/2, f.a.Rows
	f.factor(ctx, c0, mid)
	if ctx.Err() != nil {
		return
	}
	f.exchange(c0, mid, mid, c1)
	f.solveUnit(ctx, f.a, c0, mid, mid, c1)
	subProduct(ctx, f.a.part(mid, n, c0, mid), f.a.part(c0, mid, mid, c1), f.a.part(mid, n, mid, c1))
	f.factor(ctx, mid, c1)
	f.exchange(mid, c1, c0, mid)
}

// factorPanel factors the columns c0..c1−1, at most luCols, from row c0 down, in a copy: in a large matrix every number of a
// column is on a page of its own.
func (f LU) factorPanel(c0, c1 int) {
	rows, width := f.a.Rows-c0, c1-c0
	storage := NewRaw(rows, luCols)
	defer storage.Release()
	panel := func(i int) *[luCols]float64 { return (*[luCols]float64)(storage.Data[i*luCols:]) }
	for i := range rows {
		copy(panel(i)[:], f.a.Row(c0 + i)[c0:c1])
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
			l := row[j] / from[j]
			row[j] = l
			for c := j + 1; c < width; c++ {
				row[c] -= l * from[c]
			}
		}
	}
	for i := range rows {
		copy(f.a.Row(c0 + i)[c0:c1], panel(i)[:])
	}
}

// exchange carries out the exchanges of the rows i0..i1-1 in the columns c0..c1-1.
func (f LU) exchange(i0, i1, c0, c1 int) {
	for i := i0; i < i1; i++ {
		if p := f.pivot[i]; p != i {
			a, b := f.a.Row(i)[c0:c1], f.a.Row(p)[c0:c1]
			for c := range a {
				a[c], b[c] = b[c], a[c]
			}
		}
	}
}

// solveUnit overwrites b[i0:i1, c0:c1] with (L of the rows and columns i0..i1-1)⁻¹ times it.
func (f LU) solveUnit(ctx context.Context, b Matrix, i0, i1, c0, c1 int) {
	if ctx.Err() != nil {
		return
	}
	if i1-i0 > luCols {
		mid := (i0 + i1) / 2
		f.solveUnit(ctx, b, i0, mid, c0, c1)
		subProduct(ctx, f.a.part(mid, i1, i0, mid), b.part(i0, mid, c0, c1), b.part(mid, i1, c0, c1))
		f.solveUnit(ctx, b, mid, i1, c0, c1)
		return
	}
	for i := i0 + 1; i < i1; i++ {
		for k := i0; k < i; k++ {
			floats.AddScaled(b.Row(i)[c0:c1], -f.a.At(i, k), b.Row(k)[c0:c1])
		}
	}
}

// solveUpper overwrites the rows i0..i1-1 of b with (U of these rows and columns)⁻¹ times them.
func (f LU) solveUpper(ctx context.Context, b Matrix, i0, i1 int) {
	if ctx.Err() != nil {
		return
	}
	if i1-i0 > luCols {
		mid := (i0 + i1) / 2
		f.solveUpper(ctx, b, mid, i1)
		subProduct(ctx, f.a.part(i0, mid, mid, i1), b.part(mid, i1, 0, b.Cols), b.part(i0, mid, 0, b.Cols))
		f.solveUpper(ctx, b, i0, mid)
		return
	}
	for i := i1 - 1; i >= i0; i-- {
		for k := i + 1; k < i1; k++ {
			floats.AddScaled(b.Row(i), -f.a.At(i, k), b.Row(k))
		}
		floats.Scale(1/f.a.At(i, i), b.Row(i))
	}
}

// Solve overwrites b with M⁻¹·b, unless ctx ends.
func (f LU) Solve(ctx context.Context, b Matrix) {
	if b.Cols == 0 {
		return
	}
	LU{a: b, pivot: f.pivot}.exchange(0, b.Rows, 0, b.Cols)
	f.solveUnit(ctx, b, 0, b.Rows, 0, b.Cols)
	f.solveUpper(ctx, b, 0, b.Rows)
}

// SolveLeft overwrites x with x·M⁻¹.
func (f LU) SolveLeft(x []float64) {
	n, together := len(x), triangularRows(len(x))
	for i0 := 0; i0 < n; i0 += together {
		i1 := min(i0+together, n)
		for i := i0; i < i1; i++ {
			row := f.a.Row(i)[:i1]
			x[i] /= row[i]
			floats.AddScaled(x[i+1:i1], -x[i], row[i+1:])
		}
		addShared(x, f.a, i0, i1, i1, n, -1)
	}
	for i1 := n; i1 > 0; i1 -= min(together, i1) {
		i0 := max(0, i1-together)
		for i := i1 - 1; i > i0; i-- {
			floats.AddScaled(x[i0:i], -x[i], f.a.Row(i)[i0:i])
		}
		addShared(x, f.a, i0, i1, 0, i0, -1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		p := f.pivot[i]
		x[i], x[p] = x[p], x[i]
	}
}

// SolveLeftRows overwrites each row x of b with x·M⁻¹, unless ctx ends.
func (f LU) SolveLeftRows(ctx context.Context, b Matrix) {
	f.leftUpper(ctx, b, 0, b.Cols)
	f.leftUnit(ctx, b, 0, b.Cols)
	for i := range b.Rows {
		row := b.Row(i)
		for j := len(row) - 1; j >= 0; j-- {
			p := f.pivot[j]
			row[j], row[p] = row[p], row[j]
		}
	}
}

// leftUpper overwrites the columns c0..c1−1 of b with them times (U of these rows and columns)⁻¹.
func (f LU) leftUpper(ctx context.Context, b Matrix, c0, c1 int) {
	if ctx.Err() != nil {
		return
	}
	if c1-c0 > luCols {
		mid := (c0 + c1) / 2
		f.leftUpper(ctx, b, c0, mid)
		subProduct(ctx, b.part(0, b.Rows, c0, mid), f.a.part(c0, mid, mid, c1), b.part(0, b.Rows, mid, c1))
		f.leftUpper(ctx, b, mid, c1)
		return
	}
	u := f.corner(c0, c1)
	for i := range b.Rows {
		row := b.Row(i)[c0:c1]
		for k, x := range row {
			x /= u[k][k]
			row[k] = x
			for j := k + 1; j < len(row); j++ {
				row[j] -= x * u[k][j]
			}
		}
	}
}

// corner returns the rows and columns i0..i1−1 of the factors, at most luCols.
func (f LU) corner(i0, i1 int) (m [luCols][luCols]float64) {
	for i := i0; i < i1; i++ {
		copy(m[i-i0][:], f.a.Row(i)[i0:i1])
	}
	return m
}

// leftUnit overwrites the columns c0..c1−1 of b with them times (L of these rows and columns)⁻¹.
func (f LU) leftUnit(ctx context.Context, b Matrix, c0, c1 int) {
	if ctx.Err() != nil {
		return
	}
	if c1-c0 > luCols {
		mid := (c0 + c1) / 2
		f.leftUnit(ctx, b, mid, c1)
		subProduct(ctx, b.part(0, b.Rows, mid, c1), f.a.part(mid, c1, c0, mid), b.part(0, b.Rows, c0, mid))
		f.leftUnit(ctx, b, c0, mid)
		return
	}
	l := f.corner(c0, c1)
	for i := range b.Rows {
		row := b.Row(i)[c0:c1]
		for k := len(row) - 1; k > 0; k-- {
			x := row[k]
			for j := range k {
				row[j] -= x * l[k][j]
			}
		}
	}
}

// Release gives the storage of a factorisation of a scratch block back.
func (f LU) Release() { f.a.Release() }

// LeftNullVector returns x with x·w = 0 for w of rank one less than its order, any columns but all of which are
// independent: then rounding shows in the last pivot alone, and x = e·L⁻¹·P. It overwrites w by its factors, with one in the
// place of that pivot: SolveLeft takes what is x·w for some x to such an x.
func LeftNullVector(ctx context.Context, w Matrix) ([]float64, LU) {
	f := FactorLU(ctx, w)
	w.Data[len(w.Data)-1] = 1
	x := make([]float64, w.Rows)
	x[w.Rows-1] = 1
	for i := len(x) - 1; i > 0; i-- {
		floats.AddScaled(x[:i], -x[i], w.Row(i)[:i])
	}
	for i := len(x) - 1; i >= 0; i-- {
		p := f.pivot[i]
		x[i], x[p] = x[p], x[i]
	}
	return x, f
}
