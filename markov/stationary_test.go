package markov_test

import (
	"errors"
	"math"
	"testing"

	"github.com/partwise/partwise/markov"
	"gonum.org/v1/gonum/mat"
)

func TestStationaryKeepsTransientStatesOut(t *testing.T) {
	// states 0, 1 form the closed class; 2 is left for good, and comes last
	q := mat.NewDense(3, 3, []float64{0, 2, 0, 1, 0, 0, 5, 0, 0})
	pi, err := markov.Stationary(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1.0 / 3, 2.0 / 3, 0} {
		if math.Abs(pi[i]-want) > 1e-15 {
			t.Errorf("pi[%d] = %v, want %v", i, pi[i], want)
		}
	}
}

func TestStationaryRefusesTwoClosedClasses(t *testing.T) {
	parts := mat.NewDense(4, 4, []float64{0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0})
	if _, err := markov.Stationary(t.Context(), parts); !errors.Is(err, markov.ErrReducible) {
		t.Errorf("two closed classes: %v", err)
	}
}
