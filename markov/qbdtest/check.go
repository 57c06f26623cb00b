package qbdtest

import (
	"errors"
	"math"
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

// Located reports an error that is not a *[markov.BlockError] with the wanted level, block, row and column, or is not an
// instance of want.Err if that is given.
func Located(t testing.TB, name string, err error, want markov.BlockError) {
	t.Helper()
	var got *markov.BlockError
	if !errors.As(err, &got) {
		t.Errorf("%s: error %v has no place", name, err)
		return
	}
	if got.Level != want.Level || got.Block != want.Block || got.Row != want.Row || got.Col != want.Col {
		t.Errorf("%s: %v, want level %d, block %s, row %d, column %d", name, got, want.Level, want.Block, want.Row, want.Col)
	}
	if want.Err != nil && !errors.Is(err, want.Err) {
		t.Errorf("%s: %v is not %v", name, err, want.Err)
	}
}
