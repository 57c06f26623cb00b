package block

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"
)

// addProduct sets c = c + a·b for a r×k, b k×q and c r×q, stored by rows with strides. They must not overlap, but may be
// disjoint parts of one matrix. Sizes that do not fit panic. c is incomplete if ctx ends.
func addProduct(ctx context.Context, a, b, c blas64.General) {
	switch {
	case !fits(a, b, c):
	case available:
		fast(ctx, a, b, c, 1)
	default:
		plain(ctx, a, b, c)
	}
}

// SetProduct sets c = a·b, as addProduct. It saves a pass over c, whose numbers must be finite before.
func SetProduct(ctx context.Context, a, b, c blas64.General) {
	if available && a.Cols > 0 {
		if fits(a, b, c) {
			fast(ctx, a, b, c, 0)
		}
		return
	}
	for i := range c.Rows {
		clear(c.Data[i*c.Stride:][:c.Cols])
	}
	addProduct(ctx, a, b, c)
}

// fits reports whether the product of a and b has terms. It panics if c has not its size.
func fits(a, b, c blas64.General) bool {
	if a.Cols != b.Rows || a.Rows != c.Rows || b.Cols != c.Cols {
		panic("block: sizes of blocks do not fit")
	}
	return a.Rows > 0 && a.Cols > 0 && b.Cols > 0
}

// HasKernel reports whether the processor has the kernel of products.
func HasKernel() bool { return available }

// Kernel returns the name of the product's implementation.
func Kernel() string {
	if available {
		return "AVX2 and FMA"
	}
	return "Go"
}

// plain reads plainDepth rows and plainCols columns of b together for all rows of a: 96 KiB, which stay in the
// second-level cache.
const (
	plainDepth = 192
	plainCols  = 64
)

// plain is the product for processors without a kernel. It adds four rows of b at a time to a row of c.
func plain(ctx context.Context, a, b, c blas64.General) {
	for k0 := 0; k0 < a.Cols; k0 += plainDepth {
		k1 := min(k0+plainDepth, a.Cols)
		for j0 := 0; j0 < b.Cols; j0 += plainCols {
			j1 := min(j0+plainCols, b.Cols)
			for i := range a.Rows {
				if Stopped(ctx, i) {
					return
				}
				addRowsOf(part(b, k0, k1, j0, j1), a.Data[i*a.Stride+k0:i*a.Stride+k1], c.Data[i*c.Stride+j0:i*c.Stride+j1])
			}
		}
	}
}

// addRowsOf adds Σ_k shares[k]·(row k of b) to the vector to.
func addRowsOf(b blas64.General, shares, to []float64) {
	n := len(to)
	for x := b.Data; len(shares) > 0; x = x[min(len(x), 4*b.Stride):] {
		if len(shares) < 4 {
			for k, s := range shares {
				for j, v := range x[k*b.Stride:][:n] {
					to[j] += s * v
				}
			}
			return
		}
		s0, s1, s2, s3 := shares[0], shares[1], shares[2], shares[3]
		x0, x1, x2, x3 := x[:n], x[b.Stride:][:n], x[2*b.Stride:][:n], x[3*b.Stride:][:n]
		for j, v := range x0 {
			to[j] += s0*v + s1*x1[j] + (s2*x2[j] + s3*x3[j])
		}
		shares = shares[4:]
	}
}

// part returns the submatrix of rows i0 to i1−1 and columns j0 to j1−1, which shares the storage.
func part(m blas64.General, i0, i1, j0, j1 int) blas64.General {
	data := m.Data[i0*m.Stride+j0 : (i1-1)*m.Stride+j1]
	return blas64.General{Rows: i1 - i0, Cols: j1 - j0, Stride: m.Stride, Data: data}
}
