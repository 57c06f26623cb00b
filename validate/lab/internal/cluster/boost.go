package cluster

import (
	"time"

	"github.com/partwise/partwise/models/policy"
)

// processState is what a process could do with the processor.
type processState uint8

const (
	unable processState = iota // blocked, or in an I/O
	s1                         // not in a receive, without messages
	s2                         // not in a receive, with messages
	s3                         // in a receive whose message is there
	s4                         // in a receive whose message is not there
	processStates
)

// ranks are the rules of [policy.Heuristic], A to E: a process of the least rank is boosted. States without a rank are not.
var ranks = [...][processStates]uint8{
	{s3: 1, s2: 2, s1: 2},
	{s3: 1, s2: 2, s1: 3},
	{s3: 1, s2: 1, s1: 1},
	{s3: 1, s2: 1, s1: 2},
	{s2: 1, s3: 2, s1: 3},
}

// state returns what a process could do with the processor, by which heuristics rank the processes of a node.
func (p *process) state() processState {
	switch {
	case p.phase == inIO || p.blocked:
		return unable
	case p.phase == inCopy || p.phase == waiting && p.pending[p.script[p.at].slot] > 0:
		return s3
	case p.phase == waiting:
		return s4
	case p.unread > 0:
		return s2
	}
	return s1
}

// candidate is a process to boost.
type candidate struct {
	process  *process // nil: no process can be boosted
	state    processState
	position int // places behind the current process
}

// candidate returns the process to boost; its field process is nil if no process can be boosted. It looks at the processes of
// node n in turn, beginning with the process skip places behind the current one. It takes the first process of the least rank. If
// the heuristic is fair, it takes the process of this rank that has got the least share of the processor. The kernel looks at the
// messages of each process.
func (r *run) candidate(n *node, skip int, h policy.Heuristic) candidate {
	m := len(n.table)
	i := 0
	for n.table[i] != n.current {
		i++
	}
	i = (i + skip) % m
	best, looked := candidate{}, time.Duration(0)
	rank, least := uint8(processStates), 0.
	for k := range m {
		p := &r.processes[n.table[i]]
		if i++; i == m {
			i = 0
		}
		state := p.state()
		if state == unable {
			continue
		}
		looked++
		at := ranks[h.Rule][state]
		if at == 0 || at > rank || at == rank && !h.Fair {
			continue
		}
		share := 0.
		if h.Fair {
			if share = r.share(n, p); at == rank && share >= least {
				continue
			}
		}
		rank, least = at, share
		best.process, best.state, best.position = p, state, (k+skip)%m
		if at == 1 && !h.Fair {
			break
		}
	}
	r.charge(n, looked*r.Costs.Check, overhead)
	return best
}

// share returns the share of its time on the node that a process has had the processor, between 0 and 1. Fair heuristics
// boost the process with the least share.
func (r *run) share(n *node, p *process) float64 {
	received := p.received
	if n.current == p.id {
		received += n.clock(r.now) - p.since
	}
	return float64(received) / float64(max(r.now-p.started, 1))
}

// boostPeriodically raises the priority of a process of the node, which the heuristic chooses, to the top. The result counts
// the boost by the state and the place of the process.
func (r *run) boostPeriodically(n *node) {
	if n.current == none || len(n.table) == 1 {
		return // there is nobody to choose from
	}
	c := r.candidate(n, 0, r.Boost)
	if c.process == nil {
		return
	}
	if r.measuring {
		r.result.Boosts.ByPosition[c.position]++
		r.result.Boosts.ByState[c.state-s1]++
	}
	if c.process.id == n.current {
		r.toTop(n, c.process)
		return
	}
	r.boost(n, c.process)
}
