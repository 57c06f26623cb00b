package markov_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
)

// reducible is a queue whose phases 2 to 5 are left for good when the level is 2 or more: 2 and 3, in which jobs are
// served, and 4 and 5, in which none is.
func reducible() *markov.QBD {
	up := mat.NewDense(6, 6, []float64{
		.4, .1, 0, 0, 0, 0,
		.2, .3, 0, 0, 0, 0,
		.1, 0, .3, .2, 0, 0,
		0, 0, 0, .6, 0, 0,
		0, 0, 0, 0, .5, 0,
		0, .1, 0, 0, .2, .3})
	local := mat.NewDense(6, 6, []float64{
		-1.9, .4, 0, 0, 0, 0,
		.5, -2.2, 0, 0, 0, 0,
		.3, .1, -1.6, .2, 0, 0,
		0, .7, .1, -1.7, 0, 0,
		.2, .2, 0, 0, -1.4, .5,
		.1, 0, 0, 0, 0, -.7})
	down := mat.NewDense(6, 6, []float64{
		.8, .2, 0, 0, 0, 0,
		.3, .9, 0, 0, 0, 0,
		0, .1, .1, .2, 0, 0,
		0, 0, .2, .1, 0, 0,
		0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0})
	for i := range 6 {
		sum := 0.0
		for j := range 6 {
			sum += up.At(i, j) + down.At(i, j)
			if j != i {
				sum += local.At(i, j)
			}
		}
		local.Set(i, i, -sum)
	}
	// The boundary: level 0 has one state, level 1 leads to all phases.
	first := markov.Level{Up: mat.NewDense(1, 6, []float64{.1, .1, .2, .1, .1, .1}), Local: mat.NewDense(1, 1, []float64{-.7})}
	second := mat.DenseCopyOf(local)
	for i := range 6 {
		j := (i + 2) % 6
		second.Set(i, j, second.At(i, j)+.1)
		second.Set(i, i, second.At(i, i)-.1)
	}
	below := mat.NewDense(6, 1, nil)
	for i := range 6 {
		for j := range 6 {
			below.Set(i, 0, below.At(i, 0)+down.At(i, j))
		}
	}
	return &markov.QBD{Boundary: []markov.Level{first, {Up: up, Local: second, Down: below}},
		Repeating: markov.Level{Up: up, Local: local, Down: down}}
}

// byRegimes is the process with a regime for each class, the one that the others are left for being the last.
func byRegimes(q *markov.QBD) *markov.Regimes {
	of := []int{2, 2, 0, 0, 1, 1}
	return &markov.Regimes{Of: [][]int{{2}, of}, Moves: func(l, i int, add func(by, to int, rate float64)) {
		level := q.Repeating
		if l < len(q.Boundary) {
			level = q.Boundary[l]
		}
		for by, m := range map[int]mat.Matrix{-1: level.Down, 0: level.Local, 1: level.Up} {
			if m == nil {
				continue
			}
			_, cols := m.Dims()
			for j := range cols {
				if rate := m.At(i, j); rate > 0 {
					add(by, j, rate)
				}
			}
		}
	}}
}

// Reduced by classes a process has the solution that it has in one piece; 1e-12: both are sums of a few hundred terms.
func TestClassesMakeNoDifference(t *testing.T) {
	for _, method := range []string{markov.CyclicReduction, markov.SubtractionFree} {
		st := markov.Settings{Method: method}
		whole, err := reducible().Solve(t.Context(), st)
		if err != nil {
			t.Fatal(err)
		}
		parts, err := byRegimes(reducible()).Solve(t.Context(), st)
		if err != nil {
			t.Fatal(err)
		}
		sameRegimes(t, parts, whole, method)
	}
}

func decayRate(t *testing.T, s *markov.QBDSolution) float64 {
	rate, err := s.DecayRate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return rate
}
