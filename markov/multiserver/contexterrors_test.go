package multiserver

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
)

// endsLater is a context that is canceled after a number of calls of Err. With each number in turn, a computation is
// stopped at each place where it looks at its context.
type endsLater struct {
	context.Context
	left atomic.Int64
}

// Err returns nil for the first calls, and context.Canceled from then on.
func (c *endsLater) Err() error {
	if c.left.Add(-1) >= 0 {
		return nil
	}
	return context.Canceled
}

// EndsAfter returns a context that is canceled after n calls of Err, for tests of the package, and how many calls are left.
func EndsAfter(ctx context.Context, n int64) (_ context.Context, left func() int64) {
	later := &endsLater{Context: ctx}
	later.left.Store(n)
	return later, later.left.Load
}

// TestErrorsOfAnEndedContext: an ended context is no failure of a method. Wherever a function stops, its error wraps the
// error of the context alone.
func TestErrorsOfAnEndedContext(t *testing.T) {
	classes := fourPhases()
	classes.Servers = 4
	erlang3, mixture := phasesOf(must(t)(phasetype.Erlang(3, 1))), phasesOf(must(t)(phasetype.BalancedHyperexponential(1, 4)))
	arrivals := must(t)(phasetype.Erlang(2, 0.5))
	for name, q := range map[string]*Queue{
		"two classes":       classes,
		"general service":   renewal(arrivals, 3, classes.Service[0]),
		"hyperexponential":  renewal(arrivals, 3, mixture),
		"Erlang":            renewal(arrivals, 3, erlang3),
		"modes that cancel": coxianService(t, 5, 0.95),
		"service in a cycle": {D0: classes.D0, D1: classes.D1, Servers: 3, Service: []Phases{{
			Alpha: []float64{1, 0}, T: mat.NewDense(2, 2, []float64{-2, 1, 1, -3}),
		}}},
		"two, Erlang":       {D0: classes.D0, D1: classes.D1, Servers: 8, Service: []Phases{erlang3}},
		"two, switch-overs": {D0: classes.D0, D1: classes.D1, Servers: 8, Service: []Phases{mixture}, OnArrival: slices.Repeat([]Phases{erlang3}, 8)},
	} {
		s, err := q.check(t.Context(), nil)
		if err != nil {
			t.Fatal(name, err)
		}
		if err := s.allocate(); err != nil {
			t.Fatal(name, err)
		}
		sol, err := q.Solve(t.Context(), markov.Settings{})
		if err != nil {
			t.Fatal(name, err)
		}
		byMatrices, err := s.saturatedByMatrices(t.Context(), markov.CyclicReduction)
		if err != nil {
			t.Fatal(name, err)
		}
		for what, f := range map[string]func(context.Context) error{
			"check": func(ctx context.Context) error {
				_, err := q.check(ctx, nil)
				return err
			},
			"unfinished switch-overs": func(ctx context.Context) error {
				_, err := s.newRepeatingPart(ctx, byMatrices)
				return err
			},
			"solve": func(ctx context.Context) error {
				_, err := q.solveBy(ctx, markov.Settings{}, nil)
				return err
			},
			"spectral expansion": func(ctx context.Context) error {
				_, err := q.solveBy(ctx, markov.Settings{Method: SpectralExpansion}, nil)
				return err
			},
			"delays": func(ctx context.Context) error {
				_, _, err := sol.delays(ctx)
				return err
			},
			"modes": func(ctx context.Context) error {
				_, err := s.station.Modes(ctx)
				return err
			},
			"matrices from modes": func(ctx context.Context) error {
				_, err := s.saturatedByMatrices(ctx, SpectralExpansion)
				return err
			},
			"matrices by reduction": func(ctx context.Context) error {
				_, err := s.saturatedByMatrices(ctx, markov.CyclicReduction)
				return err
			},
		} {
			if what == "matrices from modes" && s.ar.Classes > 1 || what == "delays" && len(q.OnArrival) > 0 {
				continue // no such result
			}
			stopsWithItsContext(t, name+", "+what, f)
		}
	}
}

// TestErrorsOfAnEndedContextForManyPhases: matrices of many phases are copied in part where the context ends. What is
// missing is no fault of the matrices.
func TestErrorsOfAnEndedContextForManyPhases(t *testing.T) {
	many := phasesOf(must(t)(phasetype.Erlang(70, 1)))
	q := renewal(must(t)(phasetype.Erlang(2, 2)), 1, many)
	stopsWithItsContext(t, "check of the size", func(ctx context.Context) error {
		_, err := q.CheckSize(ctx, markov.Settings{Memory: markov.NewMemory(8 << 20)})
		return err
	})
	stopsWithItsContext(t, "decay rate", func(ctx context.Context) error {
		_, err := q.DecayRate(ctx)
		return err
	})
	stopsWithItsContext(t, "sum of times", func(ctx context.Context) error {
		_, err := (&Delay{}).Plus(ctx, many)
		return err
	})
}

// stopsWithItsContext checks that f returns the error of its context, if the context ends at the first look of f at it,
// at the second, and so on. The numbers of looks grow by a share of themselves: a quarter, or two per cent with -long.
func stopsWithItsContext(t *testing.T, what string, f func(context.Context) error) {
	share := int64(4)
	if needs.IsLong() {
		share = 50
	}
	for looks := int64(0); ; looks += 1 + looks/share {
		ctx := &endsLater{Context: t.Context()}
		ctx.left.Store(looks)
		err := f(ctx)
		if ctx.left.Load() >= 0 {
			if err != nil {
				t.Errorf("%s: %v", what, err)
			}
			return
		}
		if err == nil {
			t.Errorf("%s, ended at look %d: no error", what, looks)
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s, ended at look %d: %v", what, looks, err)
			return
		}
		if wrong := (*markov.BlockError)(nil); errors.As(err, &wrong) {
			t.Errorf("%s, ended at look %d: %v", what, looks, err)
			return
		}
		for _, failure := range []error{markov.ErrInaccurate, markov.ErrNoConvergence, markov.ErrReducible, markov.ErrMethod} {
			if errors.Is(err, failure) {
				t.Errorf("%s, ended at look %d: %v", what, looks, err)
				return
			}
		}
	}
}
