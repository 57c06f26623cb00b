package block

import (
	"context"
	"runtime"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
)

// addProduct sets c = c + a·b, for a r×k, b k×q and c r×q, row-major with strides. No two of them overlap, but for
// disjoint parts of one matrix. Sizes that do not fit panic. It stops in the middle when ctx is done.
func addProduct(ctx context.Context, a, b, c blas64.General) { checked(ctx, false, a, b, c) }

// subProduct sets c = c − a·b.
func subProduct(ctx context.Context, a, b, c blas64.General) { checked(ctx, true, a, b, c) }

func checked(ctx context.Context, subtract bool, a, b, c blas64.General) {
	if a.Cols != b.Rows || a.Rows != c.Rows || b.Cols != c.Cols {
		panic("block: sizes of blocks do not fit")
	}
	if a.Rows > 0 && a.Cols > 0 && b.Cols > 0 {
		product(ctx, subtract, a, b, c)
	}
}

// own is the product by what this program brings along.
func own(ctx context.Context, subtract bool, a, b, c blas64.General) {
	switch {
	case available && !replaced():
		fast(ctx, subtract, a, b, c)
	case runtime.GOARCH == "amd64" || replaced():
		portable(ctx, subtract, a, b, c)
	default:
		tiled(ctx, subtract, a, b, c)
	}
}

// replaced reports whether the program uses a BLAS other than gonum's, OpenBLAS for one; then it is meant to be used.
func replaced() bool {
	_, own := blas64.Implementation().(gonum.Implementation)
	return !own
}

// Columns of a tile of gonum's product that keep it on the calling goroutine: it starts others from four blocks
// of 64×64 on, and it is whole solutions that are worked on in parallel.
const (
	serialRows = 64
	serialCols = 192
)

func portable(ctx context.Context, subtract bool, a, b, c blas64.General) {
	for i := 0; i < a.Rows; i += serialRows {
		i1 := min(i+serialRows, a.Rows)
		for j := 0; j < b.Cols; j += serialCols {
			if i+j > 0 && ctx.Err() != nil {
				return
			}
			j1 := min(j+serialCols, b.Cols)
			blas64.Gemm(blas.NoTrans, blas.NoTrans, sign(subtract),
				part(a, i, i1, 0, a.Cols), part(b, 0, b.Rows, j, j1), 1, part(c, i, i1, j, j1))
		}
	}
}

func sign(subtract bool) float64 {
	if subtract {
		return -1
	}
	return 1
}

// part is the submatrix of rows i0..i1-1 and columns j0..j1-1, sharing storage.
func part(m blas64.General, i0, i1, j0, j1 int) blas64.General {
	data := m.Data[i0*m.Stride+j0 : (i1-1)*m.Stride+j1]
	return blas64.General{Rows: i1 - i0, Cols: j1 - j0, Stride: m.Stride, Data: data}
}
