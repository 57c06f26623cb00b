package statespace_test

import (
	"context"
	"errors"
	"math"
	"math/big"
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

// erlangChain returns the chain of an Erlang distribution of n phases, each left at rate 1. With the probability back, the
// time begins anew at its end instead.
func erlangChain(n int, back float64) *statespace.KilledChain {
	d := statespace.NewKilledChain(n)
	d.Start[0] = 1
	for i := range n {
		d.Weight[i] = 1
		if i+1 < n {
			d.Rates.Row(i)[i+1] = 1
		}
	}
	d.Rates.Row(n - 1)[0] = back
	d.Killed[n-1] = 1 - back
	return &d
}

// TestEventByEventOfErlang: an Erlang time exceeds t if there are fewer than n events of a Poisson process of mean t. A long
// sparse chain has these probabilities within its bound, and no powers. Probabilities below 1e-30 were too small, down to zero:
// few events were left out.
func TestEventByEventOfErlang(t *testing.T) {
	const n = 300
	ctx, d := context.Background(), erlangChain(n, 0)
	d.Budget = statespace.NewBudget(markov.NewMemory(1<<16), 0) // a power takes 720,000 bytes
	exact := func(x float64) float64 {
		const digits = 200
		number := func(v float64) *big.Float { return new(big.Float).SetPrec(digits).SetFloat64(v) }
		weight, fewer, all := number(1), number(0), number(0) // x^k/k! and its sums
		for k := range n + 10*int(x) + 100 {
			if all.Add(all, weight); k < n {
				fewer.Add(fewer, weight)
			}
			weight.Quo(weight.Mul(weight, number(x)), number(float64(k+1)))
		}
		p, _ := fewer.Quo(fewer, all).Float64()
		return p
	}
	for _, x := range []float64{0, 1, 150, 250, 290, 300, 310, 350, 400, 550, 650, 1000} {
		p, err := d.Survival(ctx, x)
		if want := exact(x); err != nil || !(math.Abs(p/want-1) <= d.ErrorBound()) {
			t.Errorf("P(X > %v) is %v, error %v, want %v within %v", x, p, err, want, d.ErrorBound())
		}
	}
	for _, q := range []float64{.01, .5, .9, .99, 1 - 1e-9} {
		x, err := d.Quantile(ctx, q)
		if p := exact(x); err != nil || !(math.Abs(p/(1-q)-1) <= 1e-9) {
			t.Errorf("P(X > quantile %v) is %v, error %v", q, p, err)
		}
	}
}

// TestEventByEventAgreesWithPowers: both methods find the same times within the sum of their bounds.
func TestEventByEventAgreesWithPowers(t *testing.T) {
	const n = 200
	ctx := context.Background()
	for _, back := range []float64{0, .5, .9} {
		byEvents, byPowers := erlangChain(n, back), erlangChain(n, back)
		if _, err := byPowers.Survival(ctx, 1e9); err != nil { // so many events take longer than powers
			t.Fatal(err)
		}
		for _, q := range []float64{.05, .3, .6, .95, .99} { // not where P(X > t) hardly falls
			x, err := byEvents.Quantile(ctx, q)
			if err != nil {
				t.Fatal(err)
			}
			y, err := byPowers.Quantile(ctx, q)
			if bound := byEvents.ErrorBound() + byPowers.ErrorBound(); err != nil || !(math.Abs(x/y-1) <= bound) {
				t.Errorf("back %v: quantile %v is %v by events and %v by powers, bound %v, error %v", back, q, x, y, bound, err)
			}
		}
		if byEvents.ErrorBound() > 1e-10 {
			t.Errorf("back %v: the bound by events is %v", back, byEvents.ErrorBound())
		}
	}
}

// TestTimesShareTheirBudget: what the caller and other chains hold counts towards the limit, for powers and for events. What
// is forgotten does not.
func TestTimesShareTheirBudget(t *testing.T) {
	ctx := context.Background()
	for _, n := range []int{50, 300} { // by powers, and by events
		d := erlangChain(n, 0)
		d.Budget = statespace.NewBudget(markov.NewMemory(64<<20), 64<<20)
		if _, err := d.Quantile(ctx, .5); !errors.Is(err, markov.ErrTooLarge) {
			t.Errorf("%d states: error is %v, want one that wraps %v", n, err, markov.ErrTooLarge)
		}
	}
	const power = 8 * 50 * 50
	d := erlangChain(50, 0)
	d.Budget = statespace.NewBudget(markov.NewMemory(14*power), 0)
	other := d.Plus([]float64{1}, block.New(1, 1), []float64{1})
	want, err := d.Quantile(ctx, .5) // 7 powers
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Quantile(ctx, .5); !errors.Is(err, markov.ErrTooLarge) {
		t.Errorf("two times together: error is %v, want one that wraps %v", err, markov.ErrTooLarge)
	}
	bound := d.ErrorBound()
	d.Forget()
	other.Forget()
	if _, err := other.Quantile(ctx, .5); err != nil {
		t.Errorf("after the other time was forgotten: %v", err)
	}
	other.Forget()
	if got, err := d.Quantile(ctx, .5); err != nil || got != want || d.ErrorBound() != bound {
		t.Errorf("after it was forgotten: %v ± %v, error %v, want %v ± %v", got, d.ErrorBound(), err, want, bound)
	}
}
