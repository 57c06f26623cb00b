package multiserver_test

import (
	"errors"
	"testing"

	"github.com/partwise/partwise/markov"
	_ "github.com/partwise/partwise/testdata/phtest"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/partwise/partwise/markov/multiserver"
)

// atLoad rescales time of the arrivals so that the traffic intensity is rho.
func atLoad(t *rapid.T, q *multiserver.Queue, rho float64) {
	n, _ := q.D0.Dims()
	var sum mat.Dense
	sum.Add(q.D0, q.D1)
	pi, err := markov.Stationary(t.Context(), &sum)
	if err != nil {
		t.Fatal(err)
	}
	d1 := mat.DenseCopyOf(q.D1)
	lambda := 0.0
	for i, p := range pi {
		lambda += p * mat.Sum(d1.Slice(i, i+1, 0, n))
	}
	last := q.Service[len(q.Service)-1]
	factor := rho * float64(q.Servers) / (lambda * phasesMean(last.Alpha, mat.DenseCopyOf(last.T)))
	d0 := mat.DenseCopyOf(q.D0)
	d0.Scale(factor, d0)
	d1.Scale(factor, d1)
	q.D0, q.D1 = d0, d1
}

// drawLoad draws a traffic intensity up to .99, and the digits to which methods must agree there, or 1−1e-6.
func drawLoad(t *rapid.T) (rho, tol float64) {
	rho = rapid.OneOf(rapid.Float64Range(0.01, 0.99), rapid.Just(0.99), rapid.Just(1-1e-6)).Draw(t, "load")
	return rho, agreement(rho)
}

// Queues of any shape: phases in order or not, renewal or Markovian arrivals, switch-overs, phases drawn anew. Three
// methods, a hundred instances.
func TestMethodsAgreeOnAnyQueue(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		q := drawQueue(rt, 0.9)
		rho, tol := drawLoad(rt)
		atLoad(rt, q, rho)
		agreeAll(rt, q, tol)
	})
}

// Queues that all methods apply to: renewal arrivals with phases in order, hyperexponential or Erlang service, with
// switch-overs or without. Four methods and the automatic choice, another hundred instances.
func TestMethodsAgreeOnKnownBranches(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := rapid.IntRange(1, 3).Draw(rt, "phases")
		c := rapid.IntRange(1, 7-m).Draw(rt, "servers")
		service := erlang(m, 1)
		if rapid.Bool().Draw(rt, "hyperexponential") {
			service = drawParallel(rt, m)
		}
		arr := drawPhases(rt, rapid.IntRange(1, 3).Draw(rt, "arrival phases"), 1, false, false, "arrivals")
		q := renewalQueue(arr.Alpha, mat.DenseCopyOf(arr.T))
		q.Servers, q.Service = c, []multiserver.Phases{service}
		if rapid.Bool().Draw(rt, "switch-overs") {
			for i := 1; i <= c; i++ {
				q.OnArrival = append(q.OnArrival, erlang(1+i%2, 0.2))
				if i < c {
					q.OnDeparture = append(q.OnDeparture, erlang(2, 0.1))
				}
			}
		}
		rho, tol := drawLoad(rt)
		atLoad(rt, q, rho)
		if solved := agreeAll(rt, q, tol); solved < 4 {
			rt.Errorf("only %d methods gave a solution", solved)
		}
	})
}

// drawParallel draws a hyperexponential service whose rates differ by a fifth or more.
func drawParallel(t *rapid.T, m int) multiserver.Phases {
	p := multiserver.Phases{Alpha: make([]float64, m)}
	s := mat.NewDense(m, m, nil)
	rate, left := 3.0, 1.0
	for i := range m {
		rate /= rapid.Float64Range(1.2, 6).Draw(t, "ratio")
		s.Set(i, i, -rate)
		p.Alpha[i] = left
		if i+1 < m {
			p.Alpha[i] *= rapid.Float64Range(0.1, 0.9).Draw(t, "share")
		}
		left -= p.Alpha[i]
	}
	p.T = s
	return p
}

// agreeAll solves a queue by every method that applies, and returns how many did.
func agreeAll(t *rapid.T, q *multiserver.Queue, tol float64) int {
	var first *multiserver.Solution
	solved := 0
	for _, method := range multiserver.Methods() {
		s, err := q.Solve(t.Context(), markov.Settings{Method: method})
		// an honest refusal is no disagreement
		if errors.Is(err, markov.ErrMethod) || errors.Is(err, markov.ErrInaccurate) ||
			errors.Is(err, markov.ErrNoConvergence) {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		solved++
		if first == nil {
			first = s
			continue
		}
		for _, m := range []struct {
			name      string
			got, want float64
		}{
			{"mean", s.Mean(), first.Mean()}, {"variance", s.Variance(), first.Variance()},
			{"P(0)", s.Probability(0), first.Probability(0)}, {"wait", s.ArrivalWaits(), first.ArrivalWaits()},
			{"P(c+3)", s.Probability(q.Servers + 3), first.Probability(q.Servers + 3)},
			{"decay", s.DecayRate(), first.DecayRate()},
		} {
			if off := m.got/m.want - 1; !(max(off, -off) <= tol) {
				t.Errorf("%s: %s = %.15g, want %.15g (%.1g)", method, m.name, m.got, m.want, off)
			}
		}
	}
	return solved
}
