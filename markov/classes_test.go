package markov_test

import (
	"errors"
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

// Reduced by classes a process has the solution that it has in one piece; 1e-12: both are sums of a few hundred terms.
func TestClassesMakeNoDifference(t *testing.T) {
	for _, method := range []string{markov.CyclicReduction, markov.SubtractionFree} {
		st := markov.Settings{Method: method}
		whole, err := reducible().Solve(t.Context(), st)
		if err != nil {
			t.Fatal(err)
		}
		q := reducible()
		q.Classes = []int{2, 2, 2}
		parts, err := q.Solve(t.Context(), st)
		if err != nil {
			t.Fatal(err)
		}
		if g, h := passages(t, whole), passages(t, parts); !mat.EqualApprox(whole.R(), parts.R(), 1e-13) ||
			!mat.EqualApprox(g, h, 1e-13) {
			t.Errorf("%s: R or G differ:\n%v\n%v", method, mat.Formatted(g), mat.Formatted(h))
		}
		for what, pair := range map[string][2]float64{
			"mean": {whole.Mean(), parts.Mean()}, "variance": {whole.Variance(), parts.Variance()},
			"decay": {decayRate(t, whole), decayRate(t, parts)}, "empty": {whole.Probability(0), parts.Probability(0)},
		} {
			if d := pair[0]/pair[1] - 1; d > 1e-12 || d < -1e-12 {
				t.Errorf("%s: %s is %v, by classes %v", method, what, pair[0], pair[1])
			}
		}
	}
}

func passages(t *testing.T, s *markov.QBDSolution) *mat.Dense {
	g, err := s.G(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func decayRate(t *testing.T, s *markov.QBDSolution) float64 {
	rate, err := s.DecayRate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return rate
}

func TestClassesAreChecked(t *testing.T) {
	for _, classes := range [][]int{{2, 2}, {4, 1, 1}, {1, 5}} {
		q := reducible()
		q.Classes = classes
		var wrong *markov.BlockError
		if _, err := q.Solve(t.Context(), markov.Settings{}); !errors.As(err, &wrong) {
			t.Errorf("classes %v: %v", classes, err)
		}
	}
}
