package multiserver

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/phasetype"
)

// TestAggregation: where the load is low, levels found one after the other are those of the reduction, far out too, whatever
// the switch-overs.
func TestAggregation(t *testing.T) {
	const c = 8
	services := map[string]Phases{
		"Erlang-4": phasesOf(must(t)(phasetype.Erlang(4, 1))),
		"four rates": {Alpha: []float64{0.4, 0.3, 0.2, 0.1}, T: mat.NewDense(4, 4, []float64{
			-2, 1.4, 0, 0,
			0, -1.2, 1, 0,
			0, 0, -4, 3,
			0, 0, 0, -12,
		})},
	}
	switchOvers := map[string]Phases{
		"none": {}, "exponential": phasesOf(must(t)(phasetype.Exponential(20))),
		"Erlang-2 or none": {Alpha: []float64{0.75, 0}, T: phasesOf(must(t)(phasetype.Erlang(2, 0.1))).T},
	}
	found := 0
	for name, service := range services {
		for kind, arrivals := range map[string]phasetype.Dist{
			"Poisson": must(t)(phasetype.Exponential(1)), "hyperexponential": must(t)(phasetype.BalancedHyperexponential(1, 4)),
		} {
			for _, load := range []float64{.03, .1} {
				if kind != "Poisson" && (load > .03 || name != "Erlang-4") {
					continue // a reduction takes long
				}
				if testing.Short() && (load > .03 || name != "Erlang-4" || kind != "Poisson") {
					continue // digits, not concurrency
				}
				rate := load * c / serviceMean(t, service)
				q := renewal(must(t)(arrivals.Scale(1/(rate*arrivals.Mean()))), c, service)
				for over, p := range switchOvers {
					q.OnArrival, q.OnDeparture = nil, nil
					for range c {
						q.OnArrival, q.OnDeparture = append(q.OnArrival, p), append(q.OnDeparture, p)
					}
					q.OnDeparture = q.OnDeparture[1:]
					sol := agreesWithReduction(t, q)
					if sol.repeating.iterated != nil {
						found++
					} else {
						t.Logf("%s, %s arrivals, load %v, switch-overs %s: by %v", name, kind, load, over, sol.diagnostics)
					}
				}
			}
		}
	}
	if found < 15 && !testing.Short() {
		t.Errorf("%d queues of 15 by aggregation", found)
	}
}
