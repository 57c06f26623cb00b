package markov_test

import (
	"math/cmplx"
	"slices"
	"testing"

	"gonum.org/v1/gonum/cmplxs"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
)

// TestWaitAtLargeS: the wait in M/M/1, P(W > t) = ρ·e^{−(μ−λ)t}, and the transform of the start of service, for s at which far
// fewer levels matter than are stored. The chain has phases that do not matter, so that levels are stored one by one.
func TestWaitAtLargeS(t *testing.T) {
	const load, tol, n = 0.9, 1e-11, 40 // what is beyond the last level that is stored
	diagonal := func(rate float64) mat.Matrix { return mat.NewDiagDense(n, slices.Repeat([]float64{rate}, n)) }
	round := mat.NewDense(n, n, nil)
	for i := range n {
		round.Set(i, (i+1)%n, 1)
	}
	up := diagonal(load)
	q := &markov.QBD{Boundary: []markov.Level{{Up: up, Local: round}}, Repeating: markov.Level{Up: up, Local: round, Down: diagonal(1)}}
	sol, err := q.Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := markov.NewQueueTransform(t.Context(), q, sol, 1, load)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []complex128{1e-3, 0.1 + 0.3i, 1, 3 + 2i} {
		waiting, next, err := w.At(t.Context(), s, 3)
		if err != nil {
			t.Fatal(err)
		}
		// A job that waits finds k jobs, k ≥ 1, and waits for k departures.
		want := load / (s + (1 - load))
		if off := cmplx.Abs(waiting-want) / cmplx.Abs(want); off > tol {
			t.Errorf("s = %v: the transform of the wait is off by %.2g", s, off)
		}
		all := complex128(0)
		for _, v := range next {
			all += cmplxs.Sum(v)
		}
		// The job begins its service when the last job before it leaves.
		want = load - s*want
		if off := cmplx.Abs(all-want) / load; off > tol {
			t.Errorf("s = %v: the transform of the start of service is %v, want %v", s, all, want)
		}
	}
}
