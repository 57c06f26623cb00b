package statespace_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// lasting returns a chain of two states that exchange with rate 1 and are left once in 10^100 units of time.
func lasting() *statespace.KilledChain {
	exchange := block.New(2, 2)
	exchange.Data[1], exchange.Data[2] = 1, 1
	return &statespace.KilledChain{
		Start: []float64{1, 0}, Rates: exchange, Killed: []float64{1e-100, 1e-100}, Weight: []float64{1, 1},
	}
}

// TestQuantileBeyondAllPowers: a quantile that the longest interval does not reach is an error with one prefix.
func TestQuantileBeyondAllPowers(t *testing.T) {
	_, err := lasting().Quantile(context.Background(), 0.5)
	checkBeyond(t, err)
}

// TestSurvivalBeyondAllPowers: if the time is too long for the probability to be known, the result is an error, also
// after a call of Quantile. A chain that is certainly absorbed by then has the probability 0.
func TestSurvivalBeyondAllPowers(t *testing.T) {
	ctx, d := context.Background(), lasting()
	for range 2 {
		_, err := d.Survival(ctx, 1e70)
		checkBeyond(t, err)
		_, err = d.Quantile(ctx, 0.5)
		checkBeyond(t, err)
	}
	if p, err := d.Survival(ctx, 1e40); err != nil || p != 1 {
		t.Errorf("P(X > 1e40) is %v, error %v, want 1", p, err)
	}
	d = lasting()
	d.Killed = []float64{1, 1}
	if p, err := d.Survival(ctx, 1e70); err != nil || p != 0 {
		t.Errorf("P(X > 1e70) is %v, error %v, want 0 if the chain is left once in a unit of time", p, err)
	}
}

// checkBeyond fails the test unless err wraps ErrNoConvergence and has exactly one prefix.
func checkBeyond(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, markov.ErrNoConvergence) {
		t.Fatalf("error is %v, want one that wraps %v", err, markov.ErrNoConvergence)
	}
	if n := strings.Count(err.Error(), "multiserver: "); n != 1 {
		t.Errorf("%q has the prefix %d times, want once", err, n)
	}
}
