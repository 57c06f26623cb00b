// Package calendar holds what happens in the future of a simulation in the order of time, and what waits in the order in
// which it came. Nothing here allocates in the steady state.
package calendar

// Calendar holds future events of type E in the order of their times; events of the same time come by their ranks, and
// those of the same rank in the order in which they were scheduled. Its zero value is empty and ready. Scheduling,
// cancelling and taking an event cost O(log n) and allocate nothing once the calendar has held as many events before.
//
// A few events are a list in no order, of which the calendar knows the first event: searching a short list takes less
// time than keeping it in order. More events are a heap.
type Calendar[E any] struct {
	events []entry
	heaped bool // events is a heap
	first  int  // the index of the event that comes first, 0 if there is none
	slots  []slot[E]
	free   []int32 // slots that hold no event
	seq    uint64
}

// A list of more than longestList events becomes a heap, and a heap of fewer than leastHeap events a list.
const longestList, leastHeap = 16, 8

// Ticket names a scheduled event. The zero Ticket names none.
type Ticket struct {
	slot  int32 // slot + 1
	round uint32
}

type entry struct {
	at   float64
	rank uint64
	seq  uint64
	slot int32
}

type slot[E any] struct {
	event E
	place int32  // index in events
	round uint32 // counts the uses of the slot, so that the ticket of an event that is gone names nothing
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
	c.events = append(c.events, entry{at, rank, c.seq, k})
	switch i := len(c.events) - 1; {
	case c.heaped:
		c.up(i)
	case len(c.events) > longestList:
		c.heapify()
	case before(&c.events[i], &c.events[c.first]):
		c.first = i
	}
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

// search finds the first event of a list.
func (c *Calendar[E]) search() {
	c.first = 0
	if len(c.events) == 0 {
		return
	}
	first := &c.events[0]
	for i := 1; i < len(c.events); i++ {
		if e := &c.events[i]; e.at <= first.at && before(e, first) {
			first, c.first = e, i
		}
	}
}

// Peek returns the time of the next event; ok is false if there is none.
func (c *Calendar[E]) Peek() (at float64, ok bool) {
	if len(c.events) == 0 {
		return 0, false
	}
	return c.events[c.first].at, true
}

// Due reports whether there is an event at time at or before it whose rank is not below the given one.
func (c *Calendar[E]) Due(at float64, rank uint64) bool {
	return len(c.events) > 0 && c.events[c.first].at <= at && c.events[c.first].rank >= rank
}

// Next takes the next event out of the calendar; ok is false if there is none.
func (c *Calendar[E]) Next() (at float64, event E, ok bool) {
	if len(c.events) == 0 {
		return 0, event, false
	}
	first := &c.events[c.first]
	at, event = first.at, c.slots[first.slot].event
	c.remove(c.first)
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
	if i < last {
		c.put(i, moved)
	}
	switch {
	case !c.heaped && c.first == i:
		c.search()
	case !c.heaped && c.first == last:
		c.first = i
	case !c.heaped || i == last:
	case i > 0 && before(&moved, &c.events[(i-1)/2]):
		c.up(i)
	default:
		c.down(i)
	}
	c.heaped = c.heaped && last >= leastHeap
}

// heapify puts the events of a list into the order of a heap.
func (c *Calendar[E]) heapify() {
	c.heaped, c.first = true, 0
	for i := len(c.events)/2 - 1; i >= 0; i-- {
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
