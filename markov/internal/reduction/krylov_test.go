package reduction_test

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/internal/reduction"
)

// TestGMRES solves x·A = r for a regular A and for the singular I − P of a chain, for which r sums to zero.
func TestGMRES(t *testing.T) {
	const n = 60
	draw := rand.New(rand.NewPCG(1, 2))
	p := mat.NewDense(n, n, nil)
	for i := range n {
		row := p.RawRowView(i)
		for j := range row {
			row[j] = draw.Float64()
		}
		floats.Scale(1/floats.Sum(row), row)
	}
	for name, share := range map[string]float64{"regular": 0.9, "singular": 1} {
		times := func(x []float64) []float64 {
			y := mat.NewVecDense(n, nil)
			y.MulVec(p.T(), mat.NewVecDense(n, x))
			out := append([]float64(nil), x...)
			floats.AddScaled(out, -share, y.RawVector().Data)
			return out
		}
		x := make([]float64, n)
		for i := range x {
			x[i] = draw.Float64()
		}
		r := times(x)
		d, left := reduction.GMRES(t.Context(), times, r, 1e-13, n)
		off := times(d)
		floats.Sub(off, r)
		norm := floats.Norm(r, 2)
		if now := floats.Norm(off, 2); now > 2e-13*norm || left > 1e-13*norm { // the estimate, and its roundings
			t.Errorf("%s: %.2g of the right side is left, %.2g by the estimate", name, now/norm, left/norm)
		}
	}
	if d, left := reduction.GMRES(t.Context(), nil, make([]float64, 3), 0.1, 5); left != 0 || floats.Norm(d, 1) != 0 {
		t.Errorf("zero: %v, %v", d, left)
	}
}
