package multiserver_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/testdata/qbdtest"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/multiserver"
)

// tinyTol: a level far out is a power of the decay rate, whose rounding errors its exponent multiplies, some hundreds
// of them.
const tinyTol = 1e-12

// Probabilities down to 1e-300 against Erlang's formula, by every method.
func TestTinyProbabilitiesOfMMc(t *testing.T) {
	for _, lambda := range []float64{0.02, 1.2} {
		const c = 2
		known := mmc(lambda, 1, c)
		for _, method := range multiserver.Methods() {
			s, err := known.Queue.Solve(t.Context(), markov.Settings{Method: method})
			if err != nil {
				t.Fatal(err)
			}
			logP := math.Log(known.Empty)
			for i := 1; logP > -690; i++ {
				logP += math.Log(lambda / float64(min(i, c)))
				if i%20 == 0 {
					// the logarithm itself is known to fifteen digits of some hundreds
					what := fmt.Sprintf("λ=%g, %s, P(%d)", lambda, method, i)
					qbdtest.Near(t, what, s.Probability(i), math.Exp(logP), 700*tinyTol)
				}
			}
		}
	}
}

// TestMeanInPhasesWhereLevelCIsNeverEntered: the mean number of jobs by phase does not depend on a level whose probability
// is too small for a number.
func TestMeanInPhasesWhereLevelCIsNeverEntered(t *testing.T) {
	const servers, lambda, pause = 200, 0.5, 1e-3
	q := mmc(lambda, 1, servers).Queue
	switchOver := multiserver.Phases{Alpha: []float64{1}, T: mat.NewDense(1, 1, []float64{-1 / pause})}
	for range servers {
		q.OnArrival = append(q.OnArrival, switchOver)
	}
	s, err := q.Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	qbdtest.Near(t, "mean number of jobs", s.MeanInPhases()[0], s.Mean(), tinyTol)
}

// TestLevelsBeyondAllNumbers: a level whose probability is smaller than any number has the probability 0, however far it is,
// by every method, with and without a switch-over. No search through the levels runs for ever.
func TestLevelsBeyondAllNumbers(t *testing.T) {
	const c = 2
	pause := multiserver.Phases{Alpha: []float64{1}, T: mat.NewDense(1, 1, []float64{-100})}
	for _, switchOver := range []multiserver.Phases{{}, pause} {
		for _, lambda := range []float64{0.02, 1.6} {
			q := mmc(lambda, 1, c).Queue
			q.OnArrival = []multiserver.Phases{switchOver, switchOver}
			for _, method := range multiserver.Methods() {
				s, err := q.Solve(t.Context(), markov.Settings{Method: method})
				if err != nil {
					t.Fatal(err)
				}
				for _, i := range []int{1 << 20, math.MaxInt >> 8, math.MaxInt} {
					if p, tail := s.Probability(i), s.Tail(i); p != 0 || tail != 0 {
						t.Errorf("λ=%g, %s: P(level = %d) is %g and P(level > %[3]d) %g, want 0", lambda, method, i, p, tail)
					}
				}
			}
		}
	}
}

// Far tails of queues with phases, against the method that never subtracts; the automatic choice must not use modes
// where they have lost the slowest one.
func TestTinyTails(t *testing.T) {
	if testing.Short() {
		t.Skip("digits, not concurrency")
	}
	t.Parallel()
	h2, h2t := hyperexponential2(1, 9)
	for _, service := range []multiserver.Phases{{Alpha: h2, T: h2t}, erlang(3, 1)} {
		for _, c := range []int{2, 8, 16} {
			for _, rho := range []float64{0.01, 0.1, 0.5} {
				q := loaded(h2, mat.DenseCopyOf(h2t), service, c, rho)
				got, err := q.Solve(t.Context(), markov.Settings{})
				if err != nil {
					t.Fatal(err)
				}
				want, err := q.Solve(t.Context(), markov.Settings{Method: markov.SubtractionFree})
				if err != nil {
					t.Fatal(err)
				}
				for i := c; want.Tail(i-1) > 1e-300; i += 1 + i/3 {
					label := fmt.Sprintf("%d phases, c=%d, load %g, %s: ",
						len(service.Alpha), c, rho, got.Diagnostics().Method)
					tail := want.Tail(i - 1)
					qbdtest.Near(t, label+fmt.Sprintf("P(N≥%d) = %.3g", i, tail), got.Tail(i-1), tail, 1e-10)
					qbdtest.Near(t, label+fmt.Sprintf("P(%d)", i), got.Probability(i), want.Probability(i), 1e-10)
				}
			}
		}
	}
}
