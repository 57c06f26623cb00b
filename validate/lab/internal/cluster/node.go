package cluster

import (
	"slices"
	"time"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/internal/des"
)

// What a node's timers are for. Timers that are due at the same time come in this order.
const (
	tick      = iota // the scheduler looks after the node
	processor        // the processor has done what it does
	leaving          // the oldest message that left reaches the interface of its receiver
	arriving         // the oldest message that arrived is in the memory of its receiver
	input            // an I/O ends
	timers
)

// activity is what a processor does.
type activity uint8

const (
	computing activity = iota
	communicating
	spinning
	switching
	overhead
	idle
	activities
)

// none is no process.
const none = -1

// node is a node: its processor with the processes that share it, and its network interface.
type node struct {
	at                     [timers]int64
	current, last, sampled int32 // process on the processor, last one there, and as the interface knows it
	marked                 bool  // some process is marked as boosted
	doing                  activity
	busyUntil              int64 // the kernel is at work
	charged                int64 // all its work
	since                  int64 // clock at the beginning of what the processor does
	phase                  int64 // of the ticks
	raise                  int64 // when the priorities of all processes are raised again
	outFree, inFree        int64 // when the interface has dealt with all messages
	spent                  [activities]int64
	ready                  []int32 // processes that could run, in the order in which they will
	table                  []int32 // all processes in the order in which they came
	out, in                messages
}

// init makes the node idle, without processes or timers. The phase of its ticks, below the time between two ticks, is drawn.
func (n *node) init(c *Config, phase des.Stream) {
	for k := range n.at {
		n.at[k] = never
	}
	n.current, n.last, n.sampled, n.doing = none, none, none, idle
	n.phase = int64(phase.Float64() * float64(c.Costs.Tick))
	n.ready, n.table = make([]int32, 0, c.MPL), make([]int32, 0, c.MPL)
}

// next returns the time of the node's next event.
func (n *node) next() int64 { return min(n.at[0], n.at[1], n.at[2], n.at[3], n.at[4]) }

// forget takes a process that has ended from the table of the node, so that another process may have its place.
func (n *node) forget(id int32) {
	n.table = remove(n.table, id)
	if n.last == id {
		n.last = none
	}
	if n.sampled == id {
		n.sampled = none
	}
}

// clock returns the nanoseconds that the processor has had for processes and for idling: the time now without all work of
// the kernel. What processes get, and the profile, are measured by it.
func (n *node) clock(now int64) int64 { return max(now, n.busyUntil) - n.charged }

// enter notes that the processor of a node does a from now on. The time of what it did before goes to the profile of the node.
func (r *run) enter(n *node, a activity) {
	t := n.clock(r.now)
	n.spent[n.doing] += t - n.since
	n.since, n.doing = t, a
}

// charge lets the kernel of a node work for a time, which the profile counts as activity a. The end of what the processor
// does is delayed by as much.
func (r *run) charge(n *node, cost time.Duration, a activity) {
	t := int64(cost)
	n.busyUntil = max(r.now, n.busyUntil) + t
	n.charged += t
	n.spent[a] += t
	if n.at[processor] != never {
		n.at[processor] += t
	}
}

// remove removes an element that is there, keeping the order.
func remove(list []int32, id int32) []int32 {
	i := slices.Index(list, id)
	return slices.Delete(list, i, i+1)
}

// toHead enters a process before all others of its level.
func (r *run) toHead(n *node, p *process) { r.insert(n, p, p.level+1) }

// toTail enters a process behind all others of its level.
func (r *run) toTail(n *node, p *process) { r.insert(n, p, p.level) }

// insert enters a process behind all others of at least the given level.
func (r *run) insert(n *node, p *process, level int8) {
	i := 0
	for i < len(n.ready) && r.processes[n.ready[i]].level >= level {
		i++
	}
	n.ready = slices.Insert(n.ready, i, p.id)
}

// arrives enters a new process on the node at the top level, behind the others, with a fresh quantum. The first process of a
// node sets the timer of its ticks.
func (r *run) arrives(n *node, p *process) {
	if len(n.table) == 1 { // ticks on an idle node would do nothing
		every := int64(r.Costs.Tick)
		passed := max(0, (r.now-n.phase+every-1)/every)
		n.at[tick] = n.phase + passed*every
		n.raise = n.phase + (passed+raiseEvery-1)/raiseEvery*raiseEvery*every
	}
	p.level, p.quantum = topLevel, quantum(topLevel)
	r.toTail(n, p)
	if n.current == none {
		r.dispatch(n)
	}
}

// dispatch gives the free processor to the process that is first, if there is one.
func (r *run) dispatch(n *node) {
	r.vacate(n)
	if len(n.ready) == 0 {
		if len(n.table) == 0 {
			n.at[tick] = never
		}
		return
	}
	id := n.ready[0]
	n.ready = slices.Delete(n.ready, 0, 1)
	p := &r.processes[id]
	n.current = id
	if n.last != id {
		r.charge(n, r.Costs.Switch, switching)
		n.last = id
	}
	p.quantumEnd = max(r.now, n.busyUntil) + p.quantum
	p.since = n.clock(r.now)
	r.resume(n, p)
}

// vacate leaves the processor of the node without a process, and counts its time as idle from now on.
func (r *run) vacate(n *node) {
	n.current = none
	n.at[processor] = never
	r.enter(n, idle)
}

// release takes the current process from the processor, which [run.vacate] then leaves idle.
func (r *run) release(n *node) {
	p := &r.processes[n.current]
	if n.at[processor] != never && p.phase != waiting {
		p.left = n.at[processor] - max(r.now, n.busyUntil)
	}
	p.received += n.clock(r.now) - p.since
	p.quantum = max(p.quantumEnd-r.now, leastLeft)
}

// tick is what the scheduler of a node does every millisecond. It raises and boosts processes if it is time, and takes the
// processor from a process whose turn is over. It tells the network interface which process is on the processor.
func (r *run) tick(n *node) {
	n.at[tick] += int64(r.Costs.Tick)
	if r.now >= n.raise {
		r.raiseAll(n)
	}
	if r.Arrival == policy.PeriodicBoost {
		r.boostPeriodically(n)
	}
	r.reschedule(n)
	if n.marked {
		for _, id := range n.table {
			r.processes[id].boosted = false
		}
		n.marked = false
	}
	if n.current != none { // of an idle processor the interface knows the last process
		n.sampled = n.current
	}
}

// reschedule takes the processor from a process whose quantum is over, or that another one is to preempt.
func (r *run) reschedule(n *node) {
	if n.current == none {
		return
	}
	p := &r.processes[n.current]
	if r.now >= p.quantumEnd {
		p.level = max(p.level-1, 0)
		if len(n.ready) == 0 || r.processes[n.ready[0]].level < p.level {
			p.quantumEnd = r.now + quantum(p.level)
			return
		}
		r.release(n)
		p.quantum = quantum(p.level)
		r.toTail(n, p)
		r.dispatch(n)
		return
	}
	if len(n.ready) == 0 {
		return
	}
	if best := &r.processes[n.ready[0]]; best.level > p.level || best.level == p.level && best.boosted {
		r.release(n)
		if r.Choices.PreemptedFirst {
			r.toHead(n, p)
			n.ready = remove(n.ready, best.id) // it stays in front of one that had its level
			r.toHead(n, best)
		} else {
			r.toTail(n, p)
		}
		r.dispatch(n)
	}
}

// boost moves a process that could run to the head of the top level, from where it preempts others at the next tick.
func (r *run) boost(n *node, p *process) {
	r.charge(n, r.Costs.Move, overhead)
	n.ready = remove(n.ready, p.id)
	r.toTop(n, p)
	r.toHead(n, p)
	n.mark(p, !r.Choices.WeakBoost)
}

// mark lets a process preempt others of its level at this tick or the next, if it is strong.
func (n *node) mark(p *process, strong bool) {
	if strong {
		p.boosted, n.marked = true, true
	}
}

// wake lets a process run again that was blocked: at the head of the top level, at once if the processor is idle.
func (r *run) wake(n *node, p *process) {
	p.level, p.quantum = topLevel, quantum(topLevel)
	r.toHead(n, p)
	n.mark(p, r.Choices.StrongWakeUp)
	if n.current == none {
		r.dispatch(n)
	}
}
