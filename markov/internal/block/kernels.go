package block

import (
	"context"
	"unsafe"

	"gonum.org/v1/gonum/blas/blas64"
)

// gaussJordanStep adds c[:, j:j+m]·e to c in place, e being m×c.Cols, and puts the product in the place of these m
// columns themselves: what eliminating m variables in place comes down to. It is fastest for at most 12 variables and
// columns that are multiples of four; columns beyond those of the variables, up to the 12th from j on, must be zero
// then. It stops in the middle when ctx is done.
func gaussJordanStep(ctx context.Context, c blas64.General, j int, e blas64.General) {
	m := e.Rows
	if c.Cols != e.Cols || j < 0 || j+m > c.Cols {
		panic("block: sizes of blocks do not fit")
	}
	if c.Rows == 0 || m == 0 {
		return
	}
	if available && c.Cols%4 == 0 && j%4 == 0 && (m == widest || m < widest && j+m+4 >= c.Cols) {
		fastGaussJordan(ctx, c, j, e)
		return
	}
	was := NewRaw(c.Rows, m)
	defer was.Release()
	take(was, part(c, 0, c.Rows, j, j+m))
	addProduct(ctx, was.general(), e, c)
}

// combination sets dst = Σ_e vals[e]·x[cols[e]·stride:][:len(dst)], a combination of rows of a matrix. None of them overlaps
// dst. It is fastest if len(dst) is a multiple of four.
func combination(dst, vals []float64, cols []int32, x []float64, stride int) {
	if available && len(dst)%4 == 0 && len(dst) > 0 && len(vals) > 0 {
		for _, j := range cols[:len(vals)] {
			_ = x[int(j)*stride : int(j)*stride+len(dst)]
		}
		fastCombine(dst, vals, cols, x, stride)
		return
	}
	clear(dst)
	for e, v := range vals {
		row := x[int(cols[e])*stride:][:len(dst)]
		for i := range dst {
			dst[i] += v * row[i]
		}
	}
}

// combinations sets row i of dst to scale ∘ Σ_e vals[4i+e]·x[starts[e]+i·step:][:dst.Cols], e < 4: combinations of rows
// that move on together, entry by entry times scale if that is not nil. Where vals are zero, x is read and must be
// finite. It is fastest if dst.Cols is a multiple of four.
func combinations(dst blas64.General, scale, vals, x []float64, starts [4]int, step int) {
	if dst.Rows == 0 || dst.Cols == 0 {
		return
	}
	if scale != nil {
		scale = scale[:dst.Cols]
	}
	vals = vals[:4*dst.Rows]
	for _, at := range starts {
		_ = x[at : at+(dst.Rows-1)*step+dst.Cols]
	}
	_ = dst.Data[:(dst.Rows-1)*dst.Stride+dst.Cols]
	if available && dst.Cols%4 == 0 {
		fastCombineRows(dst, scale, vals, x, starts, step)
		return
	}
	for i := range dst.Rows {
		row := dst.Data[i*dst.Stride:][:dst.Cols]
		clear(row)
		for e, at := range starts {
			v, from := vals[4*i+e], x[at+i*step:][:dst.Cols]
			for j := range row {
				row[j] += v * from[j]
			}
		}
		for j, v := range scale {
			row[j] *= v
		}
	}
}

// side is how many states a [square] holds at most.
const side = 12

// square holds the rates between up to 12 states, a row for each, and in its column side those by which they are left
// for good; what lies beyond is zero.
type square [side][16]float64

// numbers are the rows of z, end to end.
func (z *square) numbers() []float64 { return unsafe.Slice(&z[0][0], len(z)*len(z[0])) }

// invertSmall turns the first n columns of z into (diag(out) − Z)⁻¹, out being the sums of the rows but for their
// diagonals, which do not count: the mean times spent in each state, from each. One state is eliminated at a time: with
// p = 1/(what flows out of k, to states not yet eliminated and for good),
//
//	z_ij += z_ik·p·z_kj,  z_ik = z_ik·p,  z_kj = p·z_kj,  z_kk = p   (i, j ≠ k),
//
// sums of nonnegative terms. It returns n, or the first state that is not left.
func invertSmall(z *square, n int) int {
	if available && n > 0 {
		return fastInvertSquare(z, n)
	}
	for k := range n {
		from := &z[k]
		flow := 0.0
		for _, v := range from[k+1:] {
			flow += v
		}
		if !(flow > 0) {
			return k
		}
		p := 1 / flow
		from[k] = 0
		for i := range n {
			to := &z[i]
			share := to[k] * p
			for j, v := range from {
				to[j] += share * v
			}
			to[k] = share
		}
		for j := range from {
			from[j] *= p
		}
		from[k] = p
	}
	return n
}
