// Package products multiplies small square matrices, which are full or upper triangular. Matrix
// exponentials are made by it, and derivatives are carried back through them.
package products

// Shape is the shape of matrices: N×N by rows, and upper triangular if Triangular is true.
type Shape struct {
	N          int
	Triangular bool
}

// FirstColumn returns the first column that may be nonzero in row i of a matrix: i for triangular matrices, otherwise
// 0.
func (s Shape) FirstColumn(i int) int {
	if s.Triangular {
		return i
	}
	return 0
}

// Multiply overwrites c with the matrix product a·b. c must not be a or b. Zeros of a, and the part below the diagonal of
// triangular matrices, cost nothing.
func (s Shape) Multiply(c, a, b []float64) {
	n := s.N
	clear(c)
	for i := range n {
		for l := s.FirstColumn(i); l < n; l++ {
			x := a[i*n+l]
			if x == 0 {
				continue
			}
			from := s.FirstColumn(l)
			row, y := c[i*n+from:i*n+n], b[l*n+from:l*n+n]
			row = row[:len(y)]
			for j, v := range y {
				row[j] += x * v
			}
		}
	}
}

// AddRightTransposed adds a·bᵀ to c, in the entries where mask is not 0, or in all if mask is nil. c must not be a or b.
func (s Shape) AddRightTransposed(c, a, b, mask []float64) {
	n := s.N
	for i := range n {
		for j := s.FirstColumn(i); j < n; j++ {
			if mask != nil && mask[i*n+j] == 0 {
				continue
			}
			from := s.FirstColumn(j)
			x, y := a[i*n+from:i*n+n], b[j*n+from:j*n+n]
			x = x[:len(y)]
			var sum float64
			for l, v := range y {
				sum += x[l] * v
			}
			c[i*n+j] += sum
		}
	}
}

// AddLeftTransposed adds aᵀ·b to c, for triangular matrices only on and above the diagonal. c must not be a or b.
func (s Shape) AddLeftTransposed(c, a, b []float64) {
	n := s.N
	for l := range n {
		for i := s.FirstColumn(l); i < n; i++ {
			x := a[l*n+i]
			if x == 0 {
				continue
			}
			from := s.FirstColumn(i)
			row, y := c[i*n+from:i*n+n], b[l*n+from:l*n+n]
			row = row[:len(y)]
			for j, v := range y {
				row[j] += x * v
			}
		}
	}
}
