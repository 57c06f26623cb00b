package cluster

import "math"

// never is the time of a timer that is not set.
const never = math.MaxInt64

// timerTree is a calendar for a fixed number of sources that have at most one event ahead each, in whole units of time:
// a tournament over their times. Setting a timer costs ⌈lg n⌉ comparisons, the first is known at once, nothing is
// allocated. Where many events come from few sources it is several times as fast as a calendar in one list.
//
// Reference: D. E. Knuth, The Art of Computer Programming 3, section 5.4.1.
type timerTree struct {
	tree   []timer // tree[1] is the first of all; the children of k are 2k and 2k+1, the leaves come last
	leaves int
}

type timer struct {
	at     int64
	source int32
}

// newTimerTree returns timers for the sources 0 to n−1, all of which are not set.
func newTimerTree(n int) *timerTree {
	leaves := 1
	for leaves < n {
		leaves *= 2
	}
	t := &timerTree{make([]timer, 2*leaves), leaves}
	for k := 2*leaves - 1; k > 0; k-- {
		t.tree[k] = timer{never, int32(k - leaves)}
		if k < leaves {
			t.tree[k] = t.tree[2*k]
		}
	}
	return t
}

// set sets the timer of a source to a time in nanoseconds, or to never, and finds the first timer anew.
func (t *timerTree) set(source int, at int64) {
	k := t.leaves + source
	t.tree[k].at = at
	for k > 1 {
		first, second := t.tree[k&^1], t.tree[k|1]
		if second.at < first.at {
			first = second
		}
		k /= 2
		t.tree[k] = first
	}
}

// first returns the source whose time comes first, of several the one with the least number, and its time; never if no
// timer is set.
func (t *timerTree) first() (source int, at int64) { return int(t.tree[1].source), t.tree[1].at }
