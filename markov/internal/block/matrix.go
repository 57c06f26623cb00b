package block

import (
	"context"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Matrix is a dense block, stored row by row. Solvers use it instead of mat.Dense because they need rows as slices.
type Matrix struct {
	Rows, Cols int
	Data       []float64
}

// New returns a zero matrix.
func New(rows, cols int) Matrix {
	return Matrix{rows, cols, make([]float64, rows*cols)}
}

// Over returns a matrix that shares data.
func Over(rows, cols int, data []float64) Matrix { return Matrix{rows, cols, data} }

// Missing reports whether m is nil or a nil pointer.
func Missing(m mat.Matrix) bool {
	if m == nil {
		return true
	}
	v := reflect.ValueOf(m)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// Order returns the number of rows of a matrix, and 0 for no matrix.
func Order(m mat.Matrix) int {
	if Missing(m) {
		return 0
	}
	rows, _ := m.Dims()
	return rows
}

// From returns a copy of m. Rows are missing if ctx ends.
func From(ctx context.Context, m mat.Matrix) Matrix {
	rows, cols := m.Dims()
	d := New(rows, cols)
	dense, isDense := m.(*mat.Dense)
	for i := range rows {
		if Stopped(ctx, i) {
			break
		}
		if isDense {
			copy(d.Row(i), dense.RawRowView(i))
			continue
		}
		for j := range cols {
			d.Data[i*cols+j] = m.At(i, j)
		}
	}
	return d
}

// Row returns row i, which shares the storage.
func (m Matrix) Row(i int) []float64 { return m.Data[i*m.Cols : (i+1)*m.Cols] }

// At returns the entry of row i and column j.
func (m Matrix) At(i, j int) float64 { return m.Data[i*m.Cols+j] }

// Clone returns a copy.
func (m Matrix) Clone() Matrix {
	return Matrix{m.Rows, m.Cols, slices.Clone(m.Data)}
}

// Stopped reports whether ctx is done. It looks at ctx once in 64 rows, which take at most some milliseconds.
func Stopped(ctx context.Context, row int) bool { return row%64 == 63 && ctx.Err() != nil }

// Dense returns a copy for users of gonum.
func (m Matrix) Dense() *mat.Dense {
	return mat.NewDense(m.Rows, m.Cols, slices.Clone(m.Data))
}

func (m Matrix) general() blas64.General {
	return blas64.General{Rows: m.Rows, Cols: m.Cols, Stride: max(1, m.Cols), Data: m.Data}
}

// RowRange returns the matrix of rows i0 to i1−1, which shares the storage.
func (m Matrix) RowRange(i0, i1 int) Matrix {
	return Matrix{i1 - i0, m.Cols, m.Data[i0*m.Cols : i1*m.Cols]}
}

// RowSums returns m·1.
func (m Matrix) RowSums() []float64 {
	s := make([]float64, m.Rows)
	for i := range s {
		s[i] = Sum(m.Row(i))
	}
	return s
}

// NormInf returns the largest absolute row sum.
func (m Matrix) NormInf() float64 {
	largest := 0.0
	for i := range m.Rows {
		largest = max(largest, floats.Norm(m.Row(i), 1))
	}
	return largest
}

// few and fewOfVector are the numbers of multiplications up to which plain loops are fastest, for products of matrices
// and of a vector and a matrix.
const (
	few         = 125
	fewOfVector = 256
)

// MulAdd sets c = c + a·b. c is incomplete if ctx ends.
func MulAdd(ctx context.Context, c, a, b Matrix) {
	if a.Rows*a.Cols*b.Cols > few || a.Cols != b.Rows {
		addProduct(ctx, a.general(), b.general(), c.general())
		return
	}
	for i := range a.Rows {
		row, to := a.Row(i), c.Row(i)
		for j := range to {
			sum, at := to[j], j
			for _, v := range row {
				sum += v * b.Data[at]
				at += len(to)
			}
			to[j] = sum
		}
	}
}

// Mul returns a·b, incomplete if ctx ends.
func Mul(ctx context.Context, a, b Matrix) Matrix {
	c := New(a.Rows, b.Cols)
	MulAdd(ctx, c, a, b)
	return c
}

// VecMul returns x·m.
func VecMul(x []float64, m Matrix) []float64 {
	y := make([]float64, m.Cols)
	VecMulAdd(y, x, m)
	return y
}

// VecMulAdd sets y = y + x·m.
func VecMulAdd(y, x []float64, m Matrix) {
	if available && 0 < len(x) && len(x) <= rowsAtOnce && 0 < len(y) && len(y) <= columnsOnStack && len(y)%4 == 0 {
		var room [columnsOnStack]float64
		sum := room[:len(y)]
		combination(sum, x, consecutive[:len(x)], m.Data, m.Cols)
		for j, v := range sum {
			y[j] += v
		}
		return
	}
	if len(x)*len(y) <= fewOfVector {
		addRowsOf(m.general(), x, y)
		return
	}
	FewMulAdd(Matrix{1, len(y), y}, Matrix{1, len(x), x}, m)
}

// FewMulAdd sets c = c + a·b for an a of few rows. The rows of a large b are read once. Rows of b beyond the columns of a
// are ignored.
func FewMulAdd(c, a, b Matrix) {
	tiles := a.Rows > fewRows && b.Cols%4 == 0 // without copies of the last columns
	if a.Cols*b.Cols <= fewOfVector && !tiles {
		for k := range a.Rows {
			addRowsOf(b.general(), a.Row(k), c.Row(k))
		}
		return
	}
	if a.Rows > fewRows {
		addProduct(context.Background(), a.general(), b.part(0, a.Cols, 0, b.Cols), c.general())
		return
	}
	room := NewRaw(1, columnsAtOnce)
	defer room.Release()
	for i := 0; i < a.Cols; i += rowsAtOnce {
		for k := range a.Rows {
			addRows(c.Row(k), a.Row(k)[i:min(i+rowsAtOnce, a.Cols)], b.Data[i*b.Cols:], b.Cols, room.Data)
		}
	}
}

// addSome adds vals·(the rows of m from row i0, in the columns from c0) to the vector to. vals must not overlap to.
func addSome(to, vals []float64, m Matrix, i0, c0 int) {
	if len(to) == 0 {
		return
	}
	if len(vals)*len(to) <= fewOfVector {
		addRowsOf(m.part(i0, i0+len(vals), c0, c0+len(to)), vals, to)
		return
	}
	room := NewRaw(1, columnsAtOnce)
	defer room.Release()
	for i := 0; i < len(vals); i += rowsAtOnce {
		addRows(to, vals[i:min(i+rowsAtOnce, len(vals))], m.Data[(i0+i)*m.Cols+c0:], m.Cols, room.Data)
	}
}

// rowsAtOnce is the number of rows that are combined before their sum is added to a vector. columnsAtOnce is the length
// of that sum, and columnsOnStack the length up to which a small product has it on the stack: 16 rows of 16 columns take
// half the time of plain loops. Products of more rows than fewRows are faster by [addProduct].
const (
	fewRows        = 2
	rowsAtOnce     = 16
	columnsAtOnce  = 512
	columnsOnStack = 32
)

// consecutive holds the numbers of consecutive rows.
var consecutive = [rowsAtOnce]int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// addRows adds Σ_e vals[e]·x[e·stride:][:len(dst)] to dst, for at most rowsAtOnce rows. room holds columnsAtOnce numbers.
func addRows(dst, vals, x []float64, stride int, room []float64) {
	for len(dst) > 0 {
		sum := room[:min(len(dst), len(room))]
		if len(sum) > 4 {
			sum = sum[:len(sum)&^3] // the rest has less than four numbers
		}
		combination(sum, vals, consecutive[:len(vals)], x, stride)
		floats.Add(dst[:len(sum)], sum)
		dst, x = dst[len(sum):], x[len(sum):]
	}
}

// MulVec returns m·x.
func MulVec(m Matrix, x []float64) []float64 {
	y := make([]float64, m.Rows)
	SetMulVec(y, m, x)
	return y
}

// SetMulVec overwrites y with m·x. They must not overlap.
func SetMulVec(y []float64, m Matrix, x []float64) {
	for i := range y {
		y[i] = floats.Dot(m.Row(i), x)
	}
}

// Ones returns n ones.
func Ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

// part returns the submatrix of rows i0 to i1−1 and columns j0 to j1−1, which shares the storage.
func (m Matrix) part(i0, i1, j0, j1 int) blas64.General {
	if i1 == i0 || j1 == j0 {
		return blas64.General{Rows: i1 - i0, Cols: j1 - j0, Stride: m.Cols}
	}
	return blas64.General{Rows: i1 - i0, Cols: j1 - j0, Stride: m.Cols, Data: m.Data[i0*m.Cols+j0 : (i1-1)*m.Cols+j1]}
}

// subMulAdd adds a[i0:i1, j0:j1]·a[j0:j1, c0:c1] to a[i0:i1, c0:c1].
func subMulAdd(ctx context.Context, a Matrix, i0, i1, j0, j1, c0, c1 int) {
	addProduct(ctx, a.part(i0, i1, j0, j1), a.part(j0, j1, c0, c1), a.part(i0, i1, c0, c1))
}

// IsZero reports whether all entries are zero.
func (m Matrix) IsZero() bool {
	for _, v := range m.Data {
		if v != 0 {
			return false
		}
	}
	return true
}

// Identity returns the identity matrix of order n.
func Identity(n int) Matrix {
	m := New(n, n)
	for i := range n {
		m.Data[i*n+i] = 1
	}
	return m
}

// Permuted returns m with rows and columns in the given order. The order may omit some. If the order is that of m, the
// result is m itself.
func (m Matrix) Permuted(order []int) Matrix {
	if len(order) == m.Rows && slices.IsSorted(order) {
		return m
	}
	p := New(len(order), len(order))
	for i, oi := range order {
		for j, oj := range order {
			p.Data[i*len(order)+j] = m.At(oi, oj)
		}
	}
	return p
}

// UnitRoundoff is an upper bound on the relative rounding error of one operation, 2⁻⁵³.
const UnitRoundoff = 1.2e-16

// LeastNormal is the smallest positive number with all its digits, 2⁻¹⁰²². Smaller numbers lose digits: a product with a
// factor above one half rounds the smallest positive number to itself.
const LeastNormal = 0x1p-1022

// IsUpperTriangular reports whether all entries of m below the diagonal are zero. A system of block equations with this
// pattern is solved one block row at a time.
func (m Matrix) IsUpperTriangular() bool {
	for i := range m.Rows {
		for j := range i {
			if m.At(i, j) != 0 {
				return false
			}
		}
	}
	return true
}

// KronIdentity returns the Kronecker product m ⊗ I_k as a new matrix: m applied to the first index of pairs, whose
// second index has k values.
func KronIdentity(m Matrix, k int) Matrix {
	out := New(m.Rows*k, m.Cols*k)
	out.addKronIdentity(m, k)
	return out
}

// ScratchKronIdentity is [KronIdentity] as a scratch block.
func ScratchKronIdentity(m Matrix, k int) Matrix {
	out := NewScratch(m.Rows*k, m.Cols*k)
	out.addKronIdentity(m, k)
	return out
}

// addKronIdentity adds a ⊗ I_k to m, in place.
func (m Matrix) addKronIdentity(a Matrix, k int) {
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			if v == 0 {
				continue
			}
			for e := range k {
				m.Row(i*k + e)[j*k+e] += v
			}
		}
	}
}

// SetInverses overwrites to[i] with 1/x[i] for all entries of x; to is as long, and the numbers are positive. Products
// with the inverses take less time than divisions.
func SetInverses(to, x []float64) {
	for i, v := range x {
		to[i] = 1 / v
	}
}
