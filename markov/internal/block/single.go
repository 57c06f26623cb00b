package block

import (
	"context"
	"unsafe"

	"gonum.org/v1/gonum/blas/blas32"
)

// Single is a dense block in single precision, stored row by row. Products take half the time of those in double
// precision. So an iteration that corrects itself can take its first steps, and small corrections, in single precision.
//
// Kernels take four rows and eight columns at a time. So storage has room for rows up to a multiple of four. Each row has
// room for at least seven more columns. All numbers outside the block are zero and stay zero.
type Single struct {
	Rows, Cols, stride int
	data               []float32
}

// HasSingle reports whether the processor has kernels for products in single precision. The other functions of this file
// must not be called where it has none.
func HasSingle() bool { return available }

// NewSingle returns a zero block from the pools. Its owner calls Release, after which no one may use it.
func NewSingle(rows, cols int) Single {
	stride := (cols + 15) &^ 7
	whole := (rows + tileRows - 1) / tileRows * tileRows
	return Single{rows, cols, stride, singles(NewScratch(1, whole*stride/2).Data)}
}

// Release returns the storage to the pools.
func (m Single) Release() { doubles(m.data).Release() }

// SingleOf returns m, rounded, in a block from the pools.
func SingleOf(m Matrix) Single {
	s, zeros := NewSingle(m.Rows, m.Cols), NewScratch(1, m.Cols)
	defer zeros.Release()
	for i := range m.Rows {
		RoundDifference(s.Row(i), m.Row(i), zeros.Data)
	}
	return s
}

// RoundDifference sets to to a − b, rounded.
func RoundDifference(to []float32, a, b []float64) {
	n := len(to)
	a, b = a[:n], b[:n]
	fast := n &^ 3
	if fast > 0 {
		roundDifferences(fast, &to[0], &a[0], &b[0])
	}
	for i := fast; i < n; i++ {
		to[i] = float32(a[i] - b[i])
	}
}

// AddSingle sets to to a + x.
func AddSingle(to, a []float64, x []float32) {
	n := len(to)
	a, x = a[:n], x[:n]
	fast := n &^ 3
	if fast > 0 {
		addSingles(fast, &to[0], &a[0], &x[0])
	}
	for i := fast; i < n; i++ {
		to[i] = a[i] + float64(x[i])
	}
}

// Row returns row i, which shares the storage.
func (m Single) Row(i int) []float32 { return m.data[i*m.stride : i*m.stride+m.Cols] }

// part returns the columns j0 to j1−1 of rows i0 to i1−1, which share the storage.
func (m Single) part(i0, i1, j0, j1 int) blas32.General {
	return blas32.General{Rows: i1 - i0, Cols: j1 - j0, Stride: m.stride, Data: m.data[i0*m.stride+j0 : (i1-1)*m.stride+j1]}
}

// all returns the whole block.
func (m Single) all() blas32.General { return m.part(0, m.Rows, 0, m.Cols) }

// MulSingle returns a·b in a block from the pools, incomplete if ctx ends. No block may be empty.
func MulSingle(ctx context.Context, a, b Single) Single {
	c := NewSingle(a.Rows, b.Cols)
	addSingleProduct(ctx, a.all(), b.all(), c.all())
	return c
}

// addSingleProduct sets c = c + a·b for parts of blocks. a and c have all rows of their blocks. The parts must not overlap.
func addSingleProduct(ctx context.Context, a, b, c blas32.General) {
	if a.Cols != b.Rows || a.Rows != c.Rows || b.Cols != c.Cols {
		panic("block: sizes of blocks do not fit")
	}
	Share(a.Rows, tileRows, a.Rows*a.Cols*b.Cols, func(i, i1 int) {
		serialSingle(ctx, (i1-i+tileRows-1)/tileRows, a.Data[i*a.Stride:], a.Stride, b, c.Data[i*c.Stride:], c.Stride)
	})
}

// SingleDifference returns a − b, rounded, in a block from the pools.
func SingleDifference(a, b Matrix) Single {
	s := NewSingle(a.Rows, a.Cols)
	for i := range a.Rows {
		RoundDifference(s.Row(i), a.Row(i), b.Row(i))
	}
	return s
}

// RowSum returns the sum of row i.
func (m Single) RowSum(i int) float64 {
	var s0, s1, s2, s3 float64
	x := m.Row(i)
	for ; len(x) >= 4; x = x[4:] {
		s0 += float64(x[0])
		s1 += float64(x[1])
		s2 += float64(x[2])
		s3 += float64(x[3])
	}
	for _, v := range x {
		s0 += float64(v)
	}
	return s0 + s1 + (s2 + s3)
}

// singles returns the storage of float64 as twice as many float32.
func singles(x []float64) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(x))), 2*cap(x))[:2*len(x)]
}

// doubles returns the block whose storage singles has returned.
func doubles(x []float32) Matrix {
	d := unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(x))), cap(x)/2)
	return Matrix{1, len(d), d}
}
