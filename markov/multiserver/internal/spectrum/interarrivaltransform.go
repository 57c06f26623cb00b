package spectrum

import (
	"slices"

	"github.com/partwise/partwise/markov/internal/block"
)

// transform returns the Laplace transform f_A(s) = E[e^{−s·X}] of the interarrival time X, and its derivative. The
// arrivals must be a renewal process, with one class. s is complex with nonnegative real part, a rate per unit of time.
// With the rates D0 between arrival phases, F of arrivals and the distribution A of the phase after an arrival,
//
//	f_A(s) = A·(sI − D0)⁻¹·F,   f_A'(s) = −A·(sI − D0)⁻²·F.
func (ar transforms) transform(s complex128) (f, derivative complex128) {
	n := ar.N
	if ar.Ordered && n <= fewPhases {
		return ar.triangularTransform(s)
	}
	m := make([]complex128, n*n)
	ar.resolvent(m, s)
	block.ComplexLU(m, n)
	// x = (sI − D0)⁻¹·F, y = (sI − D0)⁻¹·x; f = A·x, f' = −A·y
	x, first := block.Complex(ar.F.Data), block.Complex(ar.A.Data)
	block.ComplexSolve(m, n, x)
	y := slices.Clone(x)
	block.ComplexSolve(m, n, y)
	return times(first, x), -times(first, y)
}

// fewPhases is the largest number of arrival phases whose vectors lie on the stack.
const fewPhases = 8

// triangularTransform returns the result of [transforms.transform], the Laplace transform of the interarrival time and
// its derivative at s, by back substitution. D0 must be triangular with at most fewPhases, 8, arrival phases. It
// allocates nothing, and the searches for roots call it most often.
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

// realTransform returns the Laplace transform f of the interarrival time of a renewal process, and its derivative, at a
// real number s ≥ 0: [transforms.transform] without complex numbers. For triangular D0, the rates between arrival
// phases, and at most fewPhases phases it takes a quarter of the time: a complex division takes longer than all else.
func (ar transforms) realTransform(s float64) (f, derivative float64) {
	if !ar.Ordered || ar.N > fewPhases {
		f, derivative := ar.transform(complex(s, 0))
		return real(f), real(derivative)
	}
	var x, y [fewPhases]float64
	for i := ar.N - 1; i >= 0; i-- {
		sum, next := ar.F.At(i, 0), 0.0
		for j := i + 1; j < ar.N; j++ {
			rate := ar.D0.At(i, j)
			sum += rate * x[j]
			next += rate * y[j]
		}
		over := 1 / (s + ar.Out[i])
		x[i] = sum * over
		y[i] = (next + x[i]) * over
		first := ar.A.At(0, i)
		f += first * x[i]
		derivative -= first * y[i]
	}
	return f, derivative
}
