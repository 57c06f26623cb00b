// This file holds the transitions of the chain of rigid jobs.

package models

import (
	"github.com/partwise/partwise/models/internal/counts"
	"github.com/partwise/partwise/models/internal/rigidjobs"
	"github.com/partwise/partwise/phasetype"
)

// rigidState is a state of the chain of rigid jobs, without the number of jobs in the system. All other jobs wait behind the window,
// and their sizes are not drawn yet.
type rigidState struct {
	arrival int
	rigidMachine
}

// rigidMachine is what is known of the running jobs and of the window.
type rigidMachine struct {
	jobs   string // running jobs by phase, as in package counts
	window string // the waiting jobs that are tried, in their order: what is known of their sizes, a byte each
}

// rigidQueue is the chain of rigid jobs of which the first that fits among the first tried waiting jobs starts. Level ℓ is the number
// of jobs in the system. The sizes of jobs behind the window are independent of all that has happened.
//
// The size of a job in the window is not drawn either. All that is known of this size is that it did not fit when the
// most nodes were free since the job entered the window. Sizes are numbered from the smallest. So a byte, the least
// size that the job can have, is all that is known. The job has this size or a larger one, in proportion to their
// shares of the arrivals. When more nodes become free, the job starts with the probability of the sizes that fit now;
// otherwise the least size rises. A job is asked before the jobs that wait behind it, so least sizes do not increase
// along the window.
//
//   - An arrival enters the window if the window has room. There it starts if it fits.
//   - A departure lets jobs of the window start, and jobs from behind enter the window, as long as this is possible.
//
// With W = 1 nothing is known of the head but that it does not fit into the nodes that are free now. So the running jobs are
// the whole phase. With L the largest number of running jobs, levels from L + W on have full windows only. From level L + W + 1
// on, the transitions do not depend on the level.
//
// While jobs are asked or enter the window, no time passes. The states on the way are instantaneous. The saturated machine is
// solved with them, because without them a state has a transition for each outcome of all draws.
type rigidQueue struct {
	*rigidjobs.Jobs
	arrivals phasetype.MAP
	tried    int // W
	settled  map[unsettledMachine][]outcome
}

// unsettledMachine is a machine in an instantaneous state, with the number of jobs behind the window.
type unsettledMachine struct {
	rigidMachine
	behind int
}

// outcome is a machine after all starts, and its probability.
type outcome struct {
	rigidMachine
	p float64
}

// repeats returns the last boundary level, L + W.
func (q *rigidQueue) repeats() int { return q.Most() + q.tried }

// empty returns the states of level 0.
func (q *rigidQueue) empty() (all []rigidState) {
	for a := range q.arrivals.Phases() {
		all = append(all, rigidState{a, rigidMachine{jobs: counts.None(q.Phases)}})
	}
	return all
}

// behind returns the number of jobs that wait behind the window.
func (s rigidState) behind(level int) int { return level - counts.Total(s.jobs) - len(s.window) }

// instantaneous reports whether a job of the window has to be asked, or a job from behind enters the window.
func (q *rigidQueue) instantaneous(m rigidMachine, behind int) bool {
	return q.firstUnasked(m) < len(m.window) || len(m.window) < q.tried && behind > 0
}

// firstUnasked returns the place of the first job of the window that may be of a size that fits. Without such a job it is the
// length of the window.
func (q *rigidQueue) firstUnasked(m rigidMachine) int {
	fitting := q.Fitting(q.Used(m.jobs))
	for i := range len(m.window) {
		if int(m.window[i]) < fitting {
			return i
		}
	}
	return len(m.window)
}

// moves adds the transitions of a state of a level. Those of an instantaneous state have probabilities for rates.
func (q *rigidQueue) moves(level int, s rigidState, add func(by int, to rigidState, rate float64)) {
	if behind := s.behind(level); q.instantaneous(s.rigidMachine, behind) {
		q.settle(s.rigidMachine, func(to rigidMachine, p float64) { add(0, rigidState{s.arrival, to}, p) })
		return
	}
	for to := range q.arrivals.Phases() {
		if rate := q.arrivals.Rate0(s.arrival, to); to != s.arrival && rate > 0 {
			add(0, rigidState{to, s.rigidMachine}, rate)
		}
		if rate := q.arrivals.Rate1(s.arrival, to); rate > 0 {
			add(1, rigidState{to, s.rigidMachine}, rate)
		}
	}
	q.serve(s.rigidMachine, func(by int, to rigidMachine, rate float64) { add(by, rigidState{s.arrival, to}, rate) })
}

// settledMoves adds the transitions of a state to states that are not instantaneous.
func (q *rigidQueue) settledMoves(level int, s rigidState, add func(by int, to rigidState, rate float64)) {
	q.moves(level, s, func(by int, to rigidState, rate float64) {
		for _, o := range q.outcomes(to.rigidMachine, to.behind(level+by)) {
			add(by, rigidState{to.arrival, o.rigidMachine}, rate*o.p)
		}
	})
}

// serve adds the transitions of running jobs: changes of phase, and departures before other jobs start.
func (q *rigidQueue) serve(m rigidMachine, add func(by int, to rigidMachine, rate float64)) {
	for j := range q.Phases {
		n := counts.At(m.jobs, j)
		if n == 0 {
			continue
		}
		z := q.Sizes[q.SizeOf[j]]
		left := counts.Changed(m.jobs, j, -1)
		eachMove(z.Service, j-z.From, func(to int, rate float64) {
			if to == ended {
				add(-1, rigidMachine{left, m.window}, float64(n)*rate)
				return
			}
			add(0, rigidMachine{counts.Changed(left, z.From+to, 1), m.window}, float64(n)*rate)
		})
	}
}

// settle adds the states that follow an instantaneous state: a job of the window, or the job that enters the window, is asked.
func (q *rigidQueue) settle(m rigidMachine, add func(to rigidMachine, p float64)) {
	place := q.firstUnasked(m)
	if place == len(m.window) { // a job enters, and is asked
		m.window += "\x00"
	}
	fitting, least := q.Fitting(q.Used(m.jobs)), int(m.window[place])
	rest := m.window[:place] + m.window[place+1:]
	for k := least; k < fitting; k++ {
		z := q.Sizes[k]
		eachStart(z.Service, func(j int, start float64) {
			add(rigidMachine{counts.Changed(m.jobs, z.From+j, 1), rest}, q.Likely(k, least)*start)
		})
	}
	if larger := q.AtLeast[fitting] / q.AtLeast[least]; larger > 0 {
		add(rigidMachine{m.jobs, m.window[:place] + string([]byte{byte(fitting)}) + m.window[place+1:]}, larger)
	}
}

// outcomes returns where instantaneous states lead in the end, with probabilities. Outcomes of equal machines are computed once.
func (q *rigidQueue) outcomes(m rigidMachine, behind int) []outcome {
	if !q.instantaneous(m, behind) {
		return []outcome{{m, 1}}
	}
	// Each job that enters follows a start, or takes a place of the window that is free now.
	free := q.Nodes - q.Used(m.jobs)
	key := unsettledMachine{m, min(behind, free/q.Sizes[0].Nodes+q.tried-len(m.window))}
	if all, known := q.settled[key]; known {
		return all
	}
	var all []outcome
	index := map[rigidMachine]int{}
	q.settle(m, func(to rigidMachine, p float64) {
		entered := counts.Total(to.jobs) + len(to.window) - counts.Total(m.jobs) - len(m.window)
		for _, o := range q.outcomes(to, key.behind-entered) {
			i, met := index[o.rigidMachine]
			if !met {
				i = len(all)
				index[o.rigidMachine] = i
				all = append(all, outcome{rigidMachine: o.rigidMachine})
			}
			all[i].p += p * o.p
		}
	})
	q.settled[key] = all
	return all
}
