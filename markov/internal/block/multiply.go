package block

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// addProduct sets c = c + a·b, for a r×k, b k×q and c r×q, row-major with strides. No two of them overlap, but for
// disjoint parts of one matrix. Sizes that do not fit panic. It stops in the middle when ctx is done.
func addProduct(ctx context.Context, a, b, c blas64.General) {
	switch {
	case a.Cols != b.Rows || a.Rows != c.Rows || b.Cols != c.Cols:
		panic("block: sizes of blocks do not fit")
	case a.Rows == 0 || a.Cols == 0 || b.Cols == 0:
	case available:
		fast(ctx, a, b, c)
	default:
		plain(ctx, a, b, c)
	}
}

// Kernel names what multiplies blocks.
func Kernel() string {
	if available {
		return "AVX2 and FMA"
	}
	return "Go"
}

// plain is the product where there is no kernel for the processor, so many rows of a at a time: they take at most some
// milliseconds.
func plain(ctx context.Context, a, b, c blas64.General) {
	const rows = 64
	for i := 0; i < a.Rows && ctx.Err() == nil; i += rows {
		end := min(i+rows, a.Rows)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, part(a, i, end, 0, a.Cols), b, 1, part(c, i, end, 0, c.Cols))
	}
}

// part is the submatrix of rows i0..i1-1 and columns j0..j1-1, sharing storage.
func part(m blas64.General, i0, i1, j0, j1 int) blas64.General {
	data := m.Data[i0*m.Stride+j0 : (i1-1)*m.Stride+j1]
	return blas64.General{Rows: i1 - i0, Cols: j1 - j0, Stride: m.Stride, Data: data}
}
