package phtest

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

// Prompt reports a call that does not end with its context. The context ends after each of the given times; the call
// returns within half a second, and its error holds that of the context once. A call that is done before the
// context ends is tried again with half the time, down to a millisecond. A shorter call need not look at its context.
//
// Lateness is measured between the end of the context and the return. It is the smaller of the processor time of the
// process and the time of day. A busy machine adds to the time of day, and threads that work side by side add to the
// processor time. A garbage collection may fall into either, so the best of five attempts counts.
//
// Half a second is short for a person who waits. It is several times as long as the longest step without a look at the
// context on a slow machine: storage of 64 MB whose pages the system hands out for the first time took .05 to .22 s.
func Prompt(t testing.TB, what string, call func(ctx context.Context) error, after ...time.Duration) {
	t.Helper()
	const limit, attempts, shortest = 0.5, 5, time.Millisecond
	for _, d := range after {
		late := math.Inf(1)
		for i := 0; i < attempts && late > limit; i++ {
			more, err := lateness(t, call, d)
			for err == nil && d > shortest {
				d /= 2
				more, err = lateness(t, call, d)
			}
			late = min(late, more)
			if err == nil && d > 0 { // it was done when the context ended
				continue
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s, ended after %v: error %v", what, d, err)
			} else if n := strings.Count(err.Error(), context.DeadlineExceeded.Error()); n != 1 {
				t.Errorf("%s, ended after %v: %q says it %d times", what, d, err, n)
			}
		}
		if late > limit {
			t.Errorf("%s, ended after %v, returns %.3g s later", what, d, late)
		}
	}
}

// lateness returns by how many seconds a call outlasts its context, which ends after d, and the error of the call.
func lateness(t testing.TB, call func(ctx context.Context) error, d time.Duration) (float64, error) {
	ctx, stop := context.WithTimeout(t.Context(), d)
	defer stop()
	atEnd := make(chan float64, 1)
	context.AfterFunc(ctx, func() { atEnd <- CPUSeconds() })
	err := call(ctx)
	cpu, wall := CPUSeconds(), time.Now()
	if ctx.Err() == nil {
		return 0, err
	}
	end, _ := ctx.Deadline()
	return min(cpu-<-atEnd, wall.Sub(end).Seconds()), err
}
