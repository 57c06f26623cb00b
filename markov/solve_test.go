package markov

import (
	"math/cmplx"
	"testing"
)

func TestFactorSolves(t *testing.T) {
	m := []complex128{0, 2, 1i, 3, 1, 0.5, 1, -1i, 2}
	x := []complex128{1, 2i, -3}
	b := make([]complex128, 3)
	for j := range 3 {
		for i := range 3 {
			b[j] += x[i] * m[i*3+j]
		}
	}
	factor(t.Context(), append([]complex128(nil), m...), 3).solveLeft(b)
	for i := range x {
		if cmplx.Abs(b[i]-x[i]) > 1e-14 {
			t.Errorf("x[%d] = %v, want %v", i, b[i], x[i])
		}
	}
}
