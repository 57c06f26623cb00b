// Package calendar holds what happens in the future of a simulation in the order of time, and what waits in the order in
// which it came. Nothing here allocates in the steady state.
package calendar

import "math"

// Calendar holds future events of type E in the order of their times; events of the same time come by their ranks, and
// those of the same rank in the order in which they were scheduled. Its zero value is empty and ready. Scheduling,
// cancelling and taking an event cost O(log n) and allocate nothing once the calendar has held as many events before.
type Calendar[E any] struct {
	events []entry // a heap
	slots  []slot[E]
	free   []int32 // slots that hold no event
	seq    uint64
}

// Ticket names a scheduled event. The zero Ticket names none.
type Ticket struct {
	slot  int32 // slot + 1
	round uint32
}

type entry struct {
	at   uint64 // the time, see ordered
	rank uint64
	seq  uint64
	slot int32
}

type slot[E any] struct {
	event E
	place int32  // index in events
	round uint32 // counts the uses of the slot, so that the ticket of an event that is gone names nothing
}

// ordered returns a number that is larger the later the time is: comparisons of integers take less time.
func ordered(at float64) uint64 {
	bits := math.Float64bits(at + 0) // −0 becomes +0
	return bits ^ (uint64(int64(bits)>>63) | 1<<63)
}

// time returns the time of a number that ordered returned.
func time(key uint64) float64 {
	return math.Float64frombits(key ^ (uint64(int64(^key)>>63) | 1<<63))
}

// Len returns the number of scheduled events.
func (c *Calendar[E]) Len() int { return len(c.events) }

// Schedule enters an event at time at, behind those of the same time and a lower rank, and returns its ticket.
func (c *Calendar[E]) Schedule(at float64, rank uint64, event E) Ticket {
	var k int32
	if n := len(c.free); n > 0 {
		k = c.free[n-1]
		c.free = c.free[:n-1]
	} else {
		k = int32(len(c.slots))
		c.slots = append(c.slots, slot[E]{})
	}
	s := &c.slots[k]
	s.event, s.place = event, int32(len(c.events))
	c.seq++
	c.events = append(c.events, entry{ordered(at), rank, c.seq, k})
	c.up(len(c.events) - 1)
	return Ticket{k + 1, s.round}
}

// Cancel removes the event of ticket t and reports whether it was still scheduled.
func (c *Calendar[E]) Cancel(t Ticket) bool {
	k := t.slot - 1
	if k < 0 || int(k) >= len(c.slots) || c.slots[k].round != t.round {
		return false
	}
	c.remove(int(c.slots[k].place))
	return true
}

// Peek returns the time of the next event; ok is false if there is none.
func (c *Calendar[E]) Peek() (at float64, ok bool) {
	if len(c.events) == 0 {
		return 0, false
	}
	return time(c.events[0].at), true
}

// Due reports whether there is an event at time at or before it whose rank is not below the given one.
func (c *Calendar[E]) Due(at float64, rank uint64) bool {
	return len(c.events) > 0 && c.events[0].at <= ordered(at) && c.events[0].rank >= rank
}

// Next takes the next event out of the calendar; ok is false if there is none.
func (c *Calendar[E]) Next() (at float64, event E, ok bool) {
	if len(c.events) == 0 {
		return 0, event, false
	}
	first := &c.events[0]
	at, event = time(first.at), c.slots[first.slot].event
	c.remove(0)
	return at, event, true
}

// remove takes the i-th of the events out; the last one takes its place.
func (c *Calendar[E]) remove(i int) {
	s := &c.slots[c.events[i].slot]
	var none E
	s.event = none
	s.round++
	c.free = append(c.free, c.events[i].slot)
	last := len(c.events) - 1
	moved := c.events[last]
	c.events = c.events[:last]
	if i == last {
		return
	}
	c.put(i, moved)
	if i > 0 && before(&moved, &c.events[(i-1)/2]) {
		c.up(i)
	} else {
		c.down(i)
	}
}

func (c *Calendar[E]) put(i int, e entry) {
	c.events[i] = e
	c.slots[e.slot].place = int32(i)
}

func (c *Calendar[E]) up(i int) {
	e := c.events[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !before(&e, &c.events[parent]) {
			break
		}
		c.put(i, c.events[parent])
		i = parent
	}
	c.put(i, e)
}

func (c *Calendar[E]) down(i int) {
	e := c.events[i]
	for {
		child := 2*i + 1
		if child >= len(c.events) {
			break
		}
		if child+1 < len(c.events) && before(&c.events[child+1], &c.events[child]) {
			child++
		}
		if !before(&c.events[child], &e) {
			break
		}
		c.put(i, c.events[child])
		i = child
	}
	c.put(i, e)
}

func before(a, b *entry) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	return a.rank < b.rank || a.rank == b.rank && a.seq < b.seq
}
