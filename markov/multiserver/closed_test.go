package multiserver_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/qbdtest"

	"github.com/partwise/partwise/markov/multiserver"
)

// closedTol: nothing is subtracted on the way to a mean, so what remains are the roundings of some hundred operations
// and of the closed form itself.
const closedTol = 1e-12

func TestClosedForms(t *testing.T) {
	for i, known := range qbdtest.All() {
		for _, method := range multiserver.Methods() {
			t.Run(fmt.Sprintf("%d %s %s", i, known.Name, method), func(t *testing.T) {
				s, err := known.Queue.Solve(t.Context(), markov.Settings{Method: method})
				if errors.Is(err, markov.ErrMethod) {
					t.Skip("does not apply")
				}
				if err != nil {
					t.Fatal(err)
				}
				qbdtest.Near(t, "mean", s.Mean(), known.Mean, closedTol)
				qbdtest.Near(t, "P(0)", s.Probability(0), known.Empty, closedTol)
				qbdtest.Near(t, "decay", s.DecayRate(), known.Decay, closedTol)
				qbdtest.Near(t, "wait", s.ArrivalWaits(), known.Wait, closedTol)
			})
		}
	}
}

// The references were computed with 80 bits and printed with 17 digits; ten are asked for.
const referenceTol = 1e-10

func TestReferenceQueues(t *testing.T) {
	refs, err := qbdtest.References()
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range refs {
		if r.C == 0 || (testing.Short() && name == "H2/H4/8") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			s, err := r.Queue().Solve(t.Context(), markov.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			qbdtest.Near(t, "mean", s.Mean(), r.EN, referenceTol)
			qbdtest.Near(t, "variance", s.Variance(), r.VarN, referenceTol)
			qbdtest.Near(t, "waiting", s.MeanWaiting(), r.EQ, referenceTol)
			if name != "H2/H2/64" {
				// There the reference has 6.62496e-16, four good digits: it was eliminated upward with subtractions.
				// Without them, upward and downward agree on 6.62477008902e-16; see TestRareStates.
				qbdtest.Near(t, "P(0)", s.Probability(0), r.PN0, referenceTol)
			}
			qbdtest.Near(t, "decay", s.DecayRate(), r.SpR, referenceTol)
			if decay, err := r.Queue().DecayRate(t.Context()); err != nil || decay != s.DecayRate() {
				t.Errorf("decay rate without a solution: %v, %v, with one %v", decay, err, s.DecayRate())
			}
			for text, want := range r.Tail {
				var k int
				if _, err := fmt.Sscanf(text, "P(N>=%d)", &k); err != nil {
					t.Fatal(err)
				}
				qbdtest.Near(t, text, s.Tail(k-1), want, referenceTol)
			}
		})
	}
}
