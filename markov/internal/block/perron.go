package block

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Perron returns the eigenvalue with the largest real part of a matrix with nonnegative off-diagonal.
func Perron(m *mat.Dense) float64 {
	switch n, _ := m.Dims(); n {
	case 1:
		return m.At(0, 0)
	case 2:
		half := (m.At(0, 0) - m.At(1, 1)) / 2
		return (m.At(0, 0)+m.At(1, 1))/2 + math.Hypot(half, math.Sqrt(m.At(0, 1)*m.At(1, 0)))
	}
	var e mat.Eigen
	if !e.Factorize(m, mat.EigenNone) {
		return math.NaN()
	}
	largest := math.Inf(-1)
	for _, v := range e.Values(nil) {
		largest = max(largest, real(v))
	}
	return largest
}
