package markov

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestLUSolves multiplies back. The residual of Gaussian elimination with exchanges is about n rounding errors of
// |M|·|x| for random matrices; the growth of the worst case, 2^n, does not occur.
func TestLUSolves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 2, 7, 8, 9, 17, 40, 65, 130}).Draw(t, "n")
		q := rapid.IntRange(1, 20).Draw(t, "q")
		state := rapid.Uint64().Draw(t, "numbers")
		fill := func(m matrix) matrix {
			for i := range m.a {
				state = state*6364136223846793005 + 1442695040888963407
				m.a[i] = float64(state>>33)/(1<<30) - 1
			}
			return m
		}
		m, b := fill(newMatrix(n, n)), fill(newMatrix(n, q))
		f := luOf(m.clone())
		x := b.clone()
		f.solve(x)
		residual := b.clone()
		for i := range residual.a {
			residual.a[i] = -residual.a[i]
		}
		mulAdd(residual, m, x)
		if r, bound := residual.normInf(), float64(n)*0x1p-50*(m.normInf()*x.normInf()+b.normInf()); !(r <= bound) {
			t.Fatalf("residual %.3g of M·X = B, %.3g allowed", r, bound)
		}
		y := append([]float64(nil), fill(newMatrix(1, n)).a...)
		want := append([]float64(nil), y...)
		f.solveLeft(y)
		largest := 0.0
		for _, v := range y {
			largest = max(largest, math.Abs(v))
		}
		for i, v := range vecMul(y, m) {
			if d := math.Abs(v - want[i]); !(d <= float64(n)*0x1p-50*(m.normInf()*largest+1)) {
				t.Fatalf("entry %d of x·M is off by %.3g", i, d)
			}
		}
	})
}
