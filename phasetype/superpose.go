package phasetype

import "gonum.org/v1/gonum/mat"

// Superpose returns the process of the arrivals of two independent processes, (D0 ⊕ D0', D1 ⊕ D1') of order
// Phases(a)·Phases(b), whose rates add up. A process without phases adds nothing. It returns an *[Error] if the order
// exceeds [MaxPhases].
//
// Reference: M. F. Neuts, A versatile Markovian point process, J. Appl. Probab. 16 (1979) 764–779.
func Superpose(a, b MAP) (MAP, error) {
	n := a.n * b.n
	switch {
	case a.n == 0:
		return b, nil
	case b.n == 0:
		return a, nil
	case n > MaxPhases:
		return MAP{}, bad("D0", -1, -1, "%d phases, at most %d are supported", n, MaxPhases)
	}
	d0, d1 := make([]float64, n*n), make([]float64, n*n)
	kroneckerSum(d0, n, a.d0, b.d0, a.n, b.n)
	kroneckerSum(d1, n, a.d1, b.d1, a.n, b.n)
	return newMAP(mat.NewDense(n, n, d0), mat.NewDense(n, n, d1), anyRate)
}
