package multiserver_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/testdata/phtest"
)

// mmpp sets the arrivals of a queue to those of a process that switches between n rates of mean one.
func mmpp(q *multiserver.Queue, n int, load float64) {
	d0, d1 := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		rate := 2 * load * float64(q.Servers) * float64(i+1) / float64(n+1)
		d1.Set(i, i, rate)
		for j := range n {
			d0.Set(i, j, 0.1)
		}
		d0.Set(i, i, -rate-0.1*float64(n-1))
	}
	q.D0, q.D1 = d0, d1
}

// Ten servers with five phases of service and three of arrivals have blocks of order 3,003: a solve takes most of a
// minute, and a single product of two blocks a second or two.
func TestSolvesStopWithTheirContext(t *testing.T) {
	if testing.Short() {
		t.Skip("times, not concurrency")
	}
	q := &multiserver.Queue{Servers: 10, Service: []multiserver.Phases{erlang(5, 1)}}
	mmpp(q, 3, 0.8)
	switching := *q
	for range q.Servers {
		switching.OnArrival = append(switching.OnArrival, erlang(2, 0.01))
		switching.OnDeparture = append(switching.OnDeparture, erlang(2, 0.01))
	}
	for _, method := range []string{markov.Auto, markov.SubtractionFree} {
		late := []time.Duration{100 * time.Millisecond}
		if needs.IsLong() {
			late = append(late, 0, 700*time.Millisecond)
		}
		for name, q := range map[string]*multiserver.Queue{"plain": q, "with switch-overs": &switching} {
			phtest.Prompt(t, name+", "+method, func(ctx context.Context) error {
				_, err := q.Solve(ctx, markov.Settings{Method: method})
				return err
			}, late...)
		}
	}
	many := h2h(4, 20) // 1,771 modes, of which eigenvectors take seconds
	phtest.Prompt(t, "spectral expansion", func(ctx context.Context) error {
		_, err := many.Solve(ctx, markov.Settings{Method: multiserver.SpectralExpansion})
		return err
	}, 0, 50*time.Millisecond, 300*time.Millisecond)
}

func TestDelaysStopWithTheirContext(t *testing.T) {
	if testing.Short() {
		t.Skip("times, not concurrency")
	}
	q := h2h(4, 12) // 455 occupancies
	s, err := q.Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	phtest.Prompt(t, "delays", func(ctx context.Context) error {
		_, _, err := s.Delays(ctx)
		return err
	}, 0, time.Millisecond)
	waiting, _, err := s.Delays(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	phtest.Prompt(t, "quantile", func(ctx context.Context) error {
		_, err := waiting.Quantile(ctx, 0.99)
		return err
	}, 0, 20*time.Millisecond)
	phtest.Prompt(t, "mean", func(ctx context.Context) error {
		_, err := waiting.Mean(ctx)
		return err
	}, 0)
}

// A part that one solve abandons is solved by another that waits for it, and what the others wait for does not keep
// those back whose time is up.
func TestSharedPartsOutliveAContext(t *testing.T) {
	q := &multiserver.Queue{Servers: 6, Service: []multiserver.Phases{erlang(4, 1)}}
	mmpp(q, 2, 0.8)
	want, err := q.Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	shared := &markov.Shared{}
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			ctx := t.Context()
			if i%2 == 0 {
				var stop func()
				ctx, stop = context.WithTimeout(ctx, time.Duration(i)*time.Millisecond)
				defer stop()
			}
			got, err := q.Solve(ctx, markov.Settings{Shared: shared})
			switch {
			case i%2 == 0 && errors.Is(err, context.DeadlineExceeded):
			case err != nil:
				t.Errorf("solve %d: %v", i, err)
			case got.Mean() != want.Mean():
				t.Errorf("solve %d: mean %v, want %v", i, got.Mean(), want.Mean())
			}
		})
	}
	all.Wait()
}
