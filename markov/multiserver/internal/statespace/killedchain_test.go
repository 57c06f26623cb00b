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

// TestQuantileBeyondAllPowers: a quantile that the longest interval does not reach is an error with one prefix.
func TestQuantileBeyondAllPowers(t *testing.T) {
	exchange := block.New(2, 2) // two states that exchange with rate 1 and are left once in 10^100 units of time
	exchange.Data[1], exchange.Data[2] = 1, 1
	d := statespace.KilledChain{
		Start: []float64{1, 0}, Rates: exchange, Killed: []float64{1e-100, 1e-100}, Weight: []float64{1, 1},
	}
	_, err := d.Quantile(context.Background(), 0.5)
	if !errors.Is(err, markov.ErrNoConvergence) {
		t.Fatalf("error is %v, want one that wraps %v", err, markov.ErrNoConvergence)
	}
	if n := strings.Count(err.Error(), "multiserver: "); n != 1 {
		t.Errorf("%q has the prefix %d times, want once", err, n)
	}
}
