package cluster

import (
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/internal/des"
)

// phase is where a process is in its iteration.
type phase uint8

const (
	inCompute phase = iota
	inIO            // off the processor
	inSend
	waiting // in a receive whose message is not there, or not noticed yet
	inCopy  // in a receive whose message is there
)

// process is a process of a job on a node.
type process struct {
	id, job, at int32 // its place, its job, and the number of its step
	phase       phase
	level       int8
	used        bool
	blocked     bool // waiting without the processor until the message comes
	boosted     bool // may preempt others of its level
	yielded     bool // in this receive
	iterations  int32
	unread      int32 // messages that are there
	left        int64 // of its phase, while it is not on the processor
	quantum     int64 // left, while it is not on the processor
	quantumEnd  int64 // while it is
	ioEnd       int64
	started     int64
	since       int64 // clock of the node when it got the processor
	received    int64 // time of the processor that it has got
	script      []step
	pending     []uint32 // messages that are there, by slot
	random      des.Stream
}

// compute begins an iteration.
func (r *run) compute(p *process) {
	p.phase, p.at = inCompute, 0
	p.left = int64(r.jobs[p.job].compute*r.vary(p) + .5)
}

// vary draws the factor, 1 on average, by which the skew lengthens or shortens a computation or an I/O of a process.
func (r *run) vary(p *process) float64 {
	if r.Skew == 0 {
		return 1
	}
	return 1 + r.Skew*(p.random.Float64()-.5)
}

// communicate begins the next step of the messages of an iteration. After the last step, it counts the iteration as work and
// begins the next one. It returns false when the process has done all its iterations.
func (r *run) communicate(p *process) bool {
	if int(p.at) < len(p.script) {
		p.phase, p.yielded = waiting, false
		if p.script[p.at].to != receives {
			p.phase, p.left = inSend, int64(r.Costs.Host)
		}
		return true
	}
	j := &r.jobs[p.job]
	r.work += j.iteration
	r.useful += j.compute + j.io
	p.iterations--
	if p.iterations == 0 {
		return false
	}
	r.compute(p)
	return true
}

// resume sets when the current process of a node has done what it does: its computation, a send, a receive, or the time for
// which it spins. A process in an I/O does nothing.
func (r *run) resume(n *node, p *process) {
	doing := communicating
	switch p.phase {
	case inIO: // its quantum goes by: only gang scheduling gives it the processor
		r.enter(n, idle)
		n.at[processor] = never
		return
	case waiting:
		if p.pending[p.script[p.at].slot] == 0 {
			r.enter(n, spinning)
			n.at[processor] = r.spinEnd(n, p)
			return
		}
		p.phase, p.left = inCopy, int64(r.Costs.Host)
	case inCompute:
		doing = computing
	}
	r.enter(n, doing)
	n.at[processor] = max(r.now, n.busyUntil) + p.left
}

// activityEnds is called when the current process of a node has computed, sent or received, or has spun in vain. It begins what
// the process does next.
func (r *run) activityEnds(n *node) {
	p := &r.processes[n.current]
	switch p.phase {
	case inCompute:
		if j := &r.jobs[p.job]; j.io > 0 {
			r.startIO(n, p, int64(j.io*r.vary(p)+.5))
			return
		}
	case inSend:
		r.send(n, p.script[p.at])
		p.at++
	case inCopy:
		p.pending[p.script[p.at].slot]--
		p.unread--
		p.at++
	case waiting: // the spin time is over
		if r.Wait == policy.SpinBlock {
			r.block(n, p)
		} else {
			r.yield(n, p)
		}
		return
	}
	if r.communicate(p) {
		r.resume(n, p)
		return
	}
	r.vacate(n)
	r.finish(n, p)
}

// startIO begins an I/O of t nanoseconds, which needs no processor. Under gang scheduling the process keeps the processor;
// otherwise the next process of the node gets it.
func (r *run) startIO(n *node, p *process, t int64) {
	p.phase, p.ioEnd = inIO, r.now+t
	n.at[input] = min(n.at[input], p.ioEnd)
	if r.gang != nil { // the row keeps the processor
		r.resume(n, p)
		return
	}
	r.release(n)
	r.dispatch(n)
}

// ioEnds ends the I/O of the first process of the node whose I/O is over. It sets the timer of the node to the next end of an
// I/O. The process goes on with its messages when it gets the processor.
func (r *run) ioEnds(n *node) {
	var p *process // the first whose I/O has ended; others have their turn at once
	n.at[input] = never
	for _, id := range n.table {
		switch q := &r.processes[id]; {
		case q.phase != inIO:
		case p == nil && q.ioEnd <= r.now:
			p = q
		default:
			n.at[input] = min(n.at[input], q.ioEnd)
		}
	}
	switch goesOn := r.communicate(p); {
	case !goesOn:
		if n.current == p.id {
			n.current = none
		}
		r.finish(n, p)
	case r.gang == nil:
		r.wake(n, p)
	case n.current == p.id:
		r.resume(n, p)
	}
}
