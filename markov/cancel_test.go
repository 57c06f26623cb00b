package markov_test

import (
	"context"
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/testdata/phtest"
	"github.com/partwise/partwise/testdata/qbdtest"
)

// Chains that take seconds, ended at several points of their solves.
func TestSolvesStopWithTheirContext(t *testing.T) {
	if testing.Short() {
		t.Skip("times, not concurrency")
	}
	for name, q := range map[string]*markov.QBD{"mixed": qbdtest.Dense(600, 0.8), "halves": inHalves(qbdtest.Dense(500, 0.8))} {
		for _, method := range markov.Methods() {
			phtest.Prompt(t, "QBD, "+name+", by "+method, func(ctx context.Context) error {
				_, err := q.Solve(ctx, markov.Settings{Method: method})
				return err
			}, 0, 80*time.Millisecond)
		}
	}
	large := qbdtest.Dense(400, 0.99)
	solved, err := large.Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	phtest.Prompt(t, "decay rate", func(ctx context.Context) error {
		_, err := solved.DecayRate(ctx)
		return err
	}, 0, 10*time.Millisecond)
	phtest.Prompt(t, "probabilities of levels", func(ctx context.Context) error {
		_, err := markov.LevelProbabilities(ctx, solved, 1e-12)
		return err
	}, 0, 100*time.Millisecond)
	if _, err := solved.DecayRate(t.Context()); err != nil { // which the transform needs before
		t.Fatal(err)
	}
	phtest.Prompt(t, "eigenvalues of a queue's transform", func(ctx context.Context) error {
		_, err := markov.NewQueueTransform(ctx, large, solved, 1, 1)
		return err
	}, 300*time.Millisecond)
	full := mat.NewDense(1800, 1800, nil)
	for i := range 1800 {
		for j := range 1800 {
			full.Set(i, j, float64((i*31+j*17)%101))
		}
	}
	phtest.Prompt(t, "dense chain", func(ctx context.Context) error {
		_, err := markov.Stationary(ctx, full)
		return err
	}, 0, 50*time.Millisecond)

	const side = 400
	torus, err := newChain(side*side, func(i int, add func(int, float64)) {
		x, y := i%side, i/side
		add((x+1)%side+y*side, 1)
		add(x+(y+1)%side*side, 1)
		add((x+side-1)%side+y*side, 2)
		add(x+(y+side-1)%side*side, 2)
	})
	if err != nil {
		t.Fatal(err)
	}
	start := make([]float64, side*side)
	start[0] = 1
	phtest.Prompt(t, "transient", func(ctx context.Context) error {
		_, _, err := torus.Transient(ctx, start, 1000)
		return err
	}, 0, 300*time.Millisecond)
	small := birthDeath(t, 1e4, 1e4, 3, 800)
	phtest.Prompt(t, "stiff transient", func(ctx context.Context) error {
		_, _, err := small.Transient(ctx, append([]float64{1}, make([]float64, 800)...), 1e6)
		return err
	}, 0, 100*time.Millisecond)
	phtest.Prompt(t, "exploration", func(ctx context.Context) error {
		_, _, err := markov.Explore(ctx, []int{0}, math.MaxInt,
			func(s int, add func(int, float64), _ func(float64)) { add(s+1, 1) })
		return err
	}, 0, 100*time.Millisecond)
}

// inHalves makes transitions between the first and the second half of the phases of a chain rare, so that first passages
// remember for long where they began.
func inHalves(q *markov.QBD) *markov.QBD {
	rare := func(m mat.Matrix) {
		d := m.(*mat.Dense)
		n, _ := d.Dims()
		d.Apply(func(i, j int, v float64) float64 {
			if (i < n/2) != (j < n/2) {
				return v / 1000
			}
			return v
		}, d)
	}
	for _, m := range []mat.Matrix{q.Repeating.Up, q.Repeating.Local, q.Repeating.Down, q.Boundary[0].Local} {
		rare(m)
	}
	return q
}
