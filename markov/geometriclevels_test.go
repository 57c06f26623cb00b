package markov

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/internal/block"
)

// TestGeometricLevels: far out a level takes no product with R once R only scales the vectors, and has the probability
// of the products to within the bound of the rounding errors from level to level.
func TestGeometricLevels(t *testing.T) {
	const n, levels = 200, 5000
	// A chain with the decay rate .999: an arrival changes the phase, a departure keeps it.
	up, down, local := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		up.Set(i, (i+1)%n, .999)
		down.Set(i, i, 1)
		local.Set(i, (i*7+3)%n, .5+float64(i%3)/4)
	}
	s, err := (&QBD{Boundary: []Level{{Up: up, Local: local}}, Repeating: Level{Up: up, Local: local, Down: down}}).Solve(t.Context(), Settings{})
	if err != nil {
		t.Fatal(err)
	}
	products := 0
	next := s.next
	s.next = func(x []float64) []float64 { products++; return next(x) }
	x, above := s.levels[s.first+1], s.next(s.sums[0])
	want, tails := []float64{block.Sum(x)}, []float64{block.Sum(above)}
	for len(want) < levels {
		x, above = next(x), next(above)
		want, tails = append(want, block.Sum(x)), append(tails, block.Sum(above))
	}
	products = 0
	k := 0
	s.Each(func(level int, pi []float64, above float64) bool {
		if level <= s.first {
			return true
		}
		within := float64(k+1) * gthBound(n)
		if p := block.Sum(pi); math.Abs(p/want[k]-1) > within || math.Abs(above/tails[k]-1) > within {
			t.Fatalf("level %d: %g above %g, want %g above %g", level, p, above, want[k], tails[k])
		}
		k++
		return k < levels
	})
	if products > 2*levels/10 {
		t.Errorf("%d products for %d levels", products, levels)
	}
	products = 0
	far := s.Tail(s.first + 1_000_000)
	if want := tails[levels-1] * math.Pow(.999, float64(1_000_000-levels)); math.Abs(math.Log(far/want)) > 1e-6 || products > levels/10 {
		t.Errorf("P(level > %d) = %g after %d products, want %g", s.first+1_000_000, far, products, want)
	}
}

// TestErrorPerLevelCoversAllPhases: the bound for each level counts the phases of a level, also where fewer states were
// eliminated. Levels that count as geometric have errors of this size.
func TestErrorPerLevelCoversAllPhases(t *testing.T) {
	const n, last = 40, 40 // the first regime has n phases and a single entry, the last regime has one phase
	of := make([]int, n+1)
	of[last] = 1
	q := &Regimes{Of: [][]int{of, of}, Moves: func(level, phase int, add func(by, to int, rate float64)) {
		add(+1, phase, 0.5)
		switch {
		case level > 0:
			add(-1, phase, 1)
		case phase == last:
			add(0, 0, 0.1)
		}
		if phase < n {
			add(0, (phase+1)%n, 1)
			add(0, last, 0.1)
		}
	}}
	s, err := q.Solve(t.Context(), Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if d := s.Diagnostics(); d.Phases != n+1 || d.ErrorPerLevel < gthBound(d.Phases) {
		t.Errorf("%d phases, %.2g for each level, want at least %.2g", d.Phases, d.ErrorPerLevel, gthBound(d.Phases))
	}
}
