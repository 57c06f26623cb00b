package levelvectors_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/levelvectors"
)

// decaying returns the solution of a chain of n phases with the decay rate .999: an arrival changes the phase, a departure keeps
// it. Level 0 is the only boundary level.
func decaying(t *testing.T, n int) *markov.QBDSolution {
	t.Helper()
	up, down, local := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		up.Set(i, (i+1)%n, .999)
		down.Set(i, i, 1)
		local.Set(i, (i*7+3)%n, .5+float64(i%3)/4)
	}
	q := &markov.QBD{Boundary: []markov.Level{{Up: up, Local: local}}, Repeating: markov.Level{Up: up, Local: local, Down: down}}
	s, err := q.Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSequence: far out a level takes no product with R once R only scales the vectors, and has the probability of the products
// to within the bound of the rounding errors from level to level. The levels and tails of a solution are those of sequences, to
// the last bit.
func TestSequence(t *testing.T) {
	const n, levels = 200, 5000
	s := decaying(t, n)
	r := block.From(t.Context(), s.R())
	next := func(x []float64) []float64 { return block.VecMul(x, r) }
	products := 0
	counted := func(x []float64) []float64 { products++; return next(x) }
	at := levelvectors.Sequence{X: s.Level(1), Next: counted}
	above := levelvectors.Sequence{X: s.RepeatingPhases(), Next: counted}
	x, tail := at.X, above.X
	var last float64
	s.Each(func(level int, pi []float64, beyond float64) bool {
		if level == 0 {
			return true
		}
		above.Step()
		tail = next(tail)
		if !slices.Equal(pi, at.X) || beyond != block.Sum(above.X) {
			t.Fatalf("level %d: %g above %g, a sequence has %g above %g", level, block.Sum(pi), beyond, block.Sum(at.X), block.Sum(above.X))
		}
		within := float64(level) * block.GTHBound(n)
		p, want := block.Sum(pi), block.Sum(x)
		last = block.Sum(tail)
		if math.Abs(p/want-1) > within || math.Abs(beyond/last-1) > within {
			t.Fatalf("level %d: %g above %g, want %g above %g", level, p, beyond, want, last)
		}
		at.Step()
		x = next(x)
		return level < levels
	})
	if products > 2*levels/10 {
		t.Errorf("%d products for %d levels", products, levels)
	}
	products = 0
	const far = 1_000_000
	beyond := levelvectors.Sequence{X: s.RepeatingPhases(), Next: counted}
	beyond.Skip(far)
	got, want := s.Tail(far), last*math.Pow(.999, far-levels)
	if got != block.Sum(beyond.X) || math.Abs(math.Log(got/want)) > 1e-6 || products > levels/10 {
		t.Errorf("P(level > %d) = %g, a sequence has %g after %d products, want %g", far, got, block.Sum(beyond.X), products, want)
	}
}
