package reduction

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/partwise/partwise/markov/internal/block"
)

// TestSumsKeepSmallEntries: every entry of a sum has the digits of a sum by doubling, however small it is. Rates over many
// decades lead to such matrices: a small entry times a large row of M has a share in the next level.
func TestSumsKeepSmallEntries(t *testing.T) {
	const n, within = 6, 1e-11
	tried := 0
	for seed := range 1000 {
		r := rand.New(rand.NewPCG(7, uint64(seed)))
		m, x := block.New(n, n), make([]float64, n)
		for i := range n {
			x[i] = math.Pow(10, -90*r.Float64())
			from := -60 * r.Float64()
			for j := range n {
				m.Row(i)[j] = math.Pow(10, from+80*(r.Float64()-.6))
			}
		}
		if !(block.Perron(t.Context(), m) < .99) {
			continue
		}
		tried++
		want, got := slices.Clone(x), slices.Clone(x)
		byDoubling(t.Context(), m).SolveLeft(want)
		ByFactors(t.Context(), m).SolveLeft(got)
		for i, v := range got {
			if !(math.Abs(v-want[i]) <= within*want[i]) {
				t.Errorf("matrix %d, entry %d: %g, want %g", seed, i, v, want[i])
			}
		}
	}
	if tried < 300 {
		t.Errorf("%d matrices had a sum", tried)
	}
}

// TestRareStepsAreSummed: levels go from phase to phase by rare steps, so powers of M with small norms have all of the sum in the
// last phase.
func TestRareStepsAreSummed(t *testing.T) {
	const n, rare = 6, 0x1p-100
	m := block.New(n, n)
	for i := range n - 1 {
		m.Row(i)[i+1] = rare
	}
	for name, sum := range map[string]func(context.Context, block.Matrix) Geometric{"factors": ByFactors, "doubling": byDoubling} {
		x := make([]float64, n)
		x[0] = 1
		sum(t.Context(), m).SolveLeft(x)
		for i, v := range x {
			if want := math.Ldexp(1, -100*i); v != want {
				t.Errorf("%s, entry %d: %g, want %g", name, i, v, want)
			}
		}
	}
}
