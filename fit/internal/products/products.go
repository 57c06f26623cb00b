// Package products multiplies small square matrices and vectors. The matrices are full or upper triangular. Matrix
// exponentials are made by it, and derivatives are carried back through them.
//
// The matrices have two to fifty rows, so the calls and slices of a general library take longer than the arithmetic.
// Small matrices are multiplied by loops. For larger ones every operation is a list of combinations of rows, which one
// call of a kernel computes, eight columns at a time; see [combinations]. With the kernel a full product of order 5
// takes a quarter of the time of loops, and one of order 8 a seventh. Each entry is summed in the order of its terms.
// Products are rounded before they are added, for which the loops convert them to float64. So finite numbers have the
// same results with and without the kernel, to the last digit.
package products

// Shape is the shape of matrices: the N×N numbers at the upper left of matrices whose rows are Length numbers long. They
// are upper triangular if Triangular is true. The entries of triangular matrices below the diagonal must be zero.
// Results have no meaning there, except those of Multiply.
type Shape struct {
	N, Length  int
	Triangular bool
}

// Triangular reports whether a square matrix of order n, given by its entries, is upper triangular.
func Triangular(n int, entry func(i, j int) float64) bool {
	for i := range n {
		for j := range i {
			if entry(i, j) != 0 {
				return false
			}
		}
	}
	return true
}

// Orders from which the kernel takes less time than loops. Loops leave out the zeros of triangular matrices.
const (
	kernelFrom           = 4
	triangularKernelFrom = 6
)

// Kernel reports whether products of the shape use the kernel. Only then are the arguments called transposed needed.
func (s Shape) Kernel() bool {
	return available && s.N >= kernelFrom && (!s.Triangular || s.N >= triangularKernelFrom)
}

// firstColumn returns the first column that may be nonzero in row i of a matrix: i for triangular matrices, otherwise
// 0.
func (s Shape) firstColumn(i int) int {
	if s.Triangular {
		return i
	}
	return 0
}

// row returns row i of a from column first to the last.
func (s Shape) row(a []float64, i, first int) []float64 { return a[i*s.Length+first : i*s.Length+s.N] }

// Multiply overwrites c with the matrix product a·b. c must not be a or b. Numbers of c outside the shape may be cleared.
// Loops leave out zeros of a.
func (s Shape) Multiply(c, a, b []float64) {
	if s.Kernel() && !s.Triangular {
		s.kernelProduct(c, a, b, false)
		return
	}
	clear(c)
	if s.Kernel() {
		s.kernelProduct(c, a, b, false)
		return
	}
	for i := range s.N {
		for l := s.firstColumn(i); l < s.N; l++ {
			if x := a[i*s.Length+l]; x != 0 {
				first := s.firstColumn(l)
				addMultiple(s.row(c, i, first), x, s.row(b, l, first))
			}
		}
	}
}

// AddRightTransposed adds a·bᵀ to c. The argument transposed is bᵀ. c must not be another argument.
func (s Shape) AddRightTransposed(c, a, b, transposed []float64) {
	if s.Kernel() {
		s.kernelProduct(c, a, transposed, true)
		return
	}
	for i := range s.N {
		for j := s.firstColumn(i); j < s.N; j++ {
			c[i*s.Length+j] += s.rowProduct(a, i, b, j)
		}
	}
}

// AddRightTransposedWhere is [Shape.AddRightTransposed] in the entries where mask is not 0. It pays where few entries of
// the mask are not 0, as for chains of phases.
func (s Shape) AddRightTransposedWhere(c, a, b, mask []float64) {
	for i := range s.N {
		for j := s.firstColumn(i); j < s.N; j++ {
			if at := i*s.Length + j; mask[at] != 0 {
				c[at] += s.rowProduct(a, i, b, j)
			}
		}
	}
}

// rowProduct returns the scalar product of row i of a and row j of b, from the first column that may be nonzero in b.
func (s Shape) rowProduct(a []float64, i int, b []float64, j int) (sum float64) {
	first := s.firstColumn(j)
	x, y := s.row(a, i, first), s.row(b, j, first)
	x = x[:len(y)]
	for l, v := range y {
		sum += float64(x[l] * v)
	}
	return sum
}

// AddLeftTransposed adds aᵀ·b to c. c must not be a or b.
func (s Shape) AddLeftTransposed(c, a, b []float64) {
	if s.Kernel() {
		s.kernelLeftTransposed(c, a, b)
		return
	}
	for l := range s.N {
		for i := s.firstColumn(l); i < s.N; i++ {
			if x := a[l*s.Length+i]; x != 0 {
				first := s.firstColumn(i)
				addMultiple(s.row(c, i, first), x, s.row(b, l, first))
			}
		}
	}
}

// TimesVector overwrites the column y with a·x. The argument transposed is aᵀ. y must not be another argument.
func (s Shape) TimesVector(y, a, transposed, x []float64) {
	if s.Kernel() {
		s.kernelVectorTimes(y, x, transposed)
		return
	}
	if s.Triangular {
		s.triangularTimesVector(y, a, x)
		return
	}
	from := x[:s.N]
	for i := range y[:s.N] {
		y[i] = scalarProduct(a[i*s.Length:], from)
	}
}

// triangularTimesVector is [Shape.TimesVector] by loops for triangular matrices.
func (s Shape) triangularTimesVector(y, a, x []float64) {
	from := x[:s.N]
	for i := range y[:s.N] {
		y[i] = scalarProduct(a[i*(s.Length+1):], from)
		from = from[1:]
	}
}

// scalarProduct returns the scalar product of x and the first numbers of row.
func scalarProduct(row, x []float64) (sum float64) {
	row = row[:len(x)]
	for k, v := range x {
		sum += float64(row[k] * v)
	}
	return sum
}

// TimesVectorBack is the reverse of [Shape.TimesVector] in a differentiation, y = a·x: it overwrites the row dx with dy·a,
// and adds the product dy·xᵀ of a column and a row to da.
func (s Shape) TimesVectorBack(dx, da, dy, a, x []float64) {
	if s.Kernel() {
		s.kernelVectorTimes(dx, dy, a)
		s.kernelAddOuter(da, dy, x)
		return
	}
	clear(dx[:s.N])
	for i, v := range dy[:s.N] {
		first := s.firstColumn(i)
		to := dx[first:s.N]
		row, d, from := s.row(a, i, first), s.row(da, i, first), x[first:s.N]
		row, d, from = row[:len(to)], d[:len(to)], from[:len(to)]
		for k := range to {
			to[k] += float64(v * row[k])
			d[k] += float64(v * from[k])
		}
	}
}

// addMultiple adds factor·x to y, which has the length of x.
func addMultiple(y []float64, factor float64, x []float64) {
	x = x[:len(y)]
	for j := range y {
		y[j] += float64(factor * x[j])
	}
}

// Transpose overwrites t with aᵀ. It does nothing if there is no [Shape.Kernel].
func (s Shape) Transpose(t, a []float64) {
	if !s.Kernel() {
		return
	}
	for i := range s.N {
		for j, v := range s.row(a, i, 0) {
			t[j*s.Length+i] = v
		}
	}
}
