package cluster

import (
	"github.com/partwise/partwise/models/policy"
)

// What a process does that waits for a message: it spins; after the spin time it blocks, or it yields.

// spinEnd returns the time, in nanoseconds, at which the current process stops spinning for a message: the spin time from
// now, or never if its policy spins until the message comes.
func (r *run) spinEnd(n *node, p *process) int64 {
	if r.Wait == policy.Spin || r.Wait == policy.SpinYield && p.yielded {
		return never
	}
	return max(r.now, n.busyUntil) + int64(r.Costs.SpinTime)
}

// block takes a process from the processor until the message comes that it waits for.
func (r *run) block(n *node, p *process) {
	p.blocked = true
	r.release(n)
	r.charge(n, r.Costs.Move, overhead)
	r.dispatch(n)
}

// yield puts the current process one level below all others of the node, boosts another one, if any, and spins on.
func (r *run) yield(n *node, p *process) {
	lowest := p.level
	for _, id := range n.table {
		lowest = min(lowest, r.processes[id].level)
	}
	p.yielded = true
	p.level = max(lowest-1, 0)
	p.quantum = quantum(p.level)
	r.charge(n, r.Costs.Move, overhead)
	p.quantumEnd = max(r.now, n.busyUntil) + p.quantum
	c := r.candidate(n, 1, policy.Heuristic{})
	if c.process != nil && c.process != p {
		r.boost(n, c.process)
	}
	n.at[processor] = r.spinEnd(n, p)
}
