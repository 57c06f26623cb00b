package block

import (
	"math/cmplx"
	"testing"
)

func TestComplexSolve(t *testing.T) {
	m := []complex128{3 + 1i, 2, 1i, 3, -5, 0.5, 1, -1i, 4i}
	x := []complex128{1, 2i, -3}
	b := make([]complex128, 3)
	for i := range 3 {
		for j := range 3 {
			b[i] += m[i*3+j] * x[j]
		}
	}
	ComplexLU(m, 3)
	ComplexSolve(m, 3, b)
	for i := range x {
		if cmplx.Abs(b[i]-x[i]) > 1e-14 {
			t.Errorf("x[%d] = %v, want %v", i, b[i], x[i])
		}
	}
}
