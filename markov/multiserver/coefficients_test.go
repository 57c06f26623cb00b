package multiserver

import (
	"math"
	"math/cmplx"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/spectrum"
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

// TestCoefficientsByIteration compares them with those that elimination finds from the same modes and boundary, all levels of
// which are eliminated or some.
func TestCoefficientsByIteration(t *testing.T) {
	ctx := t.Context()
	s, err := fourPhases().check(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.allocate(); err != nil {
		t.Fatal(err)
	}
	all, r, err := s.boundaryAndSaturated(ctx, attempt{Name: SpectralExpansion, Modes: true}, markov.Settings{})
	if err != nil || r.err != nil || r.basis == nil {
		t.Fatal(err, r.err, r.basis)
	}
	if _, ok := r.basis.(*spectrum.ModeBasis); !ok {
		t.Error("entries of arrivals in two classes are not factored by parts")
	}
	for _, top := range []int{s.c - 1, s.c - 2, s.c - 5, 1} {
		b := s.newBoundary()
		b.top, b.factored = top, true
		if err := b.eliminateUpward(ctx); err != nil {
			t.Fatal(err)
		}
		iterated := &balance{Modes: r.Modes, basis: r.basis, below: b}
		if !iterated.solveByIteration(ctx) {
			t.Fatalf("level %d: no coefficients", top)
		}
		if b.top != top {
			t.Errorf("levels up to %d were eliminated, not %d", b.top, top)
		}
		eliminated := &balance{Modes: r.Modes, below: all}
		if err := eliminated.solveByElimination(ctx); err != nil {
			t.Fatal(err)
		}
		got, want := iterated.normalisedCoefficients(nil, iterated.b), eliminated.normalisedCoefficients(nil, eliminated.b)
		worst, largest := 0.0, 0.0
		for i, w := range want {
			worst, largest = max(worst, cmplx.Abs(got[i]-w)), max(largest, cmplx.Abs(w))
		}
		if !(worst <= certified/10*largest) { // a tenth of the error up to which solutions by modes are accepted
			t.Errorf("level %d: coefficients differ by %.2g of the largest", top, worst/largest)
		}
		t.Logf("level %d: they differ by %.2g of the largest", top, worst/largest)
	}
}

// TestEliminatedLevels: levels are left to passes where it takes long to eliminate them, but not where rates are far apart.
func TestEliminatedLevels(t *testing.T) {
	for servers, passes := range map[int]bool{1: false, 2: false, 8: false, 16: true} {
		q := fourPhases()
		q.Servers = servers
		s, err := q.check(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.allocate(); err != nil {
			t.Fatal(err)
		}
		if top := s.eliminatedLevels(t.Context()); (top < servers-1) != passes {
			t.Errorf("%d servers: levels up to %d are eliminated", servers, top)
		}
		s.decades = manyDecades + 1
		if top := s.eliminatedLevels(t.Context()); top != servers-1 {
			t.Errorf("%d servers, rates far apart: levels up to %d are eliminated", servers, top)
		}
	}
}

// TestEntriesByParts multiplies back what is solved by the factors of the entries, by parts and all together.
func TestEntriesByParts(t *testing.T) {
	ctx := t.Context()
	for name, service := range map[string]Phases{
		"four rates": fourPhases().Service[0],
		"Erlang":     {Alpha: []float64{1, 0, 0}, T: mat.NewDense(3, 3, []float64{-3, 3, 0, 0, -3, 3, 0, 0, -3})},
	} {
		queue := fourPhases()
		queue.Service = []Phases{service}
		s, err := queue.check(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.allocate(); err != nil {
			t.Fatal(err)
		}
		b, err := s.saturatedByModes(ctx)
		if err != nil {
			t.Fatal(err)
		}
		ordered, class, ok := b.Modes.Parts()
		if !ok {
			t.Errorf("%s: no parts", name)
			continue
		}
		entries := b.Modes.Entries()
		off := func(f spectrum.LeftSolver) float64 {
			x := block.Ones(entries.Rows)
			f.SolveLeft(x)
			back := block.VecMul(x, entries)
			floats.Sub(back, block.Ones(len(back)))
			return floats.Norm(back, math.Inf(1))
		}
		parts, together := off(b.Modes.FactorByParts(ctx, ordered, class)), off(block.FactorLU(ctx, entries.Clone()))
		t.Logf("%s: off by %.2g, %.2g by all together", name, parts, together)
		if !(parts <= 10*together) { // both lose what the condition of the basis takes
			t.Errorf("%s: entries are off by %.2g, all together by %.2g", name, parts, together)
		}
	}
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
