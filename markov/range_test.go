package markov_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/testdata/qbdtest"
)

// birthsAndDeaths is a chain of single states whose rate up at level i is up(i), and down is down(i).
func birthsAndDeaths(levels int, up, down func(i int) float64) []markov.Level {
	one := func(v float64) *mat.Dense { return mat.NewDense(1, 1, []float64{v}) }
	list := make([]markov.Level, levels)
	for i := range list {
		list[i] = markov.Level{Local: one(0), Up: one(up(i))}
		if i > 0 {
			list[i].Down = one(down(i))
		}
	}
	return list
}

// M/M/∞ cut off at 1500 jobs: from the mean down probabilities fall to 1e-347 and far below.
func TestFiniteChainsBelowTheSmallestNumber(t *testing.T) {
	const most = 1500
	for _, mean := range []float64{2, 800, 1450} {
		// what is cut off is below 1e-15 of the mean except for the last, Erlang's blocking
		want := mean
		if mean == 1450 {
			blocked := 1.0
			for i := 1; i <= most; i++ {
				blocked = mean * blocked / (float64(i) + mean*blocked)
			}
			want = mean * (1 - blocked)
		}
		chain, err := newChain(most+1, func(i int, add func(int, float64)) {
			if i < most {
				add(i+1, mean)
			}
			if i > 0 {
				add(i-1, float64(i))
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		pi, _, err := chain.Stationary(t.Context())
		if err != nil {
			t.Errorf("mean %g: %v", mean, err)
			continue
		}
		sum := 0.0
		for i, p := range pi {
			sum += float64(i) * p
		}
		qbdtest.Near(t, fmt.Sprintf("M/M/∞ with %g jobs: mean", mean), sum, want, 1e-11)
	}
}

// Boundary levels that rise from an unlikely empty level to the repeating part, and fall again to a rare repeating part.
func TestBoundariesBelowTheSmallestNumber(t *testing.T) {
	for _, mean := range []float64{5, 1200} {
		levels := birthsAndDeaths(1501, func(int) float64 { return mean }, func(i int) float64 { return float64(i) })
		last := levels[len(levels)-1]
		s, err := (&markov.QBD{Boundary: levels, Repeating: last}).Solve(t.Context(), markov.Settings{})
		if err != nil {
			t.Errorf("mean %g: %v", mean, err)
			continue
		}
		qbdtest.Near(t, fmt.Sprintf("M/M/1500 with %g jobs: mean", mean), s.Mean(), mean, 1e-8)
		qbdtest.Near(t, "their variance", s.Variance(), mean, 1e-6)
	}
}

// Two wells with a barrier between them that holds less than any number: both have their share of the probability.
func TestBarriersBelowTheSmallestNumber(t *testing.T) {
	const n, ratio = 401, 50.0
	rates := mat.NewDense(n, n, nil)
	want := make([]float64, n) // logarithms
	for i := range n - 1 {
		up, down := 1.0, ratio
		if i >= n/2 {
			up, down = ratio, 1
		}
		rates.Set(i, i+1, up)
		rates.Set(i+1, i, down)
		want[i+1] = want[i] + math.Log(up/down)
	}
	pi, err := markov.Stationary(t.Context(), rates)
	if err != nil {
		t.Fatal(err)
	}
	total := 0.0
	for _, v := range want {
		total += math.Exp(v)
	}
	for _, i := range []int{0, 1, n / 4, n - 2, n - 1} {
		qbdtest.Near(t, fmt.Sprintf("π(%d)", i), pi[i], math.Exp(want[i])/total, 1e-11)
	}
	chain, err := newChain(n, func(i int, add func(int, float64)) {
		for _, j := range []int{i - 1, i + 1} {
			if j >= 0 && j < n {
				add(j, rates.At(i, j))
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	sparse, _, err := chain.Stationary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	qbdtest.Near(t, "π(0) of the sparse chain", sparse[0], pi[0], 1e-11)
	qbdtest.Near(t, "its last", sparse[n-1], pi[n-1], 1e-11)
}

// TestRatesTooFarApart: a process whose rates span more than 30 decades comes with a warning, whatever its unit of time.
func TestRatesTooFarApart(t *testing.T) {
	for _, c := range []struct {
		decades, unit float64
		warned        bool
	}{{0, 1, false}, {25, 1, false}, {20, 1e150, false}, {35, 1, true}, {110, 1e-70, true}} {
		up := mat.NewDense(2, 2, []float64{c.unit / 2, 0, 0, c.unit / 2})
		down := mat.NewDense(2, 2, []float64{c.unit, 0, 0, c.unit})
		local := mat.NewDense(2, 2, []float64{0, c.unit * math.Pow(10, -c.decades), c.unit, 0})
		q := &markov.QBD{Boundary: []markov.Level{{Up: up, Local: local}}, Repeating: markov.Level{Up: up, Local: local, Down: down}}
		s, err := q.Solve(t.Context(), markov.Settings{})
		if err != nil {
			t.Errorf("%g decades: %v", c.decades, err)
			continue
		}
		qbdtest.Near(t, fmt.Sprintf("%g decades: mean", c.decades), s.Mean(), 1, 1e-13)
		if w := s.Diagnostics().Warnings; len(w) > 0 != c.warned {
			t.Errorf("%g decades, unit %g: warnings %v", c.decades, c.unit, w)
		}
	}
}
