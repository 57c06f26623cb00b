package markov_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/testdata/qbdtest"
)

// What is nil, zero or without blocks is an error that says where, with the name of the package once.
func TestNothingIsAnError(t *testing.T) {
	var none *mat.Dense
	ctx := t.Context()
	rate := mat.NewDense(1, 1, []float64{1})
	level := markov.Level{Up: rate, Local: rate, Down: rate}
	var empty mat.Dense
	for name, solve := range map[string]func() error{
		"nil QBD":  func() error { _, err := (*markov.QBD)(nil).Solve(ctx, markov.Settings{}); return err },
		"zero QBD": func() error { _, err := new(markov.QBD).Solve(ctx, markov.Settings{}); return err },
		"boundary without blocks": func() error {
			_, err := (&markov.QBD{Boundary: make([]markov.Level, 2), Repeating: level}).Solve(ctx, markov.Settings{})
			return err
		},
		"no repeating part": func() error {
			_, err := (&markov.QBD{Boundary: []markov.Level{level}}).Solve(ctx, markov.Settings{})
			return err
		},
		"nil pointer to a block": func() error {
			repeating := markov.Level{Up: none, Local: rate, Down: rate}
			q := &markov.QBD{Boundary: []markov.Level{level}, Repeating: repeating}
			_, err := q.Solve(ctx, markov.Settings{})
			return err
		},
		"empty blocks": func() error {
			repeating := markov.Level{Up: &empty, Local: &empty, Down: &empty}
			q := &markov.QBD{Boundary: []markov.Level{level}, Repeating: repeating}
			_, err := q.Solve(ctx, markov.Settings{})
			return err
		},
		"nil generator":            func() error { _, err := markov.Stationary(ctx, nil); return err },
		"nil pointer to generator": func() error { _, err := markov.Stationary(ctx, none); return err },
		"empty generator":          func() error { _, err := markov.Stationary(ctx, &empty); return err },
		"no sojourns":              func() error { _, err := markov.NewSojourns(ctx, nil, nil); return err },
		"nil regimes":              func() error { _, err := (*markov.Regimes)(nil).Solve(ctx, markov.Settings{}); return err },
		"zero regimes":             func() error { _, err := new(markov.Regimes).Solve(ctx, markov.Settings{}); return err },
		"states that never leave": func() error {
			_, err := markov.NewSojourns(ctx, mat.NewDense(2, 2, []float64{0, 1, 1, 0}), []float64{0, 0})
			return err
		},
		"a rate of leaving that is none": func() error {
			_, err := markov.NewSojourns(ctx, rate, []float64{-1})
			return err
		},
		"no moves": func() error { _, _, err := markov.Explore(ctx, []int{1}, 9, nil); return err },
		"transient of nil": func() error {
			_, _, err := (*markov.Chain)(nil).Transient(ctx, nil, 1)
			return err
		},
	} {
		err := solve()
		var block *markov.BlockError
		if !errors.As(err, &block) {
			t.Errorf("%s: %v is no BlockError", name, err)
		} else if n := strings.Count(err.Error(), "markov: "); n != 1 || !strings.HasPrefix(err.Error(), "markov: ") {
			t.Errorf("%s: %q", name, err)
		}
	}
	for _, c := range []*markov.Chain{nil, new(markov.Chain)} {
		if _, _, err := c.Stationary(ctx); !errors.Is(err, markov.ErrReducible) {
			t.Errorf("a chain without states: %v", err)
		}
	}
	if _, err := markov.NewSurvivalTransform(ctx, 1, 0, nil); err == nil || err.Error() != "markov: there is no transform" {
		t.Error(err)
	}
}

// Whoever finds a chain unstable can be asked by one error, and messages have one prefix.
func TestErrorsSayOnceWhoTheyAreFrom(t *testing.T) {
	ended, stop := context.WithCancel(t.Context())
	stop()
	_, unstable := qbdtest.Dense(3, 2).Solve(t.Context(), markov.Settings{})
	_, method := qbdtest.Dense(3, 0.5).Solve(t.Context(), markov.Settings{Method: "guess"})
	_, inaccurate := qbdtest.Dense(30, 0.99).Solve(t.Context(), markov.Settings{Tolerance: 1e-30})
	_, canceled := qbdtest.Dense(3, 0.5).Solve(ended, markov.Settings{})
	for _, c := range []struct{ err, want error }{
		{unstable, markov.ErrUnstable}, {method, markov.ErrMethod},
		{inaccurate, markov.ErrInaccurate}, {canceled, context.Canceled},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%v is not %v", c.err, c.want)
		} else if n := strings.Count(c.err.Error(), "markov: "); n != 1 {
			t.Errorf("%q has its prefix %d times", c.err, n)
		}
	}
}

// TestWrongTolerances: a tolerance that no residual can meet is refused as such, by every solver.
func TestWrongTolerances(t *testing.T) {
	for _, tolerance := range []float64{-1, math.NaN()} {
		st := markov.Settings{Tolerance: tolerance}
		_, solve := qbdtest.Dense(3, 0.5).Solve(t.Context(), st)
		_, transient := qbdtest.Dense(3, 0.5).Transient(t.Context(), [][]float64{{1, 0, 0}}, 1, st)
		_, regimes := onOff(.1, 1).Solve(t.Context(), st)
		for i, err := range []error{solve, transient, regimes, new(markov.Diagnostics).Check(tolerance)} {
			if err == nil || !strings.Contains(err.Error(), "is not positive") {
				t.Errorf("call %d, tolerance %v: %v", i, tolerance, err)
			}
		}
	}
}
