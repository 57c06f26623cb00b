package fit

// multiply overwrites c with the matrix product a·b. All three are n×n by rows, and triangular if the generator is. c
// must not be a or b. Zeros of a, and the part below the diagonal of triangular matrices, cost nothing. Matrix
// exponentials are made by it.
func (e *exponentialTables) multiply(c, a, b []float64) {
	n := e.n
	clear(c)
	for i := range n {
		for l := e.firstColumn(i); l < n; l++ {
			x := a[i*n+l]
			if x == 0 {
				continue
			}
			from := e.firstColumn(l)
			row, y := c[i*n+from:i*n+n], b[l*n+from:l*n+n]
			row = row[:len(y)]
			for j, v := range y {
				row[j] += x * v
			}
		}
	}
}

// addRightTransposed adds a·bᵀ to c, in the entries where mask is not 0, or in all if mask is nil. All are n×n by rows,
// and triangular if the generator is. c must not be a or b. Back-propagation through matrix exponentials uses it.
func (e *exponentialTables) addRightTransposed(c, a, b, mask []float64) {
	n := e.n
	for i := range n {
		for j := e.firstColumn(i); j < n; j++ {
			if mask != nil && mask[i*n+j] == 0 {
				continue
			}
			from := e.firstColumn(j)
			x, y := a[i*n+from:i*n+n], b[j*n+from:j*n+n]
			x = x[:len(y)]
			var s float64
			for l, v := range y {
				s += x[l] * v
			}
			c[i*n+j] += s
		}
	}
}

// addLeftTransposed adds aᵀ·b to c. All three are n×n by rows. If the generator is triangular, a and b are, too, and
// only entries of c on and above the diagonal get their sums. c must not be a or b. Back-propagation through matrix
// exponentials uses it.
func (e *exponentialTables) addLeftTransposed(c, a, b []float64) {
	n := e.n
	for l := range n {
		for i := e.firstColumn(l); i < n; i++ {
			x := a[l*n+i]
			if x == 0 {
				continue
			}
			from := e.firstColumn(i)
			row, y := c[i*n+from:i*n+n], b[l*n+from:l*n+n]
			row = row[:len(y)]
			for j, v := range y {
				row[j] += x * v
			}
		}
	}
}
