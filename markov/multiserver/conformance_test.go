package multiserver_test

import (
	"errors"
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/testdata/qbdtest"
)

// conformanceTol: a tail is a product of up to some hundred factors, each right to a rounding or two, times the
// condition 1/(1 − η) of some tens.
const conformanceTol = 1e-11

// makers returns a solution of one queue by everything that makes one: every method for queues, and for its chain
// written out, cut off where a level holds less than can be told from zero.
func makers(t *testing.T, q *multiserver.Queue) map[string]markov.Solution {
	all := map[string]markov.Solution{}
	for _, method := range multiserver.Methods() {
		s, err := q.Solve(t.Context(), markov.Settings{Method: method})
		if errors.Is(err, markov.ErrMethod) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		all["queue by "+method] = s
	}
	chain := (&explicit{q: q}).qbd()
	for _, method := range markov.Methods() {
		s, err := chain.Solve(t.Context(), markov.Settings{Method: method})
		if err != nil {
			t.Fatal(err)
		}
		all["chain by "+method] = s
	}
	return all
}

func TestSolutionsConform(t *testing.T) {
	h2, h2t := hyperexponential2(1, 4)
	plain := loaded(h2, h2t, multiserver.Phases{Alpha: h2, T: h2t}, 3, 0.5)
	switching := loaded(h2, h2t, multiserver.Phases{Alpha: h2, T: h2t}, 2, 0.4)
	for i := range 2 {
		switching.OnArrival = append(switching.OnArrival, erlang(1+i, 0.3))
		switching.OnDeparture = append(switching.OnDeparture, erlang(2, 0.1))
	}
	bursty := mmc(1, 1, 2).Queue
	bursty.D0 = mat.NewDense(2, 2, []float64{-3, 1, 0.5, -0.7})
	bursty.D1 = mat.NewDense(2, 2, []float64{2, 0, 0, 0.2})
	for name, q := range map[string]*multiserver.Queue{
		"M/M/3": mmc(2, 1, 3).Queue, "H2/H2/3": plain, "switch-overs": switching, "MMPP/M/2": bursty,
	} {
		var first markov.Solution
		for maker, s := range makers(t, q) {
			what := name + ", " + maker
			qbdtest.CheckSolution(t, what, s, conformanceTol)
			if first == nil {
				first = s
			}
			for i := -1; i < q.Servers+40; i++ {
				qbdtest.Near(t, fmt.Sprintf("%s: P(level > %d)", what, i), s.Tail(i), first.Tail(i), conformanceTol)
				qbdtest.Near(t, fmt.Sprintf("%s: P(level = %d)", what, i),
					s.Probability(i), first.Probability(i), conformanceTol)
			}
		}
	}
}

// By Erlang's formula, p_0 = 1/(Σ_{i<3} a^i/i! + a³/3!/(1−ρ)) and P(level > i) = p_0·a³/3!·ρ^{i−2}/(1−ρ) for i ≥ 2.
func TestTailsOfMM3(t *testing.T) {
	const a, rho = 2.0, 2.0 / 3
	empty := 1 / (1 + a + a*a/2 + a*a*a/6/(1-rho))
	want := []float64{1 - empty, 1 - empty*(1+a), empty * a * a * a / 6 / (1 - rho)}
	for len(want) < 60 {
		want = append(want, rho*want[len(want)-1])
	}
	for maker, s := range makers(t, mmc(a, 1, 3).Queue) {
		for i, w := range want {
			qbdtest.Near(t, fmt.Sprintf("%s: P(level > %d)", maker, i), s.Tail(i), w, conformanceTol)
		}
	}
}
