// Package calendar holds the future events of a simulation in the order of time ([Calendar]), and waiting jobs in the
// order of arrival ([Queue]). In the steady state nothing allocates.
package calendar

// Calendar holds future events of type E in the order of their times. Events of the same time are ordered by rank, and
// events of the same rank by the order of scheduling. The zero value is empty and ready. Scheduling, cancelling and
// taking an event cost O(log n) on average. They allocate nothing once the calendar has held as many events before.
//
// A few events are kept in an unordered list, with the index of the first event: searching a short list takes less time
// than keeping it in order. More events are kept in a heap. The entry of an event that was taken or cancelled stays
// until it would come first. Reason: a machine often cancels all its events before it asks for the next one.
type Calendar[E any] struct {
	entries []entry
	heaped  bool // entries is a heap
	first   int  // the index of the entry that comes first, 0 if there is none
	gone    int  // entries of events that are no longer scheduled
	slots   []slot[E]
	free    []int32 // slots that hold no event
	seq     uint64
}

// A list of more than longestList entries becomes a heap. A heap of fewer than leastHeap entries becomes a list.
const longestList, leastHeap = 16, 8

// Ticket identifies a scheduled event, so that it can be cancelled. The zero Ticket identifies none.
type Ticket struct {
	seq  uint64
	slot int32
}

type entry struct {
	at   float64
	rank uint64
	Ticket
}

type slot[E any] struct {
	event E
	seq   uint64 // of the event's ticket; 0 if there is no event
}

// Len returns the number of scheduled events.
func (c *Calendar[E]) Len() int { return len(c.entries) - c.gone }

// Schedule adds an event at time at and returns its ticket. Among events of the same time, the event comes after those
// of lower rank and after earlier ones of the same rank.
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
	c.slots[k] = slot[E]{event, c.seq}
	t := Ticket{c.seq, k}
	c.entries = append(c.entries, entry{at, rank, t})
	switch i := len(c.entries) - 1; {
	case c.heaped:
		c.up(i)
	case i == longestList:
		c.clean()
	case before(&c.entries[i], &c.entries[c.first]):
		c.first = i
	}
	return t
}

// Cancel removes the event of ticket t and reports whether it was still scheduled.
func (c *Calendar[E]) Cancel(t Ticket) bool {
	if t.seq == 0 || !c.holds(t) {
		return false
	}
	c.release(t)
	return true
}

// holds reports whether the event of a ticket is scheduled.
func (c *Calendar[E]) holds(t Ticket) bool { return c.slots[t.slot].seq == t.seq }

// release empties the slot of an event, so that the slot can be used again. The entry stays in the list or heap.
func (c *Calendar[E]) release(t Ticket) {
	c.slots[t.slot] = slot[E]{}
	c.free = append(c.free, t.slot)
	c.gone++
}

// next returns the entry of the next event, nil if there is none. It removes entries of events that are gone and would
// come first. The pointer is valid until the calendar changes.
func (c *Calendar[E]) next() *entry {
	for len(c.entries) > 0 {
		switch e := &c.entries[c.first]; {
		case c.holds(e.Ticket):
			return e
		case c.heaped && 2*c.gone <= len(c.entries):
			c.remove(0)
			c.down(0)
			c.heaped = len(c.entries) >= leastHeap
		default:
			c.clean()
		}
	}
	return nil
}

// clean removes the entries of all events that are gone, and rebuilds the list or the heap.
func (c *Calendar[E]) clean() {
	c.first = 0
	for i := 0; i < len(c.entries); {
		switch e := &c.entries[i]; {
		case c.gone > 0 && !c.holds(e.Ticket):
			c.remove(i)
			continue
		case before(e, &c.entries[c.first]):
			c.first = i
		}
		i++
	}
	if c.heaped = len(c.entries) > longestList; c.heaped {
		c.first = 0
		for i := len(c.entries)/2 - 1; i >= 0; i-- {
			c.down(i)
		}
	}
}

// remove removes the i-th entry, which must be that of an event that is gone. The last entry takes its place.
func (c *Calendar[E]) remove(i int) {
	last := len(c.entries) - 1
	c.entries[i] = c.entries[last]
	c.entries = c.entries[:last]
	c.gone--
}

// Peek returns the time of the next event; ok is false if no event is to come.
func (c *Calendar[E]) Peek() (at float64, ok bool) {
	if e := c.next(); e != nil {
		return e.at, true
	}
	return 0, false
}

// Take removes and returns the next event if its time is at most at and its rank is at least the given rank. Otherwise
// ok is false and the calendar stays as it is.
func (c *Calendar[E]) Take(at float64, rank uint64) (event E, ok bool) {
	e := c.next()
	if e == nil || e.at > at || e.rank < rank {
		return event, false
	}
	event = c.slots[e.slot].event
	c.release(e.Ticket)
	return event, true
}

// up moves the i-th entry of the heap towards the root until its parent comes before it.
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

// down moves the i-th entry of the heap away from the root until it comes before both children.
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

// before reports whether the event of entry a comes before that of b: by time, then by rank, then by order of
// scheduling.
func before(a, b *entry) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	return a.rank < b.rank || a.rank == b.rank && a.seq < b.seq
}
