package multiserver_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/qbdtest"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/multiserver"
)

// The claimed bound holds for mean, variance and P(0) of 60 M/PH/1 queues by every method: loads from .01 to 1 − 1e-6,
// rates of the phases over 0 to 12 decades. A method may refuse, but not be wrong.
func TestBoundsOfQueuesAgainstExactArithmetic(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	loads := []float64{0.01, 0.3, 0.8, 0.99, 1 - 1e-6}
	refused := 0
	for instance := range 60 {
		q := drawMPH1(rng, loads[instance%len(loads)], float64(instance/len(loads)%4*4))
		if !q.Solve() {
			t.Fatalf("instance %d is not stable", instance)
		}
		queue := &multiserver.Queue{
			D0: mat.NewDense(1, 1, []float64{-q.Rate}), D1: mat.NewDense(1, 1, []float64{q.Rate}),
			Servers: 1, Service: []multiserver.Phases{q.Service},
		}
		for _, method := range multiserver.Methods() {
			s, err := queue.Solve(t.Context(), markov.Settings{Method: method})
			if errors.Is(err, markov.ErrMethod) {
				continue
			}
			if errors.Is(err, markov.ErrInaccurate) || errors.Is(err, markov.ErrNoConvergence) {
				refused++
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			bound := s.Diagnostics().ErrorBound
			for _, m := range []struct {
				name  string
				got   float64
				want  *big.Rat
				bound float64
			}{
				{"mean", s.Mean(), q.Mean, bound}, {"variance", s.Variance(), q.Variance, 2 * bound},
				{"P(0)", s.Probability(0), q.Empty, bound},
			} {
				if off := qbdtest.RelativeError(m.got, m.want); !(off <= m.bound) {
					t.Errorf("instance %d, %s: %s = %g is off by %.2g, claimed %.2g",
						instance, method, m.name, m.got, off, m.bound)
				}
			}
		}
	}
	if refused > 0 {
		t.Logf("%d refusals", refused)
	}
}

// drawRate draws a rate over so many decades.
func drawRate(rng *rand.Rand, decades float64) float64 {
	return math.Pow(10, decades*(rng.Float64()-0.5))
}

// drawMPH1 draws a queue of one to four phases, in order or not; the rate of arrivals makes the load.
func drawMPH1(rng *rand.Rand, load, decades float64) *qbdtest.ExactMPH1 {
	n := 1 + rng.IntN(4)
	cyclic := rng.IntN(2) == 0
	q := &qbdtest.ExactMPH1{Rate: 1, Service: multiserver.Phases{Alpha: make([]float64, n), Exit: make([]float64, n)}}
	s := mat.NewDense(n, n, nil)
	for i := range n {
		q.Service.Alpha[i] = 1 / float64(n)
		q.Service.Exit[i] = drawRate(rng, decades)
		out := q.Service.Exit[i]
		for j := range n {
			if j > i && rng.IntN(2) == 0 || cyclic && j < i {
				s.Set(i, j, drawRate(rng, decades))
				out += s.At(i, j)
			}
		}
		s.Set(i, i, -out)
	}
	// thirds are not exact; the last initial probability is what the others lack to one
	rest := new(big.Rat).SetInt64(1)
	for _, p := range q.Service.Alpha[:n-1] {
		rest.Sub(rest, new(big.Rat).SetFloat64(p))
	}
	q.Service.Alpha[n-1], _ = rest.Float64()
	q.Service.T = s
	q.Solve()
	mean, _ := q.Load.Float64()
	q.Rate = load / mean
	return q
}
