package replay

import "runtime"

// slots are the replays that may run at a time. Searches that go on at the same time share them. So no processor is
// idle while one of the searches has a replay to make.
type slots chan struct{}

// newSlots returns slots for so many replays at a time; for one on each processor if workers is 0.
func newSlots(workers int) slots {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return make(slots, workers)
}

// take waits until a slot is free, and takes it. It returns the function that gives the slot back.
func (s slots) take() (release func()) {
	s <- struct{}{}
	return func() { <-s }
}
