// Package calendar holds the future events of a simulation in the order of time ([Calendar]), and waiting jobs in the
// order of arrival ([Queue]). In the steady state nothing allocates.
package calendar

import "math"

// Calendar holds future events of type E in the order of their times. Events of the same time are ordered by rank, and
// events of the same rank by the order of scheduling. The zero value is empty and ready. It allocates nothing once the
// calendar has held as many events before.
//
// Up to longestList events are kept in an unordered list. Scheduling and cancelling an event change one entry of the list.
// The first event is looked for when it is asked for, unless it is known: one pass over the list, of about 1 ns for each
// event. This pays on a machine that gives many jobs other nodes at a time. All their ends change then before the next one
// is asked for. More events are kept in a heap, in which an event costs O(log n). There the entry of a cancelled event stays
// until it would come first.
//
// Lists of up to 32 or 64 entries were slower on machines of 32 and 128 nodes, by a tenth.
type Calendar[E any] struct {
	entries []entry
	heaped  bool // entries is a heap
	first   int  // of a list: the index of the entry that comes first; −1 if it is not known
	gone    int  // of a heap: entries of events that are no longer scheduled
	slots   []slot[E]
	free    []int32 // slots that hold no event
	seq     uint64  // number of events scheduled so far
}

// A list of more than longestList entries becomes a heap. A heap of fewer than leastHeap entries becomes a list.
const longestList, leastHeap = 16, 8

// Ticket identifies a scheduled event, so that it can be cancelled. The zero Ticket identifies no event.
type Ticket struct {
	seq  uint64 // number of the event in the order of scheduling, from 1
	slot int32  // that holds the event
}

// entry is an event in the list or heap of a calendar, with what its order depends on. The event itself is in a slot.
type entry struct {
	order int64 // of its time, see orderOf
	rank  uint64
	Ticket
}

// slot holds an event, or no event.
type slot[E any] struct {
	event E
	place int32  // of its entry in a list
	seq   uint64 // of the event's ticket; 0 if there is no event
}

// orderOf returns an integer that is larger for a later time: integers are compared without branches. [timeOf] is its
// inverse. −0 and 0 have the same order; a time must not be NaN.
func orderOf(at float64) int64 {
	bits := int64(math.Float64bits(at + 0)) // −0 becomes 0
	return bits ^ bits>>63&math.MaxInt64
}

// timeOf returns the time whose order, by [orderOf], is given.
func timeOf(order int64) float64 {
	return math.Float64frombits(uint64(order ^ order>>63&math.MaxInt64))
}

// Len returns the number of scheduled events; cancelled events do not count.
func (c *Calendar[E]) Len() int { return len(c.entries) - c.gone }

// Schedule adds an event at time at and returns its ticket. Among events of the same time, the event comes after events
// of lower rank and after earlier events of the same rank.
func (c *Calendar[E]) Schedule(at float64, rank uint64, event E) Ticket {
	var k int32
	if n := len(c.free); n > 0 {
		k = c.free[n-1]
		c.free = c.free[:n-1]
	} else {
		k = int32(len(c.slots))
		c.slots = append(c.slots, slot[E]{})
	}
	c.seq++
	t := Ticket{c.seq, k}
	last := len(c.entries)
	s := &c.slots[k]
	s.event, s.place, s.seq = event, int32(last), c.seq
	c.entries = append(c.entries, entry{orderOf(at), rank, t})
	switch {
	case c.heaped:
		c.up(last)
	case last == longestList:
		c.rebuild()
	case last == 0 || c.first >= 0 && before(&c.entries[last], &c.entries[c.first]):
		c.first = last
	}
	return t
}

// Cancel removes the event of ticket t and reports whether it was still scheduled. An event that was taken or cancelled
// before, and the zero Ticket, change nothing.
func (c *Calendar[E]) Cancel(t Ticket) bool {
	if t.seq == 0 || !c.holds(t) {
		return false
	}
	c.release(t)
	return true
}

// holds reports whether the event of a ticket of this calendar is still scheduled: neither taken nor cancelled.
func (c *Calendar[E]) holds(t Ticket) bool { return c.slots[t.slot].seq == t.seq }

// release empties the slot of a scheduled event, so that the slot can be used again. In a list the last entry takes the
// place of the event's entry. In a heap the entry stays, and is counted in c.gone.
func (c *Calendar[E]) release(t Ticket) {
	s := &c.slots[t.slot]
	place := int(s.place)
	*s = slot[E]{}
	c.free = append(c.free, t.slot)
	if c.heaped {
		c.gone++
		return
	}
	last := len(c.entries) - 1
	moved := &c.entries[last]
	e := &c.entries[place]
	e.order, e.rank, e.seq, e.slot = moved.order, moved.rank, moved.seq, moved.slot
	c.slots[e.slot].place = int32(place)
	c.entries = c.entries[:last]
	if c.first == place {
		c.first = -1
	} else if c.first == last {
		c.first = place
	}
}

// next returns the entry of the event that comes first, nil without events. The pointer is valid until the calendar
// changes. On the way next removes entries of cancelled events from the root of a heap, and sets c.first of a list.
func (c *Calendar[E]) next() *entry {
	if c.heaped {
		c.clean()
	}
	if len(c.entries) == 0 {
		return nil
	}
	if c.first < 0 {
		c.seek()
	}
	return &c.entries[c.first]
}

// seek sets c.first to the index of the entry of a list that comes first. There must be an entry.
func (c *Calendar[E]) seek() {
	first := 0
	for i := 1; i < len(c.entries); i++ {
		if before(&c.entries[i], &c.entries[first]) {
			first = i
		}
	}
	c.first = first
}

// clean removes entries of cancelled events from the root of a heap until the event at the root is scheduled. If most
// entries are of cancelled events, or the heap is small, it rebuilds the calendar, perhaps as a list.
func (c *Calendar[E]) clean() {
	for c.heaped && !c.holds(c.entries[0].Ticket) {
		if 2*c.gone > len(c.entries) || len(c.entries) <= leastHeap {
			c.rebuild()
			return
		}
		last := len(c.entries) - 1
		c.entries[0] = c.entries[last]
		c.entries = c.entries[:last]
		c.gone--
		c.down(0)
	}
}

// rebuild removes the entries of all events that are gone, and makes the others a heap if they are many, otherwise a list.
func (c *Calendar[E]) rebuild() {
	kept := c.entries[:0]
	for _, e := range c.entries {
		if c.holds(e.Ticket) {
			c.slots[e.slot].place = int32(len(kept))
			kept = append(kept, e)
		}
	}
	c.entries, c.gone, c.first = kept, 0, -1
	if c.heaped = len(kept) > longestList; c.heaped {
		c.first = 0
		for i := len(kept)/2 - 1; i >= 0; i-- {
			c.down(i)
		}
	}
}

// Peek returns the time of the next event; ok is false if no event is to come.
func (c *Calendar[E]) Peek() (at float64, ok bool) {
	if e := c.next(); e != nil {
		return timeOf(e.order), true
	}
	return 0, false
}

// Take removes and returns the next event if its time is at most at and its rank is at least the given rank. Otherwise
// ok is false and no event is removed, even if a later event would do.
func (c *Calendar[E]) Take(at float64, rank uint64) (event E, ok bool) {
	e := c.next()
	if e == nil || e.order > orderOf(at) || e.rank < rank {
		return event, false
	}
	event = c.slots[e.slot].event
	c.release(e.Ticket)
	return event, true
}

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
