package block

import "gonum.org/v1/gonum/floats"

// ComplexRows are the factors of a [ComplexFactors] in a form for many right-hand sides at a time. A complex number of a row
// of right-hand sides is kept in two rows of real numbers, row 2i for the real parts and row 2i+1 for the imaginary parts.
// So a complex multiplication is four combinations of real rows, which the kernels of this package make at some eight
// multiplications a nanosecond. One right-hand side at a time takes some six times as long.
type ComplexRows struct {
	factors *ComplexFactors
	cols    []int32 // rows 2j and 2j+1 for each entry in column j
	re, im  []float64
	row     []float64 // scratch
}

// ByRows returns the factors in the form for rows of right-hand sides. It refers to f.
func (f *ComplexFactors) ByRows() *ComplexRows {
	r := &ComplexRows{factors: f, cols: make([]int32, 2*len(f.cols)), re: make([]float64, 2*len(f.cols)),
		im: make([]float64, 2*len(f.cols))}
	for e, j := range f.cols {
		v := f.vals[e]
		r.cols[2*e], r.cols[2*e+1] = 2*j, 2*j+1
		r.re[2*e], r.re[2*e+1] = -real(v), imag(v)
		r.im[2*e], r.im[2*e+1] = -imag(v), -real(v)
	}
	return r
}

// Solve overwrites the right-hand sides with M⁻¹ times them. x holds rows of the given stride. The columns from first to
// last−1 are solved, a multiple of four.
func (r *ComplexRows) Solve(x []float64, stride, first, last int) {
	f, width := r.factors, last-first
	if cap(r.row) < width {
		r.row = make([]float64, width)
	}
	x = x[first:]
	for i := range f.pivots {
		r.add(x, stride, i, width, f.start[i], f.upper[i])
	}
	for i := len(f.pivots) - 1; i >= 0; i-- {
		r.add(x, stride, i, width, f.upper[i], f.start[i+1])
		re, im := x[2*i*stride:][:width], x[(2*i+1)*stride:][:width]
		p, q := real(f.pivots[i]), imag(f.pivots[i])
		for k, v := range re {
			w := im[k]
			re[k], im[k] = v*p-w*q, v*q+w*p
		}
	}
}

// add subtracts from row i the given entries times the rows of their columns.
func (r *ComplexRows) add(x []float64, stride, i, width int, from, to int32) {
	if from == to {
		return
	}
	row, cols := r.row[:width], r.cols[2*from:2*to]
	combination(row, r.re[2*from:2*to], cols, x, stride)
	re := x[2*i*stride:][:width]
	// The imaginary part needs the rows of other columns only, so the real part may change first.
	floats.Add(re, row)
	combination(row, r.im[2*from:2*to], cols, x, stride)
	floats.Add(x[(2*i+1)*stride:][:width], row)
}

// CombineOffsets sets dst to the sum of the slices of x that begin at the given offsets, times the weights. It is fastest
// if len(dst) is a multiple of four.
func CombineOffsets(dst, weights []float64, offsets []int32, x []float64) {
	combination(dst, weights, offsets, x, 1)
}
