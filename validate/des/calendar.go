package des

// Calendar holds future events of type E in the order of their times; events of the same time come by their ranks, and
// those of the same rank in the order in which they were scheduled. Its zero value is empty and ready. Scheduling,
// cancelling and taking an event cost O(log n) and allocate nothing once the calendar has held as many events before.
type Calendar[E any] struct {
	heap  []entry
	slots []slot[E]
	free  []int32 // slots that hold no event
	seq   uint64
}

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
	place int32  // index in the heap
	round uint32 // counts the uses of the slot, so that the ticket of an event that is gone names nothing
}

// Len returns the number of scheduled events.
func (c *Calendar[E]) Len() int { return len(c.heap) }

// Schedule enters an event of rank 0 at time at and returns its ticket.
func (c *Calendar[E]) Schedule(at float64, event E) Ticket { return c.ScheduleRanked(at, 0, event) }

// ScheduleRanked enters an event at time at, behind those of the same time and a lower rank, and returns its ticket.
func (c *Calendar[E]) ScheduleRanked(at float64, rank uint64, event E) Ticket {
	var k int32
	if n := len(c.free); n > 0 {
		k = c.free[n-1]
		c.free = c.free[:n-1]
	} else {
		k = int32(len(c.slots))
		c.slots = append(c.slots, slot[E]{})
	}
	c.slots[k].event = event
	c.seq++
	c.heap = append(c.heap, entry{at, rank, c.seq, k})
	c.up(len(c.heap) - 1)
	return Ticket{k + 1, c.slots[k].round}
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
	if len(c.heap) == 0 {
		return 0, false
	}
	return c.heap[0].at, true
}

// Due reports whether there is an event at time at or before it whose rank is not below the given one.
func (c *Calendar[E]) Due(at float64, rank uint64) bool {
	return len(c.heap) > 0 && c.heap[0].at <= at && c.heap[0].rank >= rank
}

// Next takes the next event out of the calendar; ok is false if there is none.
func (c *Calendar[E]) Next() (at float64, event E, ok bool) {
	if len(c.heap) == 0 {
		return 0, event, false
	}
	first := c.heap[0]
	event = c.slots[first.slot].event
	c.remove(0)
	return first.at, event, true
}

func (c *Calendar[E]) remove(i int) {
	k := c.heap[i].slot
	var none E
	c.slots[k].event = none
	c.slots[k].round++
	c.free = append(c.free, k)
	last := len(c.heap) - 1
	moved := c.heap[last]
	c.heap = c.heap[:last]
	if i == last {
		return
	}
	c.heap[i] = moved
	if i > 0 && before(&moved, &c.heap[(i-1)/2]) {
		c.up(i)
	} else {
		c.down(i)
	}
}

func (c *Calendar[E]) put(i int, e entry) {
	c.heap[i] = e
	c.slots[e.slot].place = int32(i)
}

func (c *Calendar[E]) up(i int) {
	e := c.heap[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !before(&e, &c.heap[parent]) {
			break
		}
		c.put(i, c.heap[parent])
		i = parent
	}
	c.put(i, e)
}

func (c *Calendar[E]) down(i int) {
	e := c.heap[i]
	for {
		child := 2*i + 1
		if child >= len(c.heap) {
			break
		}
		if child+1 < len(c.heap) && before(&c.heap[child+1], &c.heap[child]) {
			child++
		}
		if !before(&c.heap[child], &e) {
			break
		}
		c.put(i, c.heap[child])
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
