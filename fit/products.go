package fit

// multiply sets c = a·b.
func (e *exponentials) multiply(c, a, b []float64) {
	n := e.n
	clear(c)
	for i := range n {
		row := c[i*n : i*n+n]
		for l := e.firstColumn(i); l < n; l++ {
			x := a[i*n+l]
			if x == 0 {
				continue
			}
			from := e.firstColumn(l)
			for j, y := range b[l*n+from : l*n+n] {
				row[from+j] += x * y
			}
		}
	}
}

func (e *exponentials) square(c, a []float64) { e.multiply(c, a, a) }

// addRightTransposed adds a·bᵀ to c.
func (e *exponentials) addRightTransposed(c, a, b []float64) {
	n := e.n
	for i := range n {
		for j := e.firstColumn(i); j < n; j++ {
			from := e.firstColumn(j)
			y := b[j*n+from : j*n+n]
			var s float64
			for l, x := range a[i*n+from : i*n+n] {
				s += x * y[l]
			}
			c[i*n+j] += s
		}
	}
}

// addLeftTransposed adds aᵀ·b to c.
func (e *exponentials) addLeftTransposed(c, a, b []float64) {
	n := e.n
	for l := range n {
		y := b[l*n : l*n+n]
		for i := e.firstColumn(l); i < n; i++ {
			x := a[l*n+i]
			if x == 0 {
				continue
			}
			from := e.firstColumn(i)
			row := c[i*n+from : i*n+n]
			for j, v := range y[from:] {
				row[j] += x * v
			}
		}
	}
}

// timesUniform sets c = a·uniform.
func (e *exponentials) timesUniform(c, a []float64) {
	if !e.bidiagonal {
		e.multiply(c, a, e.uniform)
		return
	}
	n := e.n
	for i := range n {
		c[i*n+i] = a[i*n+i] * e.uniform[i*n+i]
		for j := i + 1; j < n; j++ {
			c[i*n+j] = a[i*n+j]*e.uniform[j*n+j] + a[i*n+j-1]*e.uniform[(j-1)*n+j]
		}
	}
}

// addUniformTransposed adds a·uniformᵀ to c.
func (e *exponentials) addUniformTransposed(c, a []float64) {
	if !e.bidiagonal {
		e.addRightTransposed(c, a, e.uniform)
		return
	}
	n := e.n
	for i := range n {
		for j := i; j < n-1; j++ {
			c[i*n+j] += a[i*n+j]*e.uniform[j*n+j] + a[i*n+j+1]*e.uniform[j*n+j+1]
		}
		c[i*n+n-1] += a[i*n+n-1] * e.uniform[n*n-1]
	}
}

// addByT adds powerᵀ·adjoint, the derivative by T of one term, to dT where T may be nonzero.
func (e *exponentials) addByT(power, adjoint []float64) {
	if !e.bidiagonal {
		e.addLeftTransposed(e.dT, power, adjoint)
		return
	}
	n := e.n
	for l := range n {
		for i := l; i < n; i++ {
			x := power[l*n+i]
			e.dT[i*n+i] += x * adjoint[l*n+i]
			if i+1 < n {
				e.dT[i*n+i+1] += x * adjoint[l*n+i+1]
			}
		}
	}
}
