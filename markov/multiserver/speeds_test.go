package multiserver_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
)

// TestSpeeds: two kinds of jobs divide the service of below c jobs equally between the kinds, however many jobs each
// has. The total rate of departures is as in M/M/c, and so are the probabilities of the levels. A kind without jobs has
// an infinite speed, which does not matter.
func TestSpeeds(t *testing.T) {
	const c, load = 4, 0.6
	arrivals := mat.NewDense(1, 1, []float64{c * load})
	q := &multiserver.Queue{
		D0: mat.NewDense(1, 1, nil), D1: arrivals, Servers: c,
		Service: []multiserver.Phases{{Alpha: []float64{0.3, 0.7}, T: mat.NewDense(2, 2, []float64{-1, 0, 0, -1})}},
		Speed: func(occupancy []int32, speed []float64) {
			kinds, jobs := 0.0, 0.0
			for _, n := range occupancy {
				kinds += float64(min(n, 1))
				jobs += float64(n)
			}
			for j, n := range occupancy {
				speed[j] = jobs / (kinds * float64(n))
			}
		},
	}
	plain := *q
	plain.Service, plain.Speed = []multiserver.Phases{{Alpha: []float64{1}, T: mat.NewDense(1, 1, []float64{-1})}}, nil
	want, err := plain.Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	sol, err := q.Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 * c {
		if p := want.Probability(i); math.Abs(sol.Probability(i)/p-1) > 1e-13 {
			t.Errorf("P(level = %d) = %v, want %v", i, sol.Probability(i), p)
		}
	}
}
