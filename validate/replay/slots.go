package replay

import "runtime"

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

// take waits until a slot is free and takes it. The caller must call release once, when its replay has ended.
func (s slots) take() (release func()) {
	s <- struct{}{}
	return func() { <-s }
}
