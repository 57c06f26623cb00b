package multiserver

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/phasetype"
)

// TestModesWithSwitchOver: with an exponential switch-over at level c, modes know all that matrices do, also where the
// probability that an arrival finds it unfinished is a root.
func TestModesWithSwitchOver(t *testing.T) {
	if testing.Short() {
		t.Skip("digits, not concurrency")
	}
	const c, mean = 8, 1.0
	services := map[string]Phases{
		"Erlang-3": phasesOf(must(t)(phasetype.Erlang(3, 1/mean))),
		"Coxian": {Alpha: []float64{1, 0, 0}, T: mat.NewDense(3, 3, []float64{
			-3, 2.4, 0,
			0, -2, 0.6,
			0, 0, -0.5,
		})},
	}
	alone := 0
	for name, service := range services {
		for kind, arrivals := range map[string]phasetype.Dist{
			"Poisson": must(t)(phasetype.Exponential(1)), "Erlang-2": must(t)(phasetype.Erlang(2, 1)),
			"hyperexponential": must(t)(phasetype.BalancedHyperexponential(1, 9)),
		} {
			for _, load := range []float64{.4, .7, .95} {
				rate := load * c / serviceMean(t, service)
				times := must(t)(arrivals.Scale(1 / (rate * arrivals.Mean())))
				q := renewal(times, c, service)
				plain, err := q.Solve(t.Context(), markov.Settings{})
				if err != nil {
					t.Fatal(err)
				}
				resonance := rate * (1/plain.DecayRate() - 1) // where Poisson arrivals have ω = η
				for _, over := range []float64{.3 * rate, rate, 5 * rate, resonance} {
					q.OnArrival = nil
					for range c {
						q.OnArrival = append(q.OnArrival, phasesOf(must(t)(phasetype.Exponential(over))))
					}
					if agreesWithReduction(t, q).repeating.b != nil {
						alone++
					} else {
						t.Logf("%s, %s arrivals, load %v, switch-overs at rate %v: by matrices", name, kind, load, over)
					}
				}
			}
		}
	}
	if alone < 40 { // 49 when this was written; the others do not certify twelve digits
		t.Errorf("%d queues of 72 by modes alone", alone)
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

// agreesWithReduction compares with the reduction.
func agreesWithReduction(t *testing.T, q *Queue) *Solution {
	t.Helper()
	sol, err := q.Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := q.Solve(t.Context(), markov.Settings{Method: markov.CyclicReduction})
	if err != nil {
		t.Fatal(err)
	}
	bound := sol.diagnostics.ErrorBound + want.diagnostics.ErrorBound
	within := func(what string, x, y, bound float64) {
		if !(math.Abs(x-y) <= bound*y) {
			t.Errorf("%s is %v by %s, %v by reduction", what, x, sol.diagnostics.Method, y)
		}
	}
	same := func(what string, x, y float64) { within(what, x, y, bound) }
	same("mean", sol.mean, want.mean)
	same("variance", sol.variance, want.variance)
	same("mean waiting", sol.MeanWaiting(), want.MeanWaiting())
	same("share of switch-overs", sol.Switching(), want.Switching())
	same("share of arrivals that wait", sol.ArrivalWaits(), want.ArrivalWaits())
	same("throughput", sol.Throughput(), want.Throughput())
	for k := range 40 { // rare ones have fewer digits than the moments, whose bound that is
		within("probability of a level", sol.Probability(k), want.Probability(k), 1e-11)
		within("tail", sol.Tail(k), want.Tail(k), 1e-11)
	}
	if sol.diagnostics.Residual > certifiedDelay {
		t.Errorf("residual %.1g", sol.diagnostics.Residual)
	}
	return sol
}
