package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestCrossValidation chooses one phase for an exponential and at least two for a mixture of two exponentials far
// apart. The same seed gives the same numbers.
func TestCrossValidation(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	one, two := make([]float64, 200), make([]float64, 200)
	for i := range one {
		one[i] = random.ExpFloat64()
		two[i] = random.ExpFloat64() * []float64{1, 1, 1, 50}[i%4]
	}
	o := Options{MaxPhases: 3, Criterion: CV, Seed: 1}
	for want, xs := range map[int][]float64{1: one, 2: two} {
		all, err := PhaseType(t.Context(), Sample{Values: xs}, o)
		if err != nil {
			t.Fatal(err)
		}
		again, err := PhaseType(t.Context(), Sample{Values: xs}, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range all {
			// Values that were left out are less likely than those of the fit, save by chance.
			if c.CrossValidated > c.MeanLogLikelihood || c.CrossValidated != again[i].CrossValidated {
				t.Errorf("%d phases: %g, again %g, fitted %g", c.Phases, c.CrossValidated, again[i].CrossValidated,
					c.MeanLogLikelihood)
			}
		}
		one := all[slices.IndexFunc(all, func(c Candidate) bool { return c.Phases == 1 })]
		if all[0].Phases < want || want == 1 && all[0].CrossValidated-one.CrossValidated > 0.01 {
			t.Errorf("chose %d phases, made with %d", all[0].Phases, want)
		}
	}
}

// TestFolds: nothing is lost, and large counts are shared like many values.
func TestFolds(t *testing.T) {
	s := Sample{Values: []float64{1, 2, 3}, Weights: []float64{7, 0.5, 1e6}}
	parts, err := s.folds(t.Context(), 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range s.Weights {
		var sum float64
		for _, p := range parts {
			sum += p[i]
		}
		if sum != w {
			t.Errorf("value %d: folds sum to %g, not %g", i, sum, w)
		}
	}
	for f, p := range parts {
		if d := math.Abs(p[2] - 2e5); d > 4*math.Sqrt(1e6*.16) { // four standard deviations of a binomial count
			t.Errorf("fold %d has %g of a million", f, p[2])
		}
	}
}
