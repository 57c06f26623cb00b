package multiserver_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
)

// modesTol is what a solution may differ by from one without a subtraction, beyond the bounds that both state.
const modesTol = 1e-13

// againstSubtractionFree holds the spectral expansion to its own bound, or returns why it refuses.
func againstSubtractionFree(ctx context.Context, q *multiserver.Queue) (refused, err error) {
	got, err := q.Solve(ctx, markov.Settings{Method: multiserver.SpectralExpansion})
	switch {
	case errors.Is(err, markov.ErrNoConvergence), errors.Is(err, markov.ErrInaccurate), errors.Is(err, markov.ErrMethod):
		return err, nil
	case err != nil:
		return nil, err
	}
	want, err := q.Solve(ctx, markov.Settings{Method: markov.SubtractionFree})
	if err != nil {
		return nil, err
	}
	bound := got.Diagnostics().ErrorBound + want.Diagnostics().ErrorBound + modesTol
	check := func(what string, got, want, tol float64) {
		if !(math.Abs(got-want) <= tol*math.Abs(want)) {
			err = errors.Join(err, fmt.Errorf("%s = %.15g, want %.15g: off by %.1g, bound %.1g", what, got, want,
				math.Abs(got/want-1), tol))
		}
	}
	check("mean", got.Mean(), want.Mean(), bound)
	check("mean waiting", got.MeanWaiting(), want.MeanWaiting(), bound)
	check("probability of waiting", got.ArrivalWaits(), want.ArrivalWaits(), bound)
	check("probability of a switch-over", got.Switching(), want.Switching(), bound)
	check("variance", got.Variance(), want.Variance(), 2*bound)
	for l := range q.Servers + 3 {
		check(fmt.Sprintf("P(%d)", l), got.Probability(l), want.Probability(l), bound)
	}
	return nil, err
}

// The modes of arrivals of several classes, for service of every kind that has modes.
func TestModesOfMarkovianArrivals(t *testing.T) {
	for name, service := range map[string]multiserver.Phases{
		"exponential": erlang(1, 1), "Erlang": erlang(3, 1), "four rates": fourRates(),
		"hyperexponential": {Alpha: []float64{0.7, 0.3}, T: mat.NewDense(2, 2, []float64{-2, 0, 0, -0.46})},
	} {
		for _, c := range []int{1, 2, 5} {
			q := modulated(c, service)
			if refused, err := againstSubtractionFree(t.Context(), q); refused != nil || err != nil {
				t.Errorf("%s, %d servers: %v %v", name, c, refused, err)
			}
			for range c { // stages of one rate
				q.OnArrival = append(q.OnArrival, erlang(2, 0.1))
			}
			if refused, err := againstSubtractionFree(t.Context(), q); refused != nil || err != nil {
				t.Errorf("%s, %d servers with switch-overs: %v %v", name, c, refused, err)
			}
			cyclic := multiserver.Phases{Alpha: []float64{1, 0}, T: mat.NewDense(2, 2, []float64{-9, 8, 2, -20})}
			q.OnArrival[c-1] = cyclic // matrices are needed then, and spectral expansion makes them for renewal arrivals alone
			if refused, err := againstSubtractionFree(t.Context(), q); !errors.Is(refused, markov.ErrMethod) || err != nil {
				t.Errorf("%s, %d servers with switch-overs of two phases in a cycle: %v %v", name, c, refused, err)
			}
		}
	}
}

func TestMarkovianArrivalsTakeModes(t *testing.T) {
	s, err := modulated(4, fourRates()).Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if m := s.Diagnostics().Method; !strings.HasPrefix(m, multiserver.SpectralExpansion) {
		t.Errorf("solved by %s", m)
	}
}

// Random arrivals and service: what is not refused is right to its bound.
func TestModesOfRandomArrivals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 3).Draw(t, "arrival phases")
		m := rapid.IntRange(1, 3).Draw(t, "phases")
		c := rapid.IntRange(1, 4).Draw(t, "servers")
		q := &multiserver.Queue{Servers: c}
		q.D0, q.D1 = drawMAP(t, n, rapid.Float64Range(0.05, 0.97).Draw(t, "rho")*float64(c))
		q.Service = []multiserver.Phases{drawPhases(t, m, 1, false, rapid.Bool().Draw(t, "cyclic"), "service")}
		refused, err := againstSubtractionFree(t.Context(), q)
		if refused != nil {
			t.Skip(refused)
		}
		if err != nil {
			t.Error(err)
		}
	})
}

// Random switch-overs, of phases that may have the same rate or take no time: what is not refused is right to its bound, and little
// is refused.
func TestModesWithRandomSwitchOvers(t *testing.T) {
	solved, refusals := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.IntRange(1, 5).Draw(t, "servers")
		q := &multiserver.Queue{Servers: c}
		q.D0, q.D1 = drawMAP(t, rapid.IntRange(1, 3).Draw(t, "arrival phases"), rapid.Float64Range(0.3, 0.97).Draw(t, "rho")*float64(c))
		q.Service = []multiserver.Phases{drawPhases(t, rapid.IntRange(1, 3).Draw(t, "phases"), 1, false, false, "service")}
		mean := rapid.Float64Range(0.01, 3).Draw(t, "mean switch-over")
		over := drawPhases(t, rapid.IntRange(1, 3).Draw(t, "phases of switch-overs"), mean, rapid.Bool().Draw(t, "atom"), false, "switch-over")
		if rapid.Bool().Draw(t, "stages") {
			over = erlang(rapid.IntRange(1, 4).Draw(t, "number of stages"), mean)
		}
		for range c {
			q.OnArrival = append(q.OnArrival, over)
		}
		refused, err := againstSubtractionFree(t.Context(), q)
		if refused != nil {
			refusals++
			t.Skip(refused)
		}
		if solved++; err != nil {
			t.Error(err)
		}
	})
	t.Logf("%d queues solved, %d refused", solved, refusals)
	if refusals > solved {
		t.Errorf("%d queues refused, %d solved", refusals, solved)
	}
}

// TestChainOfEntries: with a switch-over, spectral expansion has the bounds it states where the chain of entries of level c is
// factored, and where it is iterated: with up to 100 entries and with more.
func TestChainOfEntries(t *testing.T) {
	for _, c := range []int{12, 13} { // 91 and 105 entries
		if refused, err := againstSubtractionFree(t.Context(), divided(h2h(3, c))); refused != nil || err != nil {
			t.Errorf("%d servers: %v", c, cmp.Or(refused, err))
		}
	}
}
