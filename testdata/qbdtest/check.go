package qbdtest

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/partwise/partwise/markov"
)

// Near reports a value that is off by more than a relative tolerance; NaN stands for a value that is not known.
func Near(t testing.TB, what string, got, want, tol float64) {
	t.Helper()
	if math.IsNaN(want) {
		return
	}
	if !(math.Abs(got-want) <= tol*math.Abs(want)) {
		t.Errorf("%s = %.15g, want %.15g (relative %.1e)", what, got, want, got/want-1)
	}
}

// CheckSolution holds a solution against what every one must obey, to a relative tolerance: with p_i = P(level = i) and
// t_i = P(level > i),
//
//	t_{−1} = 1,  t_{i−1} = p_i + t_i,  Σ t_i = E[level],  Σ (2i+1)·t_i = E[level²],
//
// for i ≥ 0 until what remains adds nothing to the sums.
func CheckSolution(t testing.TB, what string, s markov.Solution, tol float64) {
	t.Helper()
	if v := s.Tail(-1); v != 1 {
		t.Errorf("%s: P(level > −1) = %v", what, v)
	}
	if v := s.Probability(-1); v != 0 {
		t.Errorf("%s: P(level = −1) = %v", what, v)
	}
	const least = 1e-30 // of means above 1e-6, and up to thousands of levels
	first, second, before := 0.0, 0.0, 1.0
	for i := 0; before > least; i++ {
		p, tail := s.Probability(i), s.Tail(i)
		Near(t, fmt.Sprintf("%s: P(level > %d)", what, i-1), p+tail, before, tol)
		first += tail
		second += float64(2*i+1) * tail
		before = tail
	}
	Near(t, what+": mean", s.Mean(), first, tol)
	Near(t, what+": second moment", s.Variance()+s.Mean()*s.Mean(), second, tol)
}

// Located reports an error that is not a *[markov.BlockError] with the wanted level, block, row and column, or is not
// an instance of want.Err if that is given.
func Located(t testing.TB, name string, err error, want markov.BlockError) {
	t.Helper()
	var got *markov.BlockError
	if !errors.As(err, &got) {
		t.Errorf("%s: error %v has no place", name, err)
		return
	}
	if got.Level != want.Level || got.Block != want.Block || got.Row != want.Row || got.Col != want.Col {
		t.Errorf("%s: %v, want level %d, block %s, row %d, column %d",
			name, got, want.Level, want.Block, want.Row, want.Col)
	}
	if want.Err != nil && !errors.Is(err, want.Err) {
		t.Errorf("%s: %v is not %v", name, err, want.Err)
	}
}

// RelativeError returns |got/want − 1| for want ≠ 0, itself computed without error.
func RelativeError(got float64, want *big.Rat) float64 {
	g := new(big.Rat).SetFloat64(got)
	if g == nil {
		return 1
	}
	off, _ := new(big.Rat).Quo(g.Sub(g, want), want).Float64()
	return max(off, -off)
}
