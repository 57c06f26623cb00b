package multiserver

import (
	"math/cmplx"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
)

// fourPhases is a queue with arrivals of two classes and service through some of four phases, 220 occupancies.
func fourPhases() *Queue {
	return &Queue{
		D0: mat.NewDense(2, 2, []float64{-10, 0.5, 0.2, -2.6}), D1: mat.NewDense(2, 2, []float64{9, 0.5, 0, 2.4}),
		Servers: 9,
		Service: []Phases{{Alpha: []float64{0.4, 0.3, 0.2, 0.1}, T: mat.NewDense(4, 4, []float64{
			-2, 1.4, 0, 0,
			0, -1.2, 1, 0,
			0, 0, -4, 3,
			0, 0, 0, -12,
		})}},
	}
}

// TestCoefficientsByIteration compares them with those that elimination finds from the same modes and boundary.
func TestCoefficientsByIteration(t *testing.T) {
	ctx := t.Context()
	s, err := fourPhases().check(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.allocate()
	b, r, err := s.parts(ctx, attempt{SpectralExpansion, true}, markov.Settings{})
	if err != nil || r.err != nil || r.basis == nil {
		t.Fatal(err, r.err, r.basis)
	}
	rp, err := s.newRepeatingPart(ctx, r.saturated)
	if err != nil {
		t.Fatal(err)
	}
	q := balance{modes: rp.modes, basis: r.basis, from: b}
	x := q.solve(ctx)
	if x == nil {
		t.Fatal("no coefficients")
	}
	got, want := rp.fromReal(x), rp.fromReal(rp.balanceByElimination(ctx, b.returns(ctx)))
	worst, largest := 0.0, 0.0
	for i, w := range want {
		worst, largest = max(worst, cmplx.Abs(got[i]-w)), max(largest, cmplx.Abs(w))
	}
	if !(worst <= certified/10*largest) { // a tenth of the error up to which solutions by modes are accepted
		t.Errorf("coefficients differ by %.2g of the largest", worst/largest)
	}
	t.Logf("they differ by %.2g of the largest", worst/largest)
}

// TestSameBitsOnAnyNumberOfCores solves a queue that is large enough for work to be shared.
func TestSameBitsOnAnyNumberOfCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	solve := func(cores int) (levels []float64) {
		runtime.GOMAXPROCS(cores)
		s, err := fourPhases().Solve(t.Context(), markov.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		for l := range 30 {
			levels = append(levels, s.Probability(l))
		}
		return append(levels, s.Mean(), s.Variance(), s.Diagnostics().Residual, s.Diagnostics().ErrorBound)
	}
	alone := solve(1)
	for _, cores := range []int{2, 3} {
		for i, v := range solve(cores) {
			if v != alone[i] {
				t.Errorf("%d cores: number %d is %v, %v on one", cores, i, v, alone[i])
			}
		}
	}
}
