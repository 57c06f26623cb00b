// Package decisionprocess divides a machine among its jobs as a Markov decision process, and finds the best policy by policy
// iteration.
package decisionprocess

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
)

// Process is the machine of [models.Sharing] as a Markov decision process in continuous time.
//
// A state has the number of jobs, the number of shares into which the machine is divided, and the phases of what goes on: of the
// running jobs, of the arrivals, of the repartition. A decision follows every event: an arrival, a departure, the end of a
// repartition or a change of phase. The machine stays as it is, or is divided into another number of shares at the cost of the
// repartition C. There is at least one share for each running job. The objective is the mean number of jobs, and with it, by
// Little's law, the mean response time.
//
//	models.System ─► Process (levels 0..L, and what is above) ─► policy iteration ─► Policy and its mean response time
//
// Up to L jobs every stationary policy is allowed. With more jobs the machine is divided into the number of shares by
// which it serves fastest. So the chain above L repeats and is solved once, and nothing is cut off: some policy has the
// mean response time of the optimum. Without this restriction a policy might gain more. A process of at most L jobs,
// where arrivals that find L jobs are lost, bounds this gain.
//
// References: R. A. Howard, Dynamic Programming and Markov Processes, MIT Press, 1960, for policy iteration;
// M. L. Puterman, Markov Decision Processes, Wiley, 1994, chapters 8 and 11; B. Berg, J.-P. Dorsman, M. Harchol-Balter,
// Towards optimality in parallel scheduling, Proc. ACM Meas. Anal. Comput. Syst. 1 (2018) 40, for the best policy where
// resizing is free and sizes are exponential: equal shares for all.
type Process struct {
	Most   int // L
	States int // of all levels

	machine *models.Sharing
	units   int                 // N
	rate    float64             // λ, of the arrivals
	fastest int                 // number of shares by which the machine serves fastest
	decides func(Situation) int // the only rule to evaluate; nil to allow all
	levels  []*processLevel
}

// Situation is the part of a state on which a rule for exponential times may depend.
type Situation struct {
	Jobs, Shares, Running int
	Kind                  byte // of the repartition under way
}

// situationOf returns what such a rule sees of a state with a number of jobs.
func situationOf(jobs int, s models.Shared) Situation {
	return Situation{jobs, s.Shares, s.Running(), s.Kind}
}

// processLevel holds the states with a number of jobs. Level L+1 stands for all levels above L.
type processLevel struct {
	states   []models.Shared
	index    map[models.Shared]int
	events   [][]transition // by state
	lost     [][]transition // in level L: where an arrival that is lost leads
	entry    [][]transition // in level L+1, the departures to level L
	arrived  []decisionPoint
	decision map[models.Shared]int
}

// transition leads to a decision at a level.
type transition struct {
	by       int
	decision int
	rate     float64
}

// decisionPoint is a state to which an event has led, with the divisions that can be chosen in it.
type decisionPoint struct {
	state   models.Shared
	options []division
}

// division is a number of shares, with the states to which it leads and their probabilities.
type division struct {
	shares int
	to     []destination
}

type destination struct {
	state int
	p     float64
}

// New returns the decision process with L = most, but at least N: all its reachable states, or the
// states that one rule reaches if decides is not nil. The error wraps markov.ErrTooLarge if a level has more states
// than the limit.
func New(ctx context.Context, s *models.System, most, limit int, decides func(Situation) int) (*Process, error) {
	machine, err := models.NewSharing(s)
	if err != nil {
		return nil, err
	}
	p := &Process{machine: machine, units: s.Partitions(), rate: s.Arrivals.Rate(), decides: decides}
	if p.fastest, _ = FastestShares(s); p.fastest < p.units && len(s.Classes) > 1 {
		return nil, fmt.Errorf("decide: classes of jobs that the machine serves fastest %d at a time: %w", p.fastest, models.ErrNoChain)
	}
	p.Most = max(most, p.units)
	for range p.Most + 2 {
		p.levels = append(p.levels, &processLevel{index: map[models.Shared]int{}, decision: map[models.Shared]int{}})
	}
	for _, e := range machine.Empty() {
		p.meet(0, e)
	}
	for changed := true; changed; { // states of a level are met from the levels around it
		changed = false
		for l, lev := range p.levels {
			for len(lev.events) < len(lev.states) {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				if len(lev.states) > limit {
					return nil, fmt.Errorf("decide: %w", &parallel.LimitError{Resource: parallel.Time, Kind: markov.ErrTooLarge,
						What: fmt.Sprintf("more than %d states with %d jobs", limit, l)})
				}
				p.expand(l, lev.states[len(lev.events)])
				changed = true
			}
		}
	}
	for _, lev := range p.levels {
		p.States += len(lev.states)
	}
	return p, nil
}

// FastestShares returns the number of shares by which a machine with waiting jobs completes most jobs per unit of time, and this
// rate.
func FastestShares(s *models.System) (shares int, rate float64) {
	for k := 1; k <= s.Partitions(); k++ {
		if r := float64(k) / s.Service[k-1].Mean(); r >= rate {
			shares, rate = k, r
		}
	}
	return shares, rate
}

// meet returns the index of a state of a level, and adds the state if it is new.
func (p *Process) meet(l int, s models.Shared) int {
	lev := p.levels[l]
	i, seen := lev.index[s]
	if !seen {
		i = len(lev.states)
		lev.index[s] = i
		lev.states = append(lev.states, s)
	}
	return i
}

// expand adds the events of the next state of a level, and the states to which they can lead.
func (p *Process) expand(l int, s models.Shared) {
	lev, above := p.levels[l], l == p.Most+1
	var events, lost, entry []transition
	jobs := l
	if above {
		jobs++ // so that a departure leads to level L+1, too
	}
	p.machine.Events(jobs, s, func(by int, to models.Shared, rate float64) {
		at := l + by
		switch {
		case above && by < 0:
			entry = append(entry, transition{-1, p.decide(at, to), rate})
			at = l
		case above:
			at = l
		case l == p.Most && by > 0:
			lost = append(lost, transition{0, p.decide(l, to), rate})
		}
		events = append(events, transition{by, p.decide(at, to), rate})
	})
	lev.events, lev.lost, lev.entry = append(lev.events, events), append(lev.lost, lost), append(lev.entry, entry)
}

// decide returns the index of the decision point for a state to which an event has led. A new decision point is added.
func (p *Process) decide(l int, s models.Shared) int {
	lev := p.levels[l]
	if d, seen := lev.decision[s]; seen {
		return d
	}
	d := len(lev.arrived)
	lev.decision[s] = d
	lev.arrived = append(lev.arrived, decisionPoint{state: s})
	var options []division
	for _, q := range p.choices(l, s) {
		o := division{shares: q}
		p.machine.Divide(l, s, q, func(to models.Shared, prob float64) {
			o.to = append(o.to, destination{p.meet(l, to), prob})
		})
		options = append(options, o)
	}
	lev.arrived[d].options = options
	return d
}

// choices returns the numbers of shares into which the machine may be divided; its present number comes first.
func (p *Process) choices(l int, s models.Shared) []int {
	switch {
	case l == 0:
		return []int{0}
	case l > p.Most:
		return []int{p.fastest}
	case p.decides != nil:
		return []int{p.decides(situationOf(l, s))}
	}
	var all []int
	if s.Shares > 0 {
		all = append(all, s.Shares)
	}
	for q := max(1, s.Running()); q <= p.fastest; q++ {
		if q != s.Shares {
			all = append(all, q)
		}
	}
	return all
}

// bytes returns the memory of an evaluation: for each level a factorisation and the first passages to the level beneath.
func (p *Process) bytes() float64 {
	total, lower := 0.0, 0
	for _, lev := range p.levels {
		n := len(lev.states)
		total += 8 * float64(n) * float64(n+lower)
		lower = n
	}
	n := float64(lower)
	return total + 8*20*n*n // and the chain above L
}
