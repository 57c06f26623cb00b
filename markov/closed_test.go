package markov_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/qbdtest"
)

// closedTol: nothing is subtracted on the way to a mean, so what remains are the roundings of some hundred operations
// and of the closed form itself.
const closedTol = 1e-12

func TestClosedForms(t *testing.T) {
	for i, known := range qbdtest.All() {
		for _, method := range markov.Methods() {
			t.Run(fmt.Sprintf("%d %s %s", i, known.Name, method), func(t *testing.T) {
				s, err := known.Queue.Solve(markov.Settings{Method: method})
				if errors.Is(err, markov.ErrMethod) {
					t.Skip("does not apply")
				}
				if err != nil {
					t.Fatal(err)
				}
				near(t, "mean", s.Mean(), known.Mean, closedTol)
				near(t, "P(0)", s.Probability(0), known.Empty, closedTol)
				near(t, "decay", s.DecayRate(), known.Decay, closedTol)
				near(t, "wait", s.ArrivalWaits(), known.Wait, closedTol)
			})
		}
	}
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if math.IsNaN(want) {
		return
	}
	if !(math.Abs(got-want) <= tol*math.Abs(want)) {
		t.Errorf("%s = %.15g, want %.15g (relative %.1e)", what, got, want, got/want-1)
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
			s, err := r.Queue().Solve(markov.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			near(t, "mean", s.Mean(), r.EN, referenceTol)
			near(t, "variance", s.Variance(), r.VarN, referenceTol)
			near(t, "waiting", s.MeanWaiting(), r.EQ, referenceTol)
			if name != "H2/H2/64" {
				// There the reference has 6.62496e-16, four good digits: it was eliminated upward with subtractions.
				// Without them, upward and downward agree on 6.62477008902e-16; see TestRareStates.
				near(t, "P(0)", s.Probability(0), r.PN0, referenceTol)
			}
			near(t, "decay", s.DecayRate(), r.SpR, referenceTol)
			for text, want := range r.Tail {
				var k int
				if _, err := fmt.Sscanf(text, "P(N>=%d)", &k); err != nil {
					t.Fatal(err)
				}
				near(t, text, s.Tail(k), want, referenceTol)
			}
		})
	}
}

func TestReferenceDenseBlocks(t *testing.T) {
	refs, err := qbdtest.References()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{10, 30, 100} {
		r := refs[fmt.Sprintf("dense-n%d-rho0.8", n)]
		for _, method := range []string{markov.CyclicReduction, markov.LogarithmicReduction} {
			s, err := qbdtest.Dense(n, 0.8).Solve(markov.Settings{Method: method})
			if err != nil {
				t.Fatal(err)
			}
			near(t, "mean", s.Mean(), r.EN, referenceTol)
			near(t, "variance", s.Variance(), r.VarN, referenceTol)
			near(t, "P(0)", s.Probability(0), r.PN0, referenceTol)
			near(t, "decay", s.DecayRate(), r.SpR, referenceTol)
			for i, j := range []int{0, 1, n - 1} { // the columns that the reference gives of the first rows
				near(t, "G", s.G().At(0, j), r.GRow[i], referenceTol)
				near(t, "R", s.R().At(0, j), r.RRow[i], referenceTol)
			}
			for j, want := range r.Pi03 {
				near(t, "pi0", s.Level(0)[j], want, referenceTol)
			}
		}
	}
}
