package spectrum

// transform returns f_A(s) of the interarrival time for complex s with nonnegative real part.
func (ar transforms) transform(s complex128) (f, derivative complex128) {
	n := ar.N
	if ar.Ordered && n <= fewPhases {
		return ar.triangularTransform(s)
	}
	m := make([]complex128, n*n)
	x, y := make([]complex128, n), make([]complex128, n)
	ar.resolvent(m, s)
	for i := range n {
		x[i] = complex(ar.F.At(i, 0), 0)
	}
	// x = (sI − D0)⁻¹·F, y = (sI − D0)⁻¹·x; f = A·x, f' = −A·y
	complexLU(m, n)
	complexSolve(m, n, x)
	copy(y, x)
	complexSolve(m, n, y)
	for i := range n {
		f += complex(ar.A.At(0, i), 0) * x[i]
		derivative -= complex(ar.A.At(0, i), 0) * y[i]
	}
	return f, derivative
}

// fewPhases is the number up to which vectors need no storage of their own.
const fewPhases = 8

// triangularTransform is transform for few phases of which D0 is triangular.
func (ar transforms) triangularTransform(s complex128) (f, derivative complex128) {
	var x, y [fewPhases]complex128
	for i := ar.N - 1; i >= 0; i-- {
		sum, next := complex(ar.F.At(i, 0), 0), complex128(0)
		for j := i + 1; j < ar.N; j++ {
			rate := complex(ar.D0.At(i, j), 0)
			sum += rate * x[j]
			next += rate * y[j]
		}
		out := s + complex(ar.Out[i], 0)
		x[i] = sum / out
		y[i] = (next + x[i]) / out
		first := complex(ar.A.At(0, i), 0)
		f += first * x[i]
		derivative -= first * y[i]
	}
	return f, derivative
}

// complexLU factors a small diagonally dominant matrix in place, without row exchanges; on the diagonal it leaves the
// reciprocals of the pivots.
func complexLU(m []complex128, n int) {
	for k := range n {
		m[k*n+k] = 1 / m[k*n+k]
		for i := k + 1; i < n; i++ {
			if m[i*n+k] == 0 {
				continue
			}
			m[i*n+k] *= m[k*n+k]
			for j := k + 1; j < n; j++ {
				m[i*n+j] -= m[i*n+k] * m[k*n+j]
			}
		}
	}
}

// complexSolve overwrites x with the solution for the factored m.
func complexSolve(m []complex128, n int, x []complex128) {
	for i := range n {
		for k := range i {
			x[i] -= m[i*n+k] * x[k]
		}
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			x[i] -= m[i*n+k] * x[k]
		}
		x[i] *= m[i*n+i]
	}
}
