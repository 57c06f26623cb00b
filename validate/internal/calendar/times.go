package calendar

import "math"

// Most is the largest number of events of [Times].
const Most = mostListed

// Times are the times of at most [Most] events, side by side in memory. An event is known by its place, from 0. The time of
// an event that is not to come is +Inf, and so are the times of the places behind the last event. [Times.Clear] makes all
// times +Inf; in the zero value they are 0.
type Times struct{ orders [mostListed]int64 }

// Clear makes all times +Inf.
func (t *Times) Clear() {
	for k := range t.orders {
		t.Set(k, math.Inf(1))
	}
}

// Set sets the time of event k, below [Most]. The time must not be NaN.
func (t *Times) Set(k int, at float64) { t.orders[uint(k)%mostListed] = orderOf(at) }

// Remove removes event k of n events. The events behind it move up by a place.
func (t *Times) Remove(k, n int) {
	for ; k+1 < n; k++ {
		t.orders[k] = t.orders[k+1]
	}
	t.Set(n-1, math.Inf(1))
}

// Earliest returns the earliest time of n events, and the set of the events of this time; bit 0 is for event 0. If the time
// is +Inf, the set has no meaning.
//
// Which event comes first depends on chance, so the processor would guess a branch wrong. A group of eight places is
// therefore searched without branches. Vector registers of four places take longer: the processor waits if it reads a
// vector just after one of its numbers was written.
//
// Most lists have one group, which needs no loop.
func (t *Times) Earliest(n int) (at float64, first uint64) {
	least := leastOf((*[group]int64)(t.orders[:]))
	for k := group; k < n; k += group {
		least = min(least, leastOf((*[group]int64)(t.orders[k:])))
	}
	first = slotsOf(least, (*[group / 2]int64)(t.orders[:])) | slotsOf(least, (*[group / 2]int64)(t.orders[group/2:]))<<(group/2)
	for k := group; k < n; k += group / 2 {
		first |= slotsOf(least, (*[group / 2]int64)(t.orders[k:])) << k
	}
	return timeOf(least), first
}

// leastOf returns the least order of a group.
func leastOf(o *[group]int64) int64 {
	return min(min(min(o[0], o[1]), min(o[2], o[3])), min(min(o[4], o[5]), min(o[6], o[7])))
}

// slotsOf returns the set of the places of half a group that have the given order; bit 0 is for the first place.
func slotsOf(order int64, o *[group / 2]int64) uint64 {
	return bit(o[0] == order) | bit(o[1] == order)<<1 | bit(o[2] == order)<<2 | bit(o[3] == order)<<3
}

// group is the number of places that [Times.Earliest] looks at together; mostListed is a multiple of it.
const group = 8

// bit returns 1 if a condition is true, else 0.
func bit(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}
