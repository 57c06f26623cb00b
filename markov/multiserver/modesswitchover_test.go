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
	t.Parallel()
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
	if alone < 64 { // 66 when this was written; at loads of .4 the others lose too many digits of the number waiting
		t.Errorf("%d queues of 72 are solved by modes alone", alone)
	}
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
	d, e := sol.Diagnostics(), want.Diagnostics()
	within := func(what string, x, y, bound float64) {
		if !(math.Abs(x-y) <= bound*y) {
			t.Errorf("%s is %v by %v, %v by reduction", what, x, d, y)
		}
	}
	same := func(what string, x, y float64) { within(what, x, y, d.ErrorBound+e.ErrorBound) }
	same("mean", sol.mean, want.mean)
	within("variance", sol.variance, want.variance, 2*(d.ErrorBound+e.ErrorBound))
	same("mean waiting", sol.MeanWaiting(), want.MeanWaiting())
	same("share of switch-overs", sol.Switching(), want.Switching())
	same("share of arrivals that wait", sol.ArrivalWaits(), want.ArrivalWaits())
	same("throughput", sol.Throughput(), want.Throughput())
	for k := range 40 {
		above := max(0, k-q.Servers)
		within("probability of a level", sol.Probability(k), want.Probability(k), d.BoundAt(above)+e.BoundAt(above))
		within("tail", sol.Tail(k), want.Tail(k), d.BoundAt(above+1)+e.BoundAt(above+1))
	}
	return sol
}
