package multiserver

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
)

// farApart is fourPhases with six servers and mean times in the phases of service from one to eighty: modes cancel.
func farApart() *Queue {
	q := fourPhases()
	q.Servers = 6
	q.Service = []Phases{{Alpha: []float64{1, 0, 0, 0}, T: mat.NewDense(4, 4, []float64{
		-4, 2.4, 0, 0,
		0, -0.9, 0.45, 0,
		0, 0, -0.22, 0.044,
		0, 0, 0, -0.05,
	})}}
	for _, d := range []*mat.Dense{q.D0.(*mat.Dense), q.D1.(*mat.Dense)} {
		d.Scale(0.3, d)
	}
	return q
}

// TestLevelsAbove compares the levels by coefficients of level c, and of one above it, with those found without a subtraction.
func TestLevelsAbove(t *testing.T) {
	ctx := t.Context()
	s, err := farApart().check(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.allocate()
	try := attempt{method: SpectralExpansion, modes: true}
	b, r, err := s.parts(ctx, try, markov.Settings{})
	if err != nil || r.err != nil || r.basis == nil {
		t.Fatal(err, r.err, r.basis)
	}
	at, err := s.solveWith(ctx, try, b, r)
	if err != nil {
		t.Fatal(err)
	}
	above, err := s.solveAbove(ctx, try, b, r, 0.7)
	if err != nil {
		t.Fatal(err)
	}
	want, err := farApart().Solve(ctx, markov.Settings{Method: markov.SubtractionFree})
	if err != nil {
		t.Fatal(err)
	}
	if len(above.repeating.above) != levelsAbove || !(above.errorBound() < at.errorBound()/4) {
		t.Errorf("%d levels above c, error up to %.2g in place of %.2g", len(above.repeating.above), above.errorBound(),
			at.errorBound())
	}
	for name, got := range map[string]*Solution{"at level c": at, "above": above} {
		bound := got.errorBound() + want.Diagnostics().ErrorBound
		worst := 0.0
		check := func(what string, got, want, tol float64) {
			off := math.Abs(got/want - 1)
			if worst = max(worst, off); !(off <= tol) {
				t.Errorf("%s: %s = %.15g, want %.15g: off by %.2g, bound %.2g", name, what, got, want, off, tol)
			}
		}
		check("mean", got.Mean(), want.Mean(), bound)
		check("variance", got.Variance(), want.Variance(), 2*bound)
		check("waiting", got.MeanWaiting(), want.MeanWaiting(), bound)
		check("throughput", got.Throughput(), want.Throughput(), bound)
		for l := range s.c + 3*levelsAbove {
			check("P(level)", got.Probability(l), want.Probability(l), bound)
			check("tail", got.Tail(l), want.Tail(l), bound)
		}
		t.Logf("%s: off by up to %.2g, bound %.2g", name, worst, bound)
	}
}
