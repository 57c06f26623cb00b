package markov_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/testdata/qbdtest"
	"gonum.org/v1/gonum/mat"
)

// The references were computed with 80 bits and printed with 17 digits; ten are asked for.
const referenceTol = 1e-10

func TestReferenceDenseBlocks(t *testing.T) {
	refs, err := qbdtest.References()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{10, 30, 100} {
		r := refs[fmt.Sprintf("dense-n%d-rho0.8", n)]
		for _, method := range []string{markov.CyclicReduction} {
			s, err := qbdtest.Dense(n, 0.8).Solve(t.Context(), markov.Settings{Method: method})
			if err != nil {
				t.Fatal(err)
			}
			qbdtest.Near(t, "mean", s.Mean(), r.EN, referenceTol)
			qbdtest.Near(t, "variance", s.Variance(), r.VarN, referenceTol)
			qbdtest.Near(t, "P(0)", s.Probability(0), r.PN0, referenceTol)
			decay, err := s.DecayRate(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			qbdtest.Near(t, "decay", decay, r.SpR, referenceTol)
			first, err := s.G(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for i, j := range []int{0, 1, n - 1} { // the columns that the reference gives of the first rows
				qbdtest.Near(t, "G", first.At(0, j), r.GRow[i], referenceTol)
				qbdtest.Near(t, "R", s.R().At(0, j), r.RRow[i], referenceTol)
			}
			for j, want := range r.Pi03 {
				qbdtest.Near(t, "pi0", s.Level(0)[j], want, referenceTol)
			}
		}
	}
}

func TestQBDRefusals(t *testing.T) {
	dense := qbdtest.Dense(5, 0.8)
	dense.Repeating.Up.(*mat.Dense).Set(2, 3, -1)
	var block *markov.BlockError
	_, err := dense.Solve(t.Context(), markov.Settings{})
	if !errors.As(err, &block) || block.Row != 2 || block.Col != 3 || block.Level != -1 && block.Level != 0 {
		t.Errorf("negative rate: %v", err)
	}
	if _, err := qbdtest.Dense(5, 2).Solve(t.Context(), markov.Settings{}); !errors.Is(err, markov.ErrUnstable) {
		t.Errorf("unstable QBD: %v", err)
	}
	guess := markov.Settings{Method: "guess"}
	if _, err := qbdtest.Dense(5, 0.8).Solve(t.Context(), guess); !errors.Is(err, markov.ErrMethod) {
		t.Errorf("unknown method: %v", err)
	}
}
