package block

// ComplexFactors are factors L·U, without row exchanges, of a diagonally dominant complex matrix of order n. They are kept
// by rows as their nonzero entries. Chains have few transitions from a state, and their factors stay sparse where
// transitions lead mostly one way. A product with the inverse then takes a multiplication for each entry kept, not n².
type ComplexFactors struct {
	start, upper []int32 // row i has the entries start[i] to start[i+1]−1; from upper[i] on these belong to U
	cols         []int32
	vals         []complex128
	pivots       []complex128 // reciprocals of the diagonal of U
}

// FactorComplex returns the factors of the matrix whose row i set adds to a row of zeros. Each row is made with the rows
// of U before it: n²/2 looks at entries, and a multiplication for each pair of an entry of L and one of U.
func FactorComplex(n int, set func(i int, row []complex128)) *ComplexFactors {
	f := &ComplexFactors{start: make([]int32, n+1), upper: make([]int32, n), pivots: make([]complex128, n)}
	row := make([]complex128, n)
	for i := range n {
		clear(row)
		set(i, row)
		for k := range i {
			if row[k] == 0 {
				continue
			}
			l := row[k] * f.pivots[k]
			f.cols, f.vals = append(f.cols, int32(k)), append(f.vals, l)
			cols, vals := f.cols[f.upper[k]:f.start[k+1]], f.vals[f.upper[k]:f.start[k+1]]
			for e, j := range cols {
				row[j] -= l * vals[e]
			}
		}
		f.upper[i] = int32(len(f.cols))
		f.pivots[i] = 1 / row[i]
		for j := i + 1; j < n; j++ {
			if row[j] != 0 {
				f.cols, f.vals = append(f.cols, int32(j)), append(f.vals, row[j])
			}
		}
		f.start[i+1] = int32(len(f.cols))
	}
	return f
}

// Again returns the factors of another matrix whose entries are zero where the entries of the first matrix are. set
// adds row i to a row of zeros. The positions of the entries are known, so only the multiplications remain.
func (f *ComplexFactors) Again(set func(i int, row []complex128)) *ComplexFactors {
	n := len(f.pivots)
	g := &ComplexFactors{start: f.start, upper: f.upper, cols: f.cols, vals: make([]complex128, len(f.vals)),
		pivots: make([]complex128, n)}
	row := make([]complex128, n) // all zeros between two rows
	for i := range n {
		set(i, row)
		lower, upper, end := f.start[i], f.upper[i], f.start[i+1]
		for e := lower; e < upper; e++ {
			k := f.cols[e]
			l := row[k] * g.pivots[k]
			g.vals[e], row[k] = l, 0
			cols, vals := f.cols[f.upper[k]:f.start[k+1]], g.vals[f.upper[k]:f.start[k+1]]
			for e, j := range cols {
				row[j] -= l * vals[e]
			}
		}
		g.pivots[i], row[i] = 1/row[i], 0
		for e := upper; e < end; e++ {
			g.vals[e], row[f.cols[e]] = row[f.cols[e]], 0
		}
	}
	return g
}

// Entries returns the number of entries off the diagonal, the multiplications of a call of Solve.
func (f *ComplexFactors) Entries() int { return len(f.cols) }

// Solve overwrites x with M⁻¹·x.
func (f *ComplexFactors) Solve(x []complex128) {
	for i := range x {
		x[i] -= f.product(f.start[i], f.upper[i], x)
	}
	for i := len(x) - 1; i >= 0; i-- {
		x[i] = (x[i] - f.product(f.upper[i], f.start[i+1], x)) * f.pivots[i]
	}
}

// product returns the sum of the given entries times the numbers of x in their columns.
func (f *ComplexFactors) product(from, to int32, x []complex128) complex128 {
	var re, im float64
	vals := f.vals[from:to]
	for e, j := range f.cols[from:to] {
		v, w := vals[e], x[j]
		re += real(v)*real(w) - imag(v)*imag(w)
		im += real(v)*imag(w) + imag(v)*real(w)
	}
	return complex(re, im)
}
