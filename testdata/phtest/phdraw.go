// This file draws random phase-type distributions and arrival processes for property tests with package rapid.

package phtest

import (
	"math"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// Dist returns a random distribution of 1 to 6 phases with rates over so many decades. One in four has an atom at zero.
// Moves and exits are present or not; each phase moves to the next, and the last has an exit, so that absorption is
// certain.
func Dist(t *rapid.T, decades float64) phasetype.Dist {
	n := rapid.IntRange(1, 6).Draw(t, "phases")
	alpha, moves, exit := make([]float64, n), mat.NewDense(n, n, nil), make([]float64, n)
	rate := rates(t, decades)
	atom := 0.0
	if rapid.IntRange(0, 3).Draw(t, "atom?") == 0 {
		atom = rapid.Float64Range(0.001, 0.9).Draw(t, "atom")
	}
	var total float64
	for i := range n {
		alpha[i] = rapid.Float64Range(0, 1).Draw(t, "alpha")
		total += alpha[i]
	}
	if total < 1e-3 {
		alpha[0], total = 1, total-alpha[0]+1
	}
	for i := range n {
		alpha[i] *= (1 - atom) / total
		if i == n-1 || rapid.Bool().Draw(t, "exit?") {
			exit[i] = rate("exit")
		}
		for j := range n {
			if j == i+1 || j != i && rapid.IntRange(0, 2).Draw(t, "move?") == 0 {
				moves.Set(i, j, rate("move"))
			}
		}
	}
	d, err := phasetype.FromRates(alpha, moves, exit)
	if err != nil {
		t.Fatalf("phtest: drew a distribution that is refused: %v", err)
	}
	return d
}

// rates returns a function that draws rates over so many decades.
func rates(t *rapid.T, decades float64) func(label string) float64 {
	return func(label string) float64 {
		return math.Pow(10, rapid.Float64Range(-decades/2, decades/2).Draw(t, label))
	}
}

// MAP returns a random arrival process of 1 to 6 phases with rates over so many decades. Moves with and without an
// arrival are present or not. Each phase moves to the next, the last to the first, and the first has arrivals.
func MAP(t *rapid.T, decades float64) phasetype.MAP {
	n := rapid.IntRange(1, 6).Draw(t, "phases")
	d0, d1 := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	rate := rates(t, decades)
	d1.Set(0, 0, rate("arrival"))
	for i := range n {
		var out float64
		for j := range n {
			if j != i && (j == (i+1)%n || rapid.IntRange(0, 2).Draw(t, "move?") == 0) {
				d0.Set(i, j, rate("move"))
			}
			if rapid.IntRange(0, 2).Draw(t, "arrival?") == 0 {
				d1.Set(i, j, rate("arrival"))
			}
			out += d0.At(i, j) + d1.At(i, j)
		}
		d0.Set(i, i, -out)
	}
	m, err := phasetype.NewMAP(d0, d1)
	if err != nil {
		t.Fatalf("phtest: drew an arrival process that is refused: %v", err)
	}
	return m
}
