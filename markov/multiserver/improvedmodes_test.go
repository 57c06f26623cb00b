package multiserver_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/testdata/needs"
)

// cancelling draws a queue with renewal arrivals whose modes nearly cancel at level c: service in three to five phases, one
// after the other, and so many servers that a level has 30 to 200 occupancies. Some services have phases of nearly or exactly
// the same rate, so that eigenvectors nearly coincide, or a rare long phase at their end. Loads are from .2 to .999.
func cancelling(r *rand.Rand) *multiserver.Queue {
	m, c := 3+r.IntN(3), 2
	for least := 30 + 100*r.Float64(); occupancies(m, c) < least && occupancies(m, c+1) <= 200; {
		c++
	}
	alpha, inter := cancellingArrivals(r)
	return loaded(alpha, inter, cancellingService(r, m), c, 1-math.Pow(10, -.1-2.9*r.Float64()))
}

func cancellingService(r *rand.Rand, m int) multiserver.Phases {
	p := multiserver.Phases{Alpha: make([]float64, m), T: mat.NewDense(m, m, nil)}
	p.Alpha[0] = 1
	kind, t := r.IntN(5), p.T.(*mat.Dense)
	apart, rare := math.Pow(10, -1-7*r.Float64()), math.Pow(10, -3*r.Float64())
	for i := range m {
		rate, on := math.Pow(10, 2*r.Float64()-1), .2+.8*r.Float64()
		switch kind {
		case 0: // all jobs visit all phases, whose rates are nearly or exactly the same
			rate, on = 1+apart*r.Float64()*float64(r.IntN(2)), 1
		case 1: // short phases of set-up
			if i < 2 {
				rate, on = 10+10*r.Float64(), 1
			}
		case 2: // the last phase is rare and long
			if i == m-2 {
				on = rare
			} else if i == m-1 {
				rate = math.Pow(10, -.5-1.5*r.Float64())
			}
		case 3: // jobs begin in any phase
			p.Alpha[i] = float64(1 + r.IntN(9))
		}
		t.Set(i, i, -rate)
		if i+1 < m {
			t.Set(i, i+1, rate*on)
		}
	}
	total := 0.0
	for _, v := range p.Alpha {
		total += v
	}
	for i := range p.Alpha {
		p.Alpha[i] /= total
	}
	return p
}

// cancellingArrivals draws exponential, hyperexponential, Erlang or Coxian interarrival times.
func cancellingArrivals(r *rand.Rand) (alpha []float64, t *mat.Dense) {
	switch r.IntN(5) {
	case 0:
		return []float64{1}, mat.NewDense(1, 1, []float64{-1})
	case 1:
		rare, scv := math.Pow(10, -1-2*r.Float64()), 1.5+30*r.Float64()
		return rareAndLong(1-rare, min(scv, 2/rare-1.5)) // the mean of the short phase is positive below 2/rare - 1
	case 2:
		p := erlang(2+r.IntN(2), 1)
		return p.Alpha, mat.DenseCopyOf(p.T)
	case 3:
		a, b := 1+r.Float64(), math.Pow(10, 2*r.Float64()-1)
		return []float64{1, 0}, mat.NewDense(2, 2, []float64{-a, a * r.Float64(), 0, -b})
	}
	return hyperexponential2(1, 1.2+10*r.Float64())
}

// improvedReadings has the readings of drawnReadings, and levels and tails where the modes follow the corrected levels, from
// c+6 on, and far above.
func improvedReadings(sol solved, c int) []reading {
	list, d := drawnReadings(sol, c), sol.Diagnostics()
	for _, k := range []int{4, 5, 6, 7, 16, 64, 256, 1024} {
		list = append(list, reading{fmt.Sprintf("P(N=c+%d)", k), sol.Probability(c + k), d.BoundAt(k)},
			reading{fmt.Sprintf("P(N>=c+%d)", k), sol.Tail(c + k), d.BoundAt(k)})
	}
	return list
}

// TestBoundsOfImprovedModes: where modes nearly cancel, several levels are corrected, and the levels above follow them. No
// measure of these queues is off by more than its bound.
func TestBoundsOfImprovedModes(t *testing.T) {
	if testing.Short() {
		t.Skip("digits, not concurrency")
	}
	t.Parallel()
	from, size, phases := 0, 60, fewPhases
	if needs.IsStudy() {
		from, size, phases = *studyFrom, *studySize, *studyPhases
	}
	y := &tally{methods: map[string]int{}, ratios: map[string][]float64{}, readings: improvedReadings}
	improved := 0
	for k := from; k < from+size; k++ {
		q := cancelling(rand.New(rand.NewPCG(29, uint64(k))))
		sol, err := q.Solve(t.Context(), markov.Settings{})
		if err != nil {
			t.Errorf("queue %d (%s): %v", k, shape(q), err)
			continue
		}
		if !sol.Improved() {
			continue
		}
		improved++
		y.solve(t, k, q, phases)
	}
	y.report(t)
	if improved*20 < size {
		t.Errorf("%d of %d queues are improved", improved, size)
	}
}
