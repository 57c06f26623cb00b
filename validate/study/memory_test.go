package study

import (
	"context"
	"errors"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/validate/replay"
)

// TestReplaysAndChainsShareMemory: replays reserve the memory of their jobs out of the memory of the chains, and at most
// all of it. They wait while a chain holds too much.
func TestReplaysAndChainsShareMemory(t *testing.T) {
	const limit = 100_000
	ended, cancel := context.WithCancel(t.Context())
	cancel() // a reservation fails at once if the memory is not free
	for _, c := range []struct {
		jobs int
		free float64
	}{{0, limit}, {10, limit - 2*10*replay.BytesPresent}, {1_000_000, 0}} {
		w := &work{Settings: Settings{Workers: 2, Memory: markov.NewMemory(limit)}}
		like := []*replay.Run{{MostJobs: c.jobs}, {MostJobs: c.jobs / 2}}
		release, err := w.reserveReplays(t.Context(), like)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Memory.Reserve(ended, c.free+1); err == nil {
			t.Errorf("%d jobs: more than %g bytes are free", c.jobs, c.free)
		}
		chain, err := w.Memory.Reserve(t.Context(), c.free)
		if err != nil {
			t.Fatal(err)
		}
		release()
		chain()
		if chain, err = w.Memory.Reserve(t.Context(), limit); err != nil {
			t.Fatal(err)
		}
		if _, err := w.reserveReplays(ended, like); c.jobs > 0 && !errors.Is(err, context.Canceled) {
			t.Errorf("%d jobs: no wait for the chain: %v", c.jobs, err)
		}
		chain()
	}
}
