package block

import (
	"math/cmplx"
	"math/rand/v2"
	"testing"
)

// Solutions have the digits of a diagonally dominant matrix, whether it is dense or has a few entries in a row.
func TestComplexFactors(t *testing.T) {
	for _, n := range []int{1, 3, 40, 150} {
		for _, share := range []float64{1, 0.1} {
			r := rand.New(rand.NewPCG(1, uint64(n)))
			m, x, b := make([]complex128, n*n), make([]complex128, n), make([]complex128, n)
			for i := range n {
				x[i] = complex(r.NormFloat64(), r.NormFloat64())
				size := 1.0
				for j := range n {
					if j != i && r.Float64() < share {
						m[i*n+j] = complex(r.NormFloat64(), r.NormFloat64())
						size += cmplx.Abs(m[i*n+j])
					}
				}
				m[i*n+i] = cmplx.Rect(size, 6*r.Float64())
			}
			for i := range n {
				for j := range n {
					b[i] += m[i*n+j] * x[j]
				}
			}
			f := FactorComplex(n, func(i int, row []complex128) { copy(row, m[i*n:(i+1)*n]) })
			f.Solve(b)
			for i := range x {
				if off := cmplx.Abs(b[i] - x[i]); off > 1e-14*float64(n) {
					t.Fatalf("order %d: x[%d] = %v, want %v", n, i, b[i], x[i])
				}
			}
		}
	}
}
