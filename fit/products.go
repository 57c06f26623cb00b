package fit

// multiply sets c = a·b.
func (k *kernel) multiply(c, a, b []float64) {
	n := k.n
	clear(c)
	for i := range n {
		row := c[i*n : i*n+n]
		for l := k.begin(i); l < n; l++ {
			x := a[i*n+l]
			if x == 0 {
				continue
			}
			from := k.begin(l)
			for j, y := range b[l*n+from : l*n+n] {
				row[from+j] += x * y
			}
		}
	}
}

func (k *kernel) square(c, a []float64) { k.multiply(c, a, a) }

// addRightTransposed adds a·bᵀ to c.
func (k *kernel) addRightTransposed(c, a, b []float64) {
	n := k.n
	for i := range n {
		for j := k.begin(i); j < n; j++ {
			from := k.begin(j)
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
func (k *kernel) addLeftTransposed(c, a, b []float64) {
	n := k.n
	for l := range n {
		y := b[l*n : l*n+n]
		for i := k.begin(l); i < n; i++ {
			x := a[l*n+i]
			if x == 0 {
				continue
			}
			from := k.begin(i)
			row := c[i*n+from : i*n+n]
			for j, v := range y[from:] {
				row[j] += x * v
			}
		}
	}
}

func dot(a, b []float64) float64 {
	var s float64
	for i, x := range a {
		s += x * b[i]
	}
	return s
}

func total(a []float64) float64 {
	var s float64
	for _, x := range a {
		s += x
	}
	return s
}
