package replay

import (
	"context"
	"runtime"
)

// slots limits how many replays run at a time. Concurrent searches share it, so that no processor is idle while any
// search has a replay to make.
type slots chan struct{}

// newSlots returns free slots for so many replays at a time as workers says, or for one on each processor if it is 0.
func newSlots(workers int) slots {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return make(slots, workers)
}

// do waits until a slot is free, and calls replay in it. The error comes from replay. If ctx ends while do waits, the
// error comes from ctx, and replay is not called.
func (s slots) do(ctx context.Context, replay func() error) error {
	select {
	case s <- struct{}{}:
		defer func() { <-s }()
		return replay()
	case <-ctx.Done():
		return ctx.Err()
	}
}
