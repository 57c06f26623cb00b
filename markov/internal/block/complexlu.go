package block

// ComplexLU factors a diagonally dominant n×n matrix, stored row by row, in place and without row exchanges. The diagonal
// of the result holds the reciprocals of the pivots.
func ComplexLU(m []complex128, n int) {
	for k := range n {
		from := m[k*n : (k+1)*n]
		from[k] = 1 / from[k]
		for i := k + 1; i < n; i++ {
			row := m[i*n : (i+1)*n]
			if row[k] == 0 {
				continue
			}
			l := row[k] * from[k]
			row[k] = l
			rest := row[k+1:]
			for j, v := range from[k+1:] {
				rest[j] -= l * v
			}
		}
	}
}

// ComplexSolve overwrites x with M⁻¹·x, given the factors m of M by [ComplexLU].
func ComplexSolve(m []complex128, n int, x []complex128) {
	for i := range n {
		sum := x[i]
		for k, l := range m[i*n : i*n+i] {
			sum -= l * x[k]
		}
		x[i] = sum
	}
	for i := n - 1; i >= 0; i-- {
		row := m[i*n : (i+1)*n]
		sum, later := x[i], x[i+1:n]
		for k, u := range row[i+1:] {
			sum -= u * later[k]
		}
		x[i] = sum * row[i]
	}
}

// Complex returns x as complex numbers.
func Complex(x []float64) []complex128 {
	y := make([]complex128, len(x))
	for i, v := range x {
		y[i] = complex(v, 0)
	}
	return y
}
