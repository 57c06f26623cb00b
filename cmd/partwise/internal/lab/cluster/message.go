package cluster

// message is a message under way.
type message struct {
	at   int64 // when it is where it goes to next
	to   int32 // process
	slot int32
}

// messages are messages in the order in which an interface treats them: a ring whose length is a power of two.
type messages struct {
	ring        []message
	head, count int
}

func (q *messages) push(m message) {
	if q.count == len(q.ring) {
		ring := make([]message, max(16, 2*len(q.ring)))
		for i := range q.count {
			ring[i] = q.ring[(q.head+i)&(len(q.ring)-1)]
		}
		q.ring, q.head = ring, 0
	}
	q.ring[(q.head+q.count)&(len(q.ring)-1)] = m
	q.count++
}

func (q *messages) pop() message {
	m := q.ring[q.head]
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.count--
	return m
}

// due returns when the first message is where it goes to.
func (q *messages) due() int64 {
	if q.count == 0 {
		return never
	}
	return q.ring[q.head].at
}

// send hands a message to the interface of the node.
func (r *run) send(n *node, s step) {
	n.outFree = max(r.now, n.outFree) + int64(r.Costs.Interface)
	if r.Choices.HalfDuplex {
		n.inFree = n.outFree
	}
	n.out.push(message{n.outFree + int64(r.Costs.Wire), s.to, s.slot})
	n.at[leaving] = n.out.due()
}

// leaves hands the oldest message that left the node to the interface of its receiver.
func (r *run) leaves(n *node) {
	m := n.out.pop()
	n.at[leaving] = n.out.due()
	i := m.to / int32(r.MPL)
	to := &r.nodes[i]
	to.inFree = max(r.now, to.inFree) + int64(r.Costs.Interface)
	if r.Choices.HalfDuplex {
		to.outFree = to.inFree
	}
	m.at = to.inFree
	to.in.push(m)
	if to.in.count == 1 {
		to.at[arriving] = m.at
		r.touch(i)
	}
}

// deposited puts the oldest message that arrived at the node into the memory of its receiver, which goes on if it is on
// the processor and waits for it.
func (r *run) deposited(n *node) {
	m := n.in.pop()
	n.at[arriving] = n.in.due()
	p := &r.processes[m.to]
	p.pending[m.slot]++
	p.unread++
	awaited := p.phase == waiting && p.script[p.at].slot == m.slot
	onProcessor := n.current == m.to
	if awaited && p.blocked {
		r.unblock(n, p)
		return
	}
	if r.Arrival == interrupt && n.sampled != m.to {
		r.interrupt(n, p, onProcessor)
	}
	if awaited && onProcessor {
		r.resume(n, p)
	}
}
