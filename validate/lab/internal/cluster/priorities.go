package cluster

import "time"

// The scheduler of Solaris has 60 levels; higher ones have shorter quanta.
const (
	topLevel   = 59
	leastLeft  = int64(time.Millisecond) // of its quantum a process that is preempted keeps at least this
	raiseEvery = 1000                    // ticks
)

// quanta are the quanta of the time-sharing class by tens of levels, but for the top level.
var quanta = [6]int64{200e6, 160e6, 120e6, 80e6, 40e6, 40e6}

// quantum returns how long, in nanoseconds, a process of a level keeps the processor: less on higher levels, as in the
// time-sharing class of Solaris.
func quantum(level int8) int64 {
	if level == topLevel {
		return 20e6
	}
	return quanta[level/10]
}

// raiseAll raises all processes to the top level, in the order that they have.
func (r *run) raiseAll(n *node) {
	n.raise += raiseEvery * int64(r.Costs.Tick)
	for _, id := range n.table {
		if p := &r.processes[id]; p.level < topLevel {
			r.charge(n, r.Costs.Move, overhead)
			r.toTop(n, p)
		}
	}
}

// toTop gives a process the top level, with a fresh quantum if it had a lower one.
func (r *run) toTop(n *node, p *process) {
	if p.level == topLevel {
		return
	}
	p.level, p.quantum = topLevel, quantum(topLevel)
	if n.current == p.id {
		p.quantumEnd = max(r.now, n.busyUntil) + p.quantum
	}
}
