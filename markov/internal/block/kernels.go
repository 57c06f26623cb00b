package block

import (
	"context"
	"unsafe"

	"gonum.org/v1/gonum/blas/blas64"
)

// gaussJordanStep eliminates m variables in place, where e is m×c.Cols. With B the columns j to j+m−1 of c before the
// step,
//
//	c[:, k] = c[:, k] + B·e[:, k] for the other columns k,   c[:, k] = B·e[:, k] for the columns k of B.
//
// It is fastest for at most 12 variables and numbers of columns that are multiples of four. Columns after the variables,
// up to the 12th from j on, must be zero then. c is incomplete if ctx ends.
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

// combination sets dst = Σ_e vals[e]·x[cols[e]·stride:][:len(dst)], a combination of rows of a matrix. No row may overlap
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

// combinations sets row i of dst to scale ∘ Σ_e vals[4i+e]·x[starts[e]+i·step:][:dst.Cols], e < 4. scale is ones if it is
// nil. x is read also where vals are zero, and must be finite there. It is fastest if dst.Cols is a multiple of four.
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

// side is the largest number of states of a [square].
const side = 12

// square holds the rates between up to 12 states, a row for each. Column side holds the rates at which states are left
// for good. All other entries are zero.
type square [side][16]float64

// numbers returns the rows of z, one after the other.
func (z *square) numbers() []float64 { return unsafe.Slice(&z[0][0], len(z)*len(z[0])) }

// invertSmall overwrites the first n columns of z with (diag(out) − Z)⁻¹, where out holds the row sums of z without the
// diagonal. The entries are the mean times in each state, from each state. States are eliminated one at a time: with p_k
// = 1/(flow out of k to later states and for good),
//
//	z_ij += z_ik·p_k·z_kj,  z_ik = z_ik·p_k,  z_kj = p_k·z_kj,  z_kk = p_k   (i, j ≠ k).
//
// All terms are nonnegative. It returns n, or the first state that is never left.
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

// take moves b to to and leaves zeros in b.
func take(to Matrix, b blas64.General) {
	for i := range b.Rows {
		row := b.Data[i*b.Stride : i*b.Stride+b.Cols]
		copy(to.Row(i), row)
		clear(row)
	}
}
