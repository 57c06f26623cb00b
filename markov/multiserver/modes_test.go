package multiserver

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
	"github.com/partwise/partwise/phasetype"
)

// TestModesAlone sees to it that queues with renewal arrivals are solved by coefficients of modes where spectral expansion is
// asked for, not by the matrices that are tried next, and as the subtraction-free method solves them.
func TestModesAlone(t *testing.T) {
	services := map[string]Phases{
		"hyperexponential": phasesOf(must(t)(phasetype.BalancedHyperexponential(1, 4))),
		"Coxian": {Alpha: []float64{1, 0, 0}, T: mat.NewDense(3, 3, []float64{
			-3, 2.4, 0,
			0, -2, 0.6,
			0, 0, -0.5,
		})},
	}
	for k := 2; k <= 5; k++ {
		services[fmt.Sprintf("Erlang-%d", k)] = phasesOf(must(t)(phasetype.Erlang(k, 1)))
	}
	for name, service := range services {
		for c := 1; c <= 4; c++ {
			for arrivals, order := range map[string]int{"Poisson": 1, "Erlang-3": 3} {
				q := renewal(must(t)(phasetype.Erlang(order, 1/(0.5*float64(c)))), c, service)
				what := fmt.Sprintf("%s arrivals, %d servers, %s service", arrivals, c, name)
				sol, err := q.Solve(t.Context(), markov.Settings{Method: SpectralExpansion})
				if err != nil {
					t.Errorf("%s: %v", what, err)
					continue
				}
				if sol.repeating.b == nil {
					t.Errorf("%s: not by modes", what)
				}
				want, err := q.Solve(t.Context(), markov.Settings{Method: markov.SubtractionFree})
				if err != nil {
					t.Fatal(err)
				}
				// Errors are those that either solution claims, a few roundings as a rule.
				bound := (sol.diagnostics.ErrorBound + want.diagnostics.ErrorBound) * want.mean
				if d := math.Abs(sol.mean - want.mean); !(d <= bound) {
					t.Errorf("%s: mean %v, without subtractions %v", what, sol.mean, want.mean)
				}
			}
		}
	}
}

// coxianService is a queue of c servers with renewal arrivals and service in five phases. Its modes nearly cancel at level c.
func coxianService(t *testing.T, c int, load float64) *Queue {
	t.Helper()
	service := Phases{Alpha: []float64{1, 0, 0, 0, 0}, T: mat.NewDense(5, 5, []float64{
		-20, 20, 0, 0, 0,
		0, -15, 15, 0, 0,
		0, 0, -3, 1.2, 0,
		0, 0, 0, -1, 0.3,
		0, 0, 0, 0, -0.5,
	})}
	return renewal(must(t)(phasetype.BalancedHyperexponential(serviceMean(t, service)/(load*float64(c)), 4)), c, service)
}

// TestScaleIsNoError: an imbalance of the total flow only scales the solution. No coefficient of the modes is corrected for it.
func TestScaleIsNoError(t *testing.T) {
	ctx := t.Context()
	s, err := coxianService(t, 6, 0.5).check(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.allocate(); err != nil {
		t.Fatal(err)
	}
	b, r, err := s.boundaryAndSaturated(ctx, attempt{Name: SpectralExpansion, Modes: true}, markov.Settings{})
	if err != nil || r.err != nil || r.basis == nil {
		t.Fatal(err, r.err, r.basis)
	}
	q := &balance{Modes: r.Modes, basis: r.basis, below: b}
	if !q.solveByIteration(ctx) {
		t.Fatal("no coefficients")
	}
	const share = 1e-6 // of the flow
	off := slices.Concat(q.entry, q.b[q.ownUnknowns():])
	floats.Scale(share, off)
	d := q.correctionFor(ctx, off, correction)
	if change := floats.Norm(d, 1) / floats.Norm(q.b, 1); !(change <= share/10) { // roundings are left of the imbalance
		t.Errorf("the coefficients change by %.2g of themselves", change)
	}
}

// TestImprovedModes: where modes nearly cancel at level c, the levels above are corrected as well. The bound then falls below the
// limit of the automatic choice, and holds.
func TestImprovedModes(t *testing.T) {
	if testing.Short() {
		t.Skip("digits, not concurrency")
	}
	t.Parallel()
	const c = 6
	for _, load := range []float64{0.5, 0.7, 0.95} {
		q := coxianService(t, c, load)
		sol, err := q.Solve(t.Context(), markov.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if !sol.repeating.improved {
			t.Errorf("load %v: %v, without corrections of several levels", load, sol.Diagnostics())
		}
		known, err := q.Solve(t.Context(), markov.Settings{Method: markov.SubtractionFree})
		if err != nil {
			t.Fatal(err)
		}
		for k := range 5 * c {
			bound := sol.Diagnostics().BoundAt(k-c) + known.Diagnostics().BoundAt(k-c)
			if off := math.Abs(sol.Probability(k)/known.Probability(k) - 1); !(off <= bound) {
				t.Errorf("load %v, %v: P(level = %d) is off by %.2g, the bounds are %.2g", load, sol.Diagnostics(), k, off, bound)
			}
		}
		for what, v := range map[string][2]float64{
			"mean": {sol.Mean(), known.Mean()}, "waiting": {sol.MeanWaiting(), known.MeanWaiting()},
			"P(wait)": {sol.ArrivalWaits(), known.ArrivalWaits()}, "tail": {sol.Tail(8 * c), known.Tail(8 * c)},
		} {
			bound := sol.Diagnostics().BoundAt(7*c) + known.Diagnostics().BoundAt(7*c)
			if off := math.Abs(v[0]/v[1] - 1); !(off <= bound) {
				t.Errorf("load %v, %v: %s is off by %.2g, the bounds are %.2g", load, sol.Diagnostics(), what, off, bound)
			}
		}
	}
}

// TestBoundsOfModes: what coefficients of modes lose is in the bound also where it shows most, in the number waiting at light
// loads, which is that of rare occupancies.
func TestBoundsOfModes(t *testing.T) {
	if testing.Short() {
		t.Skip("digits, not concurrency")
	}
	t.Parallel()
	services := map[string]Phases{}
	for k := 3; k <= 5; k++ {
		services[fmt.Sprintf("Erlang-%d", k)] = phasesOf(must(t)(phasetype.Erlang(k, 1)))
	}
	for name, service := range services {
		for _, c := range []int{4, 6, 10} {
			for _, load := range []float64{0.03, 0.1, 0.3, 0.5} {
				if statespace.Occupancies(len(service.Alpha), c) > 300 {
					continue // the witness takes long
				}
				q := renewal(must(t)(phasetype.Exponential(load*float64(c)/serviceMean(t, service))), c, service)
				sol, err := q.Solve(t.Context(), markov.Settings{})
				if err != nil {
					t.Fatal(err)
				}
				known, err := q.Solve(t.Context(), markov.Settings{Method: markov.SubtractionFree})
				if err != nil {
					t.Fatal(err)
				}
				bound := sol.Diagnostics().ErrorBound + known.Diagnostics().ErrorBound
				for what, v := range map[string][2]float64{
					"mean": {sol.Mean(), known.Mean()}, "waiting": {sol.MeanWaiting(), known.MeanWaiting()},
					"P(wait)": {sol.ArrivalWaits(), known.ArrivalWaits()}, "P(0)": {sol.Probability(0), known.Probability(0)},
				} {
					if off := math.Abs(v[0]/v[1] - 1); !(off <= bound) {
						t.Errorf("%s, %d servers, load %v, %v: %s is off by %.2g, the bounds are %.2g", name, c, load,
							sol.Diagnostics(), what, off, bound)
					}
				}
			}
		}
	}
}

func phasesOf(d phasetype.Dist) Phases { return Phases{Alpha: d.Alpha(), T: d.T()} }

func must(t *testing.T) func(phasetype.Dist, error) phasetype.Dist {
	return func(d phasetype.Dist, err error) phasetype.Dist {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
}

func serviceMean(t *testing.T, p Phases) float64 {
	d, err := phasetype.New(p.Alpha, p.T.(*mat.Dense))
	if err != nil {
		t.Fatal(err)
	}
	return d.Mean()
}

// renewal is a queue of renewal arrivals.
func renewal(times phasetype.Dist, c int, service Phases) *Queue {
	n := times.Phases()
	d1 := mat.NewDense(n, n, nil)
	d1.Outer(1, mat.NewVecDense(n, times.Exit()), mat.NewVecDense(n, times.Alpha()))
	return &Queue{D0: times.T(), D1: d1, Servers: c, Service: []Phases{service}}
}

// Improved reports whether several levels were corrected because modes cancel at level c, for tests of the package.
func (sol *Solution) Improved() bool { return sol.repeating.improved }
