package block

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"
)

// TestLUSolves multiplies back. The residual of Gaussian elimination with exchanges is about n rounding errors of
// |M|·|x| for random matrices; the growth of the worst case, 2^n, does not occur.
func TestLUSolves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 2, 7, 8, 9, 17, 40, 65, 130}).Draw(t, "n")
		q := rapid.IntRange(1, 20).Draw(t, "q")
		state := rapid.Uint64().Draw(t, "numbers")
		fill := func(m Matrix) Matrix {
			for i := range m.Data {
				state = state*6364136223846793005 + 1442695040888963407
				m.Data[i] = float64(state>>33)/(1<<30) - 1
			}
			return m
		}
		m, b := fill(New(n, n)), fill(New(n, q))
		f := FactorLU(context.Background(), m.Clone())
		x := b.Clone()
		f.Solve(context.Background(), x)
		residual := b.Clone()
		for i := range residual.Data {
			residual.Data[i] = -residual.Data[i]
		}
		MulAdd(context.Background(), residual, m, x)
		if r, bound := residual.NormInf(), float64(n)*0x1p-50*(m.NormInf()*x.NormInf()+b.NormInf()); !(r <= bound) {
			t.Fatalf("residual %.3g of M·X = B, %.3g allowed", r, bound)
		}
		column := fill(New(n, 1)).Data
		solved := append([]float64(nil), column...)
		f.SolveVec(solved)
		for i, v := range MulVec(m, solved) {
			if d := math.Abs(v - column[i]); !(d <= float64(n)*0x1p-50*(m.NormInf()*floats.Norm(solved, math.Inf(1))+1)) {
				t.Fatalf("entry %d of M·x is off by %.3g", i, d)
			}
		}
		rows := fill(New(q, n))
		x = rows.Clone()
		f.SolveLeftRows(context.Background(), x)
		residual = rows.Clone()
		for i := range residual.Data {
			residual.Data[i] = -residual.Data[i]
		}
		MulAdd(context.Background(), residual, x, m)
		if r, bound := residual.NormInf(), float64(n)*0x1p-50*(m.NormInf()*x.NormInf()+rows.NormInf()); !(r <= bound) {
			t.Fatalf("residual %.3g of X·M = B, %.3g allowed", r, bound)
		}
		y := append([]float64(nil), fill(New(1, n)).Data...)
		want := append([]float64(nil), y...)
		f.SolveLeft(y)
		largest := 0.0
		for _, v := range y {
			largest = max(largest, math.Abs(v))
		}
		for i, v := range VecMul(y, m) {
			if d := math.Abs(v - want[i]); !(d <= float64(n)*0x1p-50*(m.NormInf()*largest+1)) {
				t.Fatalf("entry %d of x·M is off by %.3g", i, d)
			}
		}
	})
}
