package cluster

import "github.com/partwise/partwise/models/policy"

// message is a message under way.
type message struct {
	at   int64 // when it is where it goes to next
	to   int32 // process
	slot int32
}

// messages are messages in the order in which an interface treats them.
type messages struct {
	list []message
	head int // those before it have been taken
}

// push adds a message. The list is moved to its beginning when most of it has been taken.
func (q *messages) push(m message) {
	if 2*q.head > len(q.list) {
		q.list, q.head = q.list[:copy(q.list, q.list[q.head:])], 0
	}
	q.list = append(q.list, m)
}

// pop takes the first message.
func (q *messages) pop() message {
	q.head++
	return q.list[q.head-1]
}

// due returns when the first message, the oldest, reaches what it goes to next; never if there is no message.
func (q *messages) due() int64 {
	if q.head == len(q.list) {
		return never
	}
	return q.list[q.head].at
}

// send hands a message of a process to the network interface of its node, which deals with one message after another. The
// message leaves the node when the interface and the wire have had their time.
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
	if due := to.in.due(); to.at[arriving] != due {
		to.at[arriving] = due
		r.touch(i)
	}
}

// deposited puts the oldest message that arrived at the node into the memory of its receiver. A receiver that is on the
// processor and waits for the message goes on.
func (r *run) deposited(n *node) {
	m := n.in.pop()
	n.at[arriving] = n.in.due()
	p := &r.processes[m.to]
	p.pending[m.slot]++
	p.unread++
	awaited := p.phase == waiting && p.script[p.at].slot == m.slot
	onProcessor := n.current == m.to
	if awaited && p.blocked { // the interface, which has been told, interrupts the processor
		p.blocked = false
		r.charge(n, r.Costs.Interrupt+r.Costs.Move, overhead)
		r.wake(n, p)
		return
	}
	if r.Arrival == policy.InterruptBoost && n.sampled != m.to {
		r.interrupt(n, p, onProcessor)
	}
	if awaited && onProcessor {
		r.resume(n, p)
	}
}

// interrupt is demand-based coscheduling. The interface knows which process was on the processor at the last tick. It
// interrupts the processor for a message to another process. The receiver is boosted if it could run.
func (r *run) interrupt(n *node, p *process, onProcessor bool) {
	r.charge(n, r.Costs.Interrupt, overhead)
	if !onProcessor && p.phase != inIO && !p.blocked {
		r.boost(n, p)
	}
}
