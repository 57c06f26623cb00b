package markov_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/testdata/qbdtest"
)

func TestMemoryIsShared(t *testing.T) {
	m := markov.NewMemory(100)
	var held, most atomic.Int64
	var group sync.WaitGroup
	for i := range 50 {
		bytes := int64(10 + 7*i%60)
		group.Go(func() {
			release, err := m.Reserve(t.Context(), float64(bytes))
			if err != nil {
				t.Error(err)
				return
			}
			if now := held.Add(bytes); now > most.Load() {
				most.Store(now)
			}
			time.Sleep(time.Millisecond)
			held.Add(-bytes)
			release()
		})
	}
	group.Wait()
	if most.Load() > 100 || most.Load() < 60 {
		t.Errorf("up to %d bytes of 100 were held at a time", most.Load())
	}
}

func TestMemoryWaitsNoLongerThanItsContext(t *testing.T) {
	m := markov.NewMemory(100)
	release, err := m.Reserve(t.Context(), 60)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := m.Reserve(ctx, 50); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting ended with %v", err)
	}
	other, err := m.Reserve(t.Context(), 40) // what was given up stands in nobody's way
	if err != nil {
		t.Fatal(err)
	}
	other()
	release()
	if release, err = m.Reserve(t.Context(), 100); err != nil {
		t.Fatal(err)
	}
	release()
}

// What a chain would need is known before any of it is allocated.
func TestChainsAreRefusedBeforeTheyAreBuilt(t *testing.T) {
	small := markov.Settings{Memory: markov.NewMemory(1 << 20)}
	q := qbdtest.Dense(200, 0.8)
	_, err := q.Solve(t.Context(), small)
	var e *parallel.LimitError
	if !errors.As(err, &e) || !errors.Is(err, markov.ErrTooLarge) || e.Limit != 1<<20 || e.Takes < 200*200*8*10 {
		t.Errorf("200 phases in 1 MiB: %v", err)
	}
	if err != nil && !strings.Contains(err.Error(), "200 phases") {
		t.Errorf("the error does not tell the size: %v", err)
	}
	if _, err := qbdtest.Dense(20, 0.8).Solve(t.Context(), small); err != nil {
		t.Errorf("20 phases in 1 MiB: %v", err)
	}
	if got := (*markov.Memory)(nil).Limit(); got != parallel.DefaultMemory {
		t.Errorf("without a limit: %v", got)
	}
}

// TestHeldMemoryCounts: what the caller holds counts towards the limit of a solve.
func TestHeldMemoryCounts(t *testing.T) {
	small := markov.Settings{Memory: markov.NewMemory(1 << 20)}
	dense, sparse := qbdtest.Dense(20, 0.8), sparseQueue(6, 3, 0.3, [2]float64{1, 1})
	for _, held := range []float64{0, 1 << 20} {
		dense.Held, sparse.Held = held, held
		_, errDense := dense.Solve(t.Context(), small)
		_, errSparse := sparse.Solve(t.Context(), small)
		for name, err := range map[string]error{"dense": errDense, "sparse": errSparse} {
			if refused := errors.Is(err, markov.ErrTooLarge); refused != (held > 0) {
				t.Errorf("%s: with %v bytes held of %v: %v", name, held, small.Memory.Limit(), err)
			}
		}
	}
}
