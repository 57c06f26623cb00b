package markov_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/partwise/partwise/markov"
	"gonum.org/v1/gonum/mat"
)

// TestCloseToSaturation: whatever differs from saturation by more than roundings is solved within its bound, or refused because
// no digit is certain. Only what does not differ is refused as neither stable nor unstable, and an unstable process as such.
func TestCloseToSaturation(t *testing.T) {
	for _, distance := range []float64{1e-9, 1e-11, 1e-12, 1e-13, 3e-14, 1e-15, 1e-16, 0, -1e-15, -1e-13, -.5} {
		lambda := 1 - distance
		up, none, down := mat.NewDense(1, 1, []float64{lambda}), mat.NewDense(1, 1, nil), mat.NewDense(1, 1, []float64{1})
		q := &markov.QBD{
			Boundary:  []markov.Level{{Up: up, Local: none}},
			Repeating: markov.Level{Up: up, Local: none, Down: down},
		}
		s, err := q.Solve(t.Context(), markov.Settings{})
		undecided := err != nil && strings.Contains(err.Error(), "stable or not cannot be told: mean drift ")
		switch room := 1 - lambda; {
		case room > 2.1e-14:
			if undecided || err != nil && !errors.Is(err, markov.ErrInaccurate) {
				t.Errorf("λ = 1 − %g: %v", distance, err)
			} else if err == nil && !(math.Abs(s.Mean()*room/lambda-1) <= s.Diagnostics().ErrorBound) {
				t.Errorf("λ = 1 − %g: mean %v, bound %v", distance, s.Mean(), s.Diagnostics().ErrorBound)
			}
		case room >= -2e-14:
			if !undecided || !errors.Is(err, markov.ErrUnstable) || !strings.Contains(err.Error(), "rounding error up to 2e-14") {
				t.Errorf("λ = 1 − %g: %v", distance, err)
			}
		case undecided || !errors.Is(err, markov.ErrUnstable) || !strings.Contains(err.Error(), "mean drift -"):
			t.Errorf("λ = 1 − %g: %v", distance, err)
		}
	}
}

// TestSlowFailures: M/M/1 whose server fails at rate a and is repaired at rate b = 3a, with the mean that its generating
// function gives. The slower the failures, the fewer digits are certain. In the end no digit is, and the error says so.
func TestSlowFailures(t *testing.T) {
	const lambda, mu = .5, 1.0
	square := func(v ...float64) mat.Matrix { return mat.NewDense(2, 2, v) }
	for _, a := range []float64{1e-6, 1e-10, 1e-12, 1e-13, 1e-14, 1e-16, 1e-18, 1e-25} {
		b := 3 * a
		up, local := square(lambda, 0, 0, lambda), square(0, a, b, 0)
		q := &markov.QBD{
			Boundary:  []markov.Level{{Up: up, Local: local}},
			Repeating: markov.Level{Up: up, Local: local, Down: square(mu, 0, 0, 0)},
		}
		want := lambda * ((a+b)*(a+b) + mu*a) / ((a + b) * (mu*b - lambda*(a+b)))
		for _, method := range markov.Methods() {
			s, err := q.Solve(t.Context(), markov.Settings{Method: method})
			switch {
			case a >= 1e-14 && err != nil:
				t.Errorf("a = %g, %s: %v", a, method, err)
			case a >= 1e-14:
				if off := math.Abs(s.Mean()/want - 1); !(off <= s.Diagnostics().ErrorBound) {
					t.Errorf("a = %g, %s: off by %.2g, bound %.2g", a, method, off, s.Diagnostics().ErrorBound)
				}
			case errors.Is(err, markov.ErrNoConvergence) && strings.Contains(err.Error(), "part of all methods"):
			case !errors.Is(err, markov.ErrIllConditioned) || !errors.Is(err, markov.ErrInaccurate):
				t.Errorf("a = %g, %s: %v", a, method, err)
			}
		}
	}
}
