package cluster

import (
	"math/bits"
	"slices"
	"time"

	"github.com/partwise/partwise/models/policy"
)

// stateSet is a set of states of processes, a bit for each.
type stateSet uint8

// The states of processes that could run, or do.
const (
	s1 stateSet = 1 << iota // not in a receive, without messages
	s2                      // not in a receive, with messages
	s3                      // in a receive whose message is there
	s4                      // in a receive whose message is not there
)

// orders are the rules of [policy.Heuristic], A to E: processes in a state of the first set come first.
var orders = [...][]stateSet{
	{s3, s2 | s1},
	{s3, s2, s1},
	{s3 | s2 | s1},
	{s3 | s2, s1},
	{s2, s3, s1},
}

// ranks holds for each rule and state the place of its set in the order; noRank for a state in no set.
var ranks = func() (all [len(orders)][s4 + 1]int8) {
	for rule, sets := range orders {
		for _, state := range []stateSet{s1, s2, s3, s4} {
			all[rule][state] = noRank
			if i := slices.IndexFunc(sets, func(s stateSet) bool { return s&state != 0 }); i >= 0 {
				all[rule][state] = int8(i)
			}
		}
	}
	return all
}()

const noRank = int8(len(orders))

// state returns the state of a process, 0 if it is blocked.
func (p *process) state() stateSet {
	switch {
	case p.phase == inIO || p.blocked:
		return 0
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
	process  *process // nil if there is none
	state    stateSet
	position int // places behind the current process
	looked   int // processes whose messages were looked at
}

// candidate looks for a process to boost, in turn from the current one, or from that so many places behind it: the
// first in the first set, or of those in it the one that has got the least share of the processor.
func (r *run) candidate(n *node, skip int, h policy.Heuristic) candidate {
	m := len(n.table)
	i := 0
	for n.table[i] != n.current {
		i++
	}
	i = (i + skip) % m
	best := candidate{}
	rank, least := noRank, 0.
	for k := range m {
		p := &r.processes[n.table[i]]
		if i++; i == m {
			i = 0
		}
		state := p.state()
		if state == 0 {
			continue
		}
		best.looked++
		at := ranks[h.Rule][state]
		if at == noRank || at > rank || at == rank && !h.Fair {
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
		if at == 0 && !h.Fair {
			break
		}
	}
	return best
}

// share returns the share of the processor that a process has got since it was placed.
func (r *run) share(n *node, p *process) float64 {
	received := p.received
	if n.current == p.id {
		received += n.clock(r.now) - p.since
	}
	return float64(received) / float64(max(r.now-p.started, 1))
}

func (r *run) chargeChecks(n *node, c candidate) {
	r.charge(n, time.Duration(c.looked)*r.Costs.Check, overhead)
}

// boostPeriodically raises the priority of the process that the heuristic chooses.
func (r *run) boostPeriodically(n *node) {
	if n.current == none || len(n.table) == 1 {
		return // there is nobody to choose from
	}
	c := r.candidate(n, 0, r.Boost)
	r.chargeChecks(n, c)
	if c.process == nil {
		return
	}
	if r.measuring {
		r.result.Boosts.ByPosition[c.position]++
		r.result.Boosts.ByState[bits.TrailingZeros8(uint8(c.state))]++
	}
	if c.process.id == n.current {
		r.toTop(n, c.process)
		return
	}
	r.boost(n, c.process)
}
