package block

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// triangles are the triangular factors of a matrix M = (I − L)·(diag(pivots) − R), with L below and R above the diagonal,
// and the inverses of their diagonal blocks.
type triangles struct {
	n     int
	size  int    // of a block
	rates Matrix // L below the diagonal, pivots on it, R above it
	// upper, n × size, holds the inverses of the diagonal blocks of U = diag(pivots) − R, each in the rows of its
	// block. lower holds the inverses of the diagonal blocks of I − L.
	upper, lower Matrix
}

// invertUpper computes U⁻¹ of the diagonal block of rows i0 to i1−1, in rows of zeros. k0 is the first row of the block
// that f.upper has in its columns. The inverse of two halves with the rates P from the first to the second is
//
//	(U₁ −P; 0 U₂)⁻¹ = (X₁ X₁·P·X₂; 0 X₂),  X_i = U_i⁻¹.
func (f *triangles) invertUpper(ctx context.Context, k0, i0, i1 int) {
	if i1-i0 > gthRows {
		mid := i0 + halfOf(i1-i0, gthRows)
		f.invertUpper(ctx, k0, i0, mid)
		f.invertUpper(ctx, k0, mid, i1)
		f.join(ctx, f.upper, k0, [2]int{i0, mid}, [2]int{mid, i1})
		return
	}
	for i := i1 - 1; i >= i0; i-- {
		row, x := f.rates.Row(i), f.upper.Row(i)[:i1-k0]
		for k := i + 1; k < i1; k++ {
			floats.AddScaled(x[k-k0:], row[k], f.upper.Row(k)[k-k0:i1-k0])
		}
		x[i-k0] = 1
		floats.Scale(1/row[i], x[i-k0:])
	}
}

// invertLower computes (I − L)⁻¹ of the diagonal block of rows i0 to i1−1, as invertUpper does.
func (f *triangles) invertLower(ctx context.Context, k0, i0, i1 int) {
	if i1-i0 > gthRows {
		mid := i0 + halfOf(i1-i0, gthRows)
		f.invertLower(ctx, k0, i0, mid)
		f.invertLower(ctx, k0, mid, i1)
		f.join(ctx, f.lower, k0, [2]int{mid, i1}, [2]int{i0, mid})
		return
	}
	for i := i0; i < i1; i++ {
		row, x := f.rates.Row(i), f.lower.Row(i)
		for k := i0; k < i; k++ {
			floats.AddScaled(x[i0-k0:k-k0+1], row[k], f.lower.Row(k)[i0-k0:k-k0+1])
		}
		x[i-k0] = 1
	}
}

// join sets the entries of an inverse between two sets of states, from and to, whose own inverses X it has. They are
// X_from·P·X_to with the factors P from one set to the other.
func (f *triangles) join(ctx context.Context, inverse Matrix, k0 int, from, to [2]int) {
	own := func(rows, columns [2]int) blas64.General {
		return inverse.part(rows[0], rows[1], columns[0]-k0, columns[1]-k0)
	}
	half := NewScratch(from[1]-from[0], to[1]-to[0])
	defer half.Release()
	addProduct(ctx, own(from, from), f.rates.part(from[0], from[1], to[0], to[1]), half.general())
	addProduct(ctx, half.general(), own(to, to), own(from, to))
}

// invert computes the inverses of all diagonal blocks that are missing.
func (f *triangles) invert(ctx context.Context) {
	if f.lower.Rows == f.n {
		return
	}
	missing := f.upper.Rows < f.n
	if missing {
		f.upper = NewScratch(f.n, f.size)
	}
	f.lower = NewScratch(f.n, f.size)
	for k0 := 0; k0 < f.n; k0 += f.size {
		k1 := min(k0+f.size, f.n)
		f.invertLower(ctx, k0, k0, k1)
		if missing {
			f.invertUpper(ctx, k0, k0, k1)
		}
	}
}

// inverse returns the square block of upper or lower in rows k0 to k1−1.
func (f *triangles) inverse(of Matrix, k0, k1 int) blas64.General { return of.part(k0, k1, 0, k1-k0) }

// substitute calls down for each block of size states k0..k1−1, from the first to the last, and then up from the last to
// the first. It stops if ctx ends.
func substitute(ctx context.Context, n, size int, down, up func(k0, k1 int)) {
	for k0 := 0; k0 < n && (k0 == 0 || ctx.Err() == nil); k0 += size {
		down(k0, min(k0+size, n))
	}
	last := (n - 1) / max(1, size) * size
	for k0 := last; k0 >= 0 && n > 0 && (k0 == last || ctx.Err() == nil); k0 -= size {
		up(k0, min(k0+size, n))
	}
}

// release releases the inverses.
func (f *triangles) release() {
	for _, m := range []Matrix{f.upper, f.lower} {
		if m.Data != nil {
			m.Release()
		}
	}
}
