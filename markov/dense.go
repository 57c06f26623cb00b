package markov

import (
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/internal/gemm"
)

// matrix is a dense row-major block; the solvers work on it rather than on mat.Dense because rows must be had as slices.
type matrix struct {
	rows, cols int
	a          []float64
}

func newMatrix(rows, cols int) matrix {
	return matrix{rows, cols, make([]float64, rows*cols)}
}

func fromMat(m mat.Matrix) matrix {
	rows, cols := m.Dims()
	d := newMatrix(rows, cols)
	for i := range rows {
		for j := range cols {
			d.a[i*cols+j] = m.At(i, j)
		}
	}
	return d
}

func (m matrix) row(i int) []float64 { return m.a[i*m.cols : (i+1)*m.cols] }

func (m matrix) at(i, j int) float64 { return m.a[i*m.cols+j] }

func (m matrix) clone() matrix {
	return matrix{m.rows, m.cols, append([]float64(nil), m.a...)}
}

func (m matrix) dense() *mat.Dense {
	return mat.NewDense(m.rows, m.cols, append([]float64(nil), m.a...))
}

func (m matrix) general() blas64.General {
	return blas64.General{Rows: m.rows, Cols: m.cols, Stride: max(1, m.cols), Data: m.a}
}

// blockRows is the matrix of rows i0..i1-1, sharing storage.
func (m matrix) blockRows(i0, i1 int) matrix {
	return matrix{i1 - i0, m.cols, m.a[i0*m.cols : i1*m.cols]}
}

// rowSums returns m·1.
func (m matrix) rowSums() []float64 {
	s := make([]float64, m.rows)
	for i := range s {
		s[i] = floats.Sum(m.row(i))
	}
	return s
}

// normInf returns the largest absolute row sum.
func (m matrix) normInf() float64 {
	largest := 0.0
	for i := range m.rows {
		largest = max(largest, floats.Norm(m.row(i), 1))
	}
	return largest
}

// few is the number of multiplications up to which the plain sums are faster than anything.
const few = 64

// mulAdd sets c = c + a·b.
func mulAdd(c, a, b matrix) {
	if a.rows*a.cols*b.cols > few || a.cols != b.rows {
		gemm.Add(a.general(), b.general(), c.general())
		return
	}
	for i := range a.rows {
		to := c.row(i)
		for k, v := range a.row(i) {
			for j, w := range b.row(k) {
				to[j] += v * w
			}
		}
	}
}

// apart is the order of blocks from which two products are worth waking another core.
const apart = 200

// beside does two things with blocks of order n, at the same time if that is worth it. Neither may see what the other
// changes.
func beside(n int, one, other func()) {
	if n < apart {
		one()
		other()
		return
	}
	together(one, other)
}

// together does two things at the same time.
func together(one, other func()) {
	var wait sync.WaitGroup
	wait.Go(other)
	one()
	wait.Wait()
}

// mul returns a·b.
func mul(a, b matrix) matrix {
	c := newMatrix(a.rows, b.cols)
	mulAdd(c, a, b)
	return c
}

// vecMul returns x·m.
func vecMul(x []float64, m matrix) []float64 {
	y := make([]float64, m.cols)
	vecMulAdd(y, x, m)
	return y
}

// vecMulAdd sets y = y + x·m.
func vecMulAdd(y, x []float64, m matrix) {
	for i, xi := range x {
		if xi != 0 {
			floats.AddScaled(y, xi, m.row(i))
		}
	}
}

// mulVec returns m·x.
func mulVec(m matrix, x []float64) []float64 {
	y := make([]float64, m.rows)
	for i := range y {
		y[i] = floats.Dot(m.row(i), x)
	}
	return y
}

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

// part is the submatrix of rows i0..i1-1 and columns j0..j1-1, sharing storage.
func (m matrix) part(i0, i1, j0, j1 int) blas64.General {
	if i1 == i0 || j1 == j0 {
		return blas64.General{Rows: i1 - i0, Cols: j1 - j0, Stride: m.cols}
	}
	return blas64.General{Rows: i1 - i0, Cols: j1 - j0, Stride: m.cols, Data: m.a[i0*m.cols+j0 : (i1-1)*m.cols+j1]}
}

// subMulAdd adds a[i0:i1, j0:j1]·a[j0:j1, c0:c1] to a[i0:i1, c0:c1].
func subMulAdd(a matrix, i0, i1, j0, j1, c0, c1 int) {
	gemm.Add(a.part(i0, i1, j0, j1), a.part(j0, j1, c0, c1), a.part(i0, i1, c0, c1))
}

// mulAddPart adds a[i0:i1, j0:j1]·b to c.
func mulAddPart(c, a matrix, i0, i1, j0, j1 int, b matrix) {
	gemm.Add(a.part(i0, i1, j0, j1), b.general(), c.general())
}

// mulAddCols adds a[:, a0:a1]·b[b0:b1, d0:d1] to c[:, c0:c1].
func mulAddCols(c matrix, c0, c1 int, a matrix, a0, a1 int, b matrix, b0, b1, d0, d1 int) {
	if c.rows == 0 {
		return
	}
	gemm.Add(a.part(0, a.rows, a0, a1), b.part(b0, b1, d0, d1), c.part(0, c.rows, c0, c1))
}

// zero reports whether all entries are zero.
func (m matrix) zero() bool {
	for _, v := range m.a {
		if v != 0 {
			return false
		}
	}
	return true
}

func identity(n int) matrix {
	m := newMatrix(n, n)
	for i := range n {
		m.a[i*n+i] = 1
	}
	return m
}

// permuted returns m with rows and columns in the given order (which may leave some out).
func (m matrix) permuted(order []int) matrix {
	p := newMatrix(len(order), len(order))
	for i, oi := range order {
		for j, oj := range order {
			p.a[i*len(order)+j] = m.at(oi, oj)
		}
	}
	return p
}
