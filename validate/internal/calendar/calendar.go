// Package calendar holds the future events of a simulation in the order of time ([Calendar]), and waiting jobs in the
// order of arrival ([Queue]). [Times] are the times of a few events. In the steady state nothing allocates.
package calendar

import (
	"math"
	"math/bits"
)

// Calendar holds future events of type E in the order of their times. Events of the same time are ordered by rank, and
// events of the same rank by the order of scheduling. The zero value is empty and ready. It allocates nothing once the
// calendar has held as many events before.
//
// Up to mostListed events are a list without an order, in slots that keep their places. Scheduling and cancelling an
// event change one slot. The events that come first are looked for when they are asked for, unless they are known. The
// times of the slots are next to each other in memory. One pass over them finds the earliest time, and another the events
// of this time. Both together take some ten instructions for each slot, in groups of eight slots. This pays on a machine
// that gives many jobs other nodes at a time. All their ends change then before the next one is asked for, and their
// standstills end together.
//
// More events are kept in a heap, in which an event costs O(log n). There the entry of a cancelled event stays until it
// would come first.
type Calendar[E any] struct {
	slots  []slot[E]         // of the events; the first mostListed slots are near, the others far
	orders [mostListed]int64 // by near slot: the order of the time of its event, or never
	listed uint64            // set of the near slots that hold an event
	first  uint64            // of a list: set of the slots with the earliest time; empty if they are not known
	least  int64             // order of the time of the next event, if findFirst was called, or first is not empty
	at     float64           // this time; NaN without an event
	past   float64           // no event is scheduled at this time or before; NaN: not known
	seq    uint64            // number of events scheduled so far

	heaped  bool    // entries is a heap of all events; otherwise they are a list in the near slots, and entries is empty
	entries []entry // of the heap
	gone    int     // entries of events that are no longer scheduled
	far     int     // number of events in far slots
	free    []int32 // far slots that hold no event
}

// A calendar with more than mostListed events becomes a heap. A heap of fewer than leastHeap entries becomes a list, if
// all its events are in near slots. mostListed is the number of bits of the set Calendar.listed.
const mostListed, leastHeap = 64, 32

// never is the order of a near slot without an event. It comes after the order of every time.
const never = math.MaxInt64

// Ticket identifies a scheduled event, so that it can be cancelled. The zero Ticket identifies no event.
type Ticket struct {
	seq  uint64 // number of the event in the order of scheduling, from 1
	slot int32  // that holds the event
}

// entry is an event in the heap of a calendar, with what its order depends on. The event itself is in a slot.
type entry struct {
	order int64 // of its time, see orderOf
	rank  uint64
	Ticket
}

// slot holds an event, or no event if seq is 0.
type slot[E any] struct {
	rank  uint64
	seq   uint64 // of the event's ticket
	event E
}

// orderOf returns an integer that is larger for a later time: integers are compared without branches. [timeOf] is its
// inverse. −0 and 0 have the same order; a time must not be NaN.
func orderOf(at float64) int64 {
	bits := int64(math.Float64bits(at + 0)) // −0 becomes 0
	return bits ^ int64(uint64(bits>>63)>>1)
}

// timeOf returns the time whose order, by [orderOf], is given.
func timeOf(order int64) float64 {
	return math.Float64frombits(uint64(order) ^ uint64(order>>63)>>1)
}

// Len returns the number of scheduled events; cancelled events do not count.
func (c *Calendar[E]) Len() int { return bits.OnesCount64(c.listed) + c.far }

// Schedule adds an event at time at and returns its ticket. Among events of the same time, the event comes after events
// of lower rank and after earlier events of the same rank.
func (c *Calendar[E]) Schedule(at float64, rank uint64, event E) Ticket {
	slots, k := c.slots, bits.TrailingZeros64(^c.listed)
	if c.heaped || k >= mostListed || k >= len(slots) {
		return c.scheduleFar(at, rank, event)
	}
	order, seq := orderOf(at), c.seq+1
	if at <= c.past {
		c.past = math.NaN()
	}
	c.seq = seq
	c.listed |= 1 << k
	c.orders[k] = order
	s := &slots[k]
	s.rank, s.seq, s.event = rank, seq, event
	if c.first != 0 && order <= c.least {
		c.putFirst(k, at, order)
	}
	return Ticket{seq, int32(k)}
}

// Reschedule moves the scheduled event of ticket t to time at, and returns its new ticket. It does what [Calendar.Cancel] and
// then [Calendar.Schedule] do for the same event and rank. The event keeps its slot.
func (c *Calendar[E]) Reschedule(t Ticket, at float64) Ticket {
	k := int(t.slot)
	s := &c.slots[k]
	if c.heaped {
		c.release(k)
		return c.Schedule(at, s.rank, s.event)
	}
	order, seq := orderOf(at), c.seq+1
	if at <= c.past {
		c.past = math.NaN()
	}
	c.seq, s.seq = seq, seq
	c.orders[k] = order
	c.first &^= 1 << k
	if c.first != 0 && order <= c.least {
		c.putFirst(k, at, order)
	}
	return Ticket{seq, t.slot}
}

// putFirst puts the event of slot k first, whose time is not after the times of the known first events.
func (c *Calendar[E]) putFirst(k int, at float64, order int64) {
	if order < c.least {
		c.at, c.least, c.first = at, order, 0
	}
	c.first |= 1 << k
}

// scheduleFar is [Calendar.Schedule] for a heap, and for a list without an empty near slot, which becomes a heap. In the
// zero calendar it makes the near slots.
func (c *Calendar[E]) scheduleFar(at float64, rank uint64, event E) Ticket {
	if c.slots == nil {
		c.makeSlots()
		return c.Schedule(at, rank, event)
	}
	if !c.heaped {
		c.makeHeap()
	}
	k := c.takeSlot()
	c.seq++
	order, t := orderOf(at), Ticket{c.seq, int32(k)}
	c.past = math.NaN()
	c.slots[k] = slot[E]{rank, c.seq, event}
	if k < mostListed {
		c.orders[k] = order
	}
	c.entries = append(c.entries, entry{order, rank, t})
	c.up(len(c.entries) - 1)
	return t
}

// makeSlots makes the near slots of the zero calendar.
func (c *Calendar[E]) makeSlots() {
	c.slots = make([]slot[E], mostListed)
	for k := range c.orders {
		c.orders[k] = never
	}
}

// takeSlot returns a slot for the next event of a heap: an empty near slot, or else a far slot.
func (c *Calendar[E]) takeSlot() int {
	if k := bits.TrailingZeros64(^c.listed); k < mostListed {
		c.listed |= 1 << k
		return k
	}
	c.far++
	if n := len(c.free); n > 0 {
		k := c.free[n-1]
		c.free = c.free[:n-1]
		return int(k)
	}
	c.slots = append(c.slots, slot[E]{})
	return len(c.slots) - 1
}

// Cancel removes the event of ticket t and reports whether it was still scheduled. An event that was taken or cancelled
// before, and the zero Ticket, change nothing.
func (c *Calendar[E]) Cancel(t Ticket) bool {
	if t.seq == 0 || !c.holds(t) {
		return false
	}
	c.release(int(t.slot))
	return true
}

// holds reports whether the event of a ticket of this calendar is still scheduled: neither taken nor cancelled.
func (c *Calendar[E]) holds(t Ticket) bool { return c.slots[t.slot].seq == t.seq }

// release empties slot k of a scheduled event, so that the slot can be used again. In a heap the entry of the event stays,
// and is counted in c.gone.
func (c *Calendar[E]) release(k int) {
	c.slots[k].seq = 0
	if c.heaped {
		c.gone++
	}
	if k >= mostListed {
		c.releaseFar(k)
		return
	}
	c.listed &^= 1 << k
	c.first &^= 1 << k
	c.orders[k] = never
}

// releaseFar makes far slot k free.
func (c *Calendar[E]) releaseFar(k int) {
	c.far--
	c.free = append(c.free, int32(k))
}

// findFirst sets c.least and c.at to the time of the next event, or to never and NaN if no event is scheduled. It also sets
// c.first of a list, and removes events that are gone from the root of a heap.
func (c *Calendar[E]) findFirst() {
	if c.heaped && c.cleanHeap() {
		c.least = c.entries[0].order
		c.at = timeOf(c.least)
		return
	}
	if c.slots == nil {
		c.makeSlots()
	}
	// This is the search of [Times.Earliest]. A call of a common function would take 1 to 2 % of the time of a simulation.
	least := leastOf((*[group]int64)(c.orders[:]))
	n := bits.Len64(c.listed)
	for k := group; k < n; k += group {
		least = min(least, leastOf((*[group]int64)(c.orders[k:])))
	}
	first := slotsOf(least, (*[group / 2]int64)(c.orders[:])) | slotsOf(least, (*[group / 2]int64)(c.orders[group/2:]))<<(group/2)
	for k := group; k < n; k += group / 2 {
		first |= slotsOf(least, (*[group / 2]int64)(c.orders[k:])) << k
	}
	c.least, c.at, c.first = least, timeOf(least), first&c.listed
}

// next returns the slot of the next event, after [Calendar.findFirst].
func (c *Calendar[E]) next() int {
	if c.heaped {
		return int(c.entries[0].slot)
	}
	k := bits.TrailingZeros64(c.first)
	for left := c.first & (c.first - 1); left != 0; left &= left - 1 {
		if other := bits.TrailingZeros64(left); c.precedes(other, k) {
			k = other
		}
	}
	return k
}

// precedes reports whether the event of slot a comes before the event of slot b at the same time: by rank, then by the
// order of scheduling.
func (c *Calendar[E]) precedes(a, b int) bool {
	x, y := &c.slots[a], &c.slots[b]
	return x.rank < y.rank || x.rank == y.rank && x.seq < y.seq
}

// cleanHeap removes entries of cancelled events from the root of a heap until the event at the root is scheduled. If most
// entries are of cancelled events, or the heap is small, it rebuilds the calendar, perhaps as a list. The result tells
// whether the calendar is still a heap.
func (c *Calendar[E]) cleanHeap() bool {
	for !c.holds(c.entries[0].Ticket) {
		if 2*c.gone > len(c.entries) || len(c.entries) <= leastHeap {
			c.rebuild()
			break
		}
		last := len(c.entries) - 1
		c.entries[0] = c.entries[last]
		c.entries = c.entries[:last]
		c.gone--
		c.down(0)
	}
	return c.heaped
}

// rebuild removes the entries of all events that are gone from a heap. Few events in near slots become a list.
func (c *Calendar[E]) rebuild() {
	kept := c.entries[:0]
	for _, e := range c.entries {
		if c.holds(e.Ticket) {
			kept = append(kept, e)
		}
	}
	c.entries, c.gone = kept, 0
	if c.far == 0 && len(kept) <= leastHeap {
		c.entries, c.heaped = kept[:0], false
		return
	}
	c.order()
}

// makeHeap makes a heap of a list.
func (c *Calendar[E]) makeHeap() {
	for k := range mostListed {
		if c.listed>>k&1 == 1 {
			s := &c.slots[k]
			c.entries = append(c.entries, entry{c.orders[k], s.rank, Ticket{s.seq, int32(k)}})
		}
	}
	c.heaped, c.first = true, 0
	c.order()
}

// order brings the entries of the heap into the order of a heap.
func (c *Calendar[E]) order() {
	for i := len(c.entries)/2 - 1; i >= 0; i-- {
		c.down(i)
	}
}

// Peek returns the time of the next event; ok is false if no event is to come.
func (c *Calendar[E]) Peek() (at float64, ok bool) {
	if c.first == 0 {
		c.findFirst()
	}
	return c.at, c.least != never
}

// Take removes and returns the next event if its time is at most at and its rank is at least the given rank. Otherwise
// ok is false and no event is removed, even if a later event would do.
func (c *Calendar[E]) Take(at float64, rank uint64) (event E, ok bool) {
	if at <= c.past {
		return event, false
	}
	if c.first == 0 {
		c.findFirst()
	}
	if !(c.at <= at) {
		return event, false
	}
	k := bits.TrailingZeros64(c.first)
	if c.heaped || c.first&(c.first-1) != 0 {
		k = c.next()
	}
	s := &c.slots[k]
	if s.rank < rank {
		return event, false
	}
	event = s.event
	c.release(k)
	if c.first == 0 && !c.heaped { // all other events come later, so nobody need look for them at this time again
		c.past = c.at
	}
	return event, true
}

// Due reports whether an event may be left at time at or before. It is true if the calendar has not looked for its next
// event since the last was taken, cancelled or scheduled. False spares the caller a call of [Calendar.Take].
func (c *Calendar[E]) Due(at float64) bool { return !(at <= c.past) }

// up moves the i-th entry of the heap, from 0, towards the root until its parent comes before it. It restores the order
// of a heap after an entry was appended.
func (c *Calendar[E]) up(i int) {
	e := c.entries[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !before(&e, &c.entries[parent]) {
			break
		}
		c.entries[i] = c.entries[parent]
		i = parent
	}
	c.entries[i] = e
}

// down moves the i-th entry of the heap, from 0, away from the root until it comes before both children. The entries
// below it must be in the order of a heap.
func (c *Calendar[E]) down(i int) {
	e := c.entries[i]
	for {
		child := 2*i + 1
		if child >= len(c.entries) {
			break
		}
		if child+1 < len(c.entries) && before(&c.entries[child+1], &c.entries[child]) {
			child++
		}
		if !before(&c.entries[child], &e) {
			break
		}
		c.entries[i] = c.entries[child]
		i = child
	}
	c.entries[i] = e
}

// before reports whether the event of entry a comes before the event of entry b: by time, then by rank, then by order
// of scheduling.
func before(a, b *entry) bool {
	if a.order != b.order {
		return a.order < b.order
	}
	return a.rank < b.rank || a.rank == b.rank && a.seq < b.seq
}
