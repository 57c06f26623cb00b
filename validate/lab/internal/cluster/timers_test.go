package cluster

import (
	"testing"

	"pgregory.net/rapid"
)

// The timers agree with a search through a list under any sequence of settings.
func TestTimersAgainstList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "sources")
		times, list := newTimerTree(n), make([]int64, n)
		for i := range list {
			list[i] = never
		}
		for range rapid.IntRange(1, 100).Draw(t, "settings") {
			i := rapid.IntRange(0, n-1).Draw(t, "source")
			list[i] = rapid.OneOf(rapid.Int64Range(0, 5), rapid.Just[int64](never)).Draw(t, "at")
			times.set(i, list[i])
			want := 0
			for k, at := range list {
				if at < list[want] {
					want = k
				}
			}
			if got, at := times.first(); got != want || at != list[want] {
				t.Fatalf("First() = %d, %d; want %d, %d", got, at, want, list[want])
			}
		}
	})
}
