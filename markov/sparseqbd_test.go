package markov_test

import (
	"errors"
	"math"
	"testing"

	"github.com/partwise/partwise/markov"
)

// sparseQueue is the queue M/H2/c as levels whose phases are the numbers of jobs in service of the first kind.
func sparseQueue(servers int, arrivals float64, share float64, rates [2]float64) *markov.SparseQBD {
	q := &markov.SparseQBD{}
	for l := range servers + 1 {
		q.Phases = append(q.Phases, l+1)
	}
	q.Moves = func(level, first int, add func(by, to int, rate float64)) {
		busy := min(level, servers)
		leave := [2]float64{float64(first) * rates[0], float64(busy-first) * rates[1]}
		if level < servers {
			add(1, first+1, arrivals*share)
			add(1, first, arrivals*(1-share))
		} else {
			add(1, first, arrivals)
		}
		for kind, rate := range leave {
			left := first - (1 - kind)
			switch {
			case rate == 0:
			case level <= servers:
				add(-1, left, rate)
			default:
				add(-1, left+1, rate*share)
				add(-1, left, rate*(1-share))
			}
		}
	}
	return q
}

// TestSparseQBD compares the queue M/M/c with Erlang's formulas: both kinds of jobs have the same rate.
func TestSparseQBD(t *testing.T) {
	const servers = 6
	for _, load := range []float64{0.1, 0.7, 0.99} {
		s, err := sparseQueue(servers, load*servers, 0.3, [2]float64{1, 1}).Solve(t.Context(), markov.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		a, term, sum := load*servers, 1.0, 0.0
		for l := range servers {
			sum += term
			term *= a / float64(l+1)
		}
		wait := term / (1 - load) / (sum + term/(1-load))
		mean := a + wait*load/(1-load)
		bound := s.Diagnostics().ErrorBound
		if off := math.Abs(s.Mean()/mean - 1); !(off <= bound && bound < 1e-11) {
			t.Errorf("load %v: the mean is off by %.2g, the bound is %.2g", load, off, bound)
		}
		if off := math.Abs(s.Tail(servers-1)/wait - 1); !(off <= bound) {
			t.Errorf("load %v: P(wait) is off by %.2g, the bound is %.2g", load, off, bound)
		}
		eta, err := s.DecayRate(t.Context())
		if off := math.Abs(eta/load - 1); err != nil || !(off <= bound) {
			t.Errorf("load %v: the decay rate is off by %.2g, %v", load, off, err)
		}
		if off := math.Abs(s.Probability(servers+50)/(wait*(1-load)*math.Pow(load, 50)) - 1); !(off <= bound+1e-13) {
			t.Errorf("load %v: P(level) is off by %.2g, the bound is %.2g", load, off, bound)
		}
	}
}

// TestSparseQBDErrors: what cannot be solved is an error.
func TestSparseQBDErrors(t *testing.T) {
	rates := [2]float64{1, 2}
	if _, err := sparseQueue(3, 10, 0.5, rates).Solve(t.Context(), markov.Settings{}); !errors.Is(err, markov.ErrNoConvergence) {
		t.Errorf("unstable: %v", err)
	}
	if _, err := sparseQueue(3, 1, 0.5, rates).Solve(t.Context(), markov.Settings{Memory: markov.NewMemory(1000)}); !errors.Is(err, markov.ErrTooLarge) {
		t.Errorf("memory: %v", err)
	}
	var wrong *markov.BlockError
	if _, err := sparseQueue(3, math.NaN(), 0.5, rates).Solve(t.Context(), markov.Settings{}); !errors.As(err, &wrong) {
		t.Errorf("not a rate: %v", err)
	}
	if _, err := new(markov.SparseQBD).Solve(t.Context(), markov.Settings{}); !errors.As(err, &wrong) {
		t.Errorf("empty: %v", err)
	}
}

// TestLargeStationary compares birth-and-death chains of many states with their product form, over up to 180 decades. It refuses two
// closed classes.
func TestLargeStationary(t *testing.T) {
	const n = 2000
	for _, ratio := range []float64{0.99, 0.95, 0.9, 0.8} {
		chain, _, err := markov.Explore(t.Context(), []int{0}, n, func(i int, add func(to int, rate float64), _ func(float64)) {
			if i+1 < n {
				add(i+1, ratio)
			}
			if i > 0 {
				add(i-1, 1)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		pi, d, err := chain.Stationary(t.Context())
		if err != nil || d.Method != "iteration" {
			t.Error(ratio, d.Method, err)
			continue
		}
		for i, p := range pi {
			if off := math.Abs(p/(pi[0]*math.Pow(ratio, float64(i))) - 1); !(off <= d.ErrorBound+float64(i)*1e-16) {
				t.Fatalf("ratio %v: state %d is off by %.2g, the bound is %.2g", ratio, i, off, d.ErrorBound)
			}
		}
	}
	chain, _, err := markov.Explore(t.Context(), []int{0}, n, func(i int, add func(to int, rate float64), _ func(float64)) {
		if i == 0 {
			add(1, 1)
			add(2, 1)
		} else if i+2 < n {
			add(i+2, 1)
		} else {
			add(2-i%2, 1)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := chain.Stationary(t.Context()); !errors.Is(err, markov.ErrReducible) {
		t.Errorf("two closed classes: %v", err)
	}
}
