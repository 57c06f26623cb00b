package products

// combinations are combinations of the rows of a matrix b, one for each row of a matrix c. Row i of c becomes, or is
// increased by,
//
//	Σ_l a[i·nextRow + l·nextTerm]·(row first_i + l of b),   0 ≤ l < terms + i·moreTerms.
//
// b begins with row first_0. Row first_i begins i·nextFirst numbers later. All rows of b and c have the given length, of
// which the sums change so many columns. Each row has at least one term. The slices must be long enough: the kernel does
// not check indices.
type combinations struct {
	rows, columns, length int
	c, a, b               []float64
	nextRow, nextTerm     int
	nextFirst             int
	terms, moreTerms      int
	before, after         bool // c is the first or the last term of its sum; with neither, c is overwritten
}

// groupOfRows is the number of rows of a triangular matrix that are computed from the same column on.
const groupOfRows = 4

// kernelProduct sets c to a·b, where a has the shape s, or adds a·b to c.
func (s Shape) kernelProduct(c, a, b []float64, add bool) {
	n, length := s.N, s.Length
	c, a, b = s.part(c), s.part(a), s.part(b)
	if !s.Triangular {
		addRows(&combinations{
			rows: n, columns: n, length: length, c: c, a: a, nextRow: length, nextTerm: 1, b: b, terms: n, after: add,
		})
		return
	}
	for i := 0; i < n; i += groupOfRows {
		corner := i*length + i
		addRows(&combinations{
			rows: min(groupOfRows, n-i), columns: n - i, length: length, c: c[corner:],
			a: a[corner:], nextRow: length + 1, nextTerm: 1, b: b[corner:], nextFirst: length,
			terms: n - i, moreTerms: -1, after: add,
		})
	}
}

// kernelLeftTransposed adds aᵀ·b to c.
func (s Shape) kernelLeftTransposed(c, a, b []float64) {
	n, length := s.N, s.Length
	c, a, b = s.part(c), s.part(a), s.part(b)
	if !s.Triangular {
		addRows(&combinations{
			rows: n, columns: n, length: length, c: c, a: a, nextRow: 1, nextTerm: length, b: b, terms: n, before: true,
		})
		return
	}
	for i := 0; i < n; i += groupOfRows {
		addRows(&combinations{
			rows: min(groupOfRows, n-i), columns: n - i, length: length, c: c[i*length+i:],
			a: a[i:], nextRow: 1, nextTerm: length, b: b[i:], terms: i + 1, moreTerms: 1, before: true,
		})
	}
}

// kernelVectorTimes overwrites the row y with x·a.
func (s Shape) kernelVectorTimes(y, x, a []float64) {
	n := s.N
	addRows(&combinations{rows: 1, columns: n, length: s.Length, c: y[:n], a: x[:n], nextTerm: 1, b: s.part(a), terms: n})
}

// kernelAddOuter adds x·yᵀ to a.
func (s Shape) kernelAddOuter(a, x, y []float64) {
	n := s.N
	addRows(&combinations{
		rows: n, columns: n, length: s.Length, c: s.part(a), a: x[:n], nextRow: 1, b: y[:n], terms: 1, before: true,
	})
}

// part returns the numbers of a up to the last one of the shape.
func (s Shape) part(a []float64) []float64 { return a[:(s.N-1)*s.Length+s.N] }
