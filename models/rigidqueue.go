// This file holds the transitions of the chain of rigid jobs.

package models

import "github.com/partwise/partwise/phasetype"

// rigidState is a state of the chain of rigid jobs, without the number of jobs in the system. All other jobs wait behind the window,
// and their sizes are not drawn yet.
type rigidState struct {
	arrival int
	jobs    string // running jobs by phase, as in counts.go
	window  string // the waiting jobs that are tried, in their order: what is known of their sizes, a byte each
}

// rigidQueue is the chain of rigid jobs of which the first that fits among the first tried waiting jobs starts. Level ℓ is the number
// of jobs in the system. The sizes of jobs behind the window are independent of all that has happened.
//
// The size of a job in the window is not drawn either. All that is known of this size is that it did not fit when the most nodes were free
// since the job entered the window. Sizes are numbered from the smallest. So a byte, the least size that the job can have, is the whole
// knowledge, and the sizes from there on have their shares of the arrivals. When more nodes become free, the job starts with the
// probability of the sizes that fit now; otherwise the least size rises. A job is asked before those that wait behind it, so least
// sizes do not increase along the window.
//
//   - An arrival enters the window if the window has room. There it starts if it fits.
//   - A departure lets jobs of the window start, and jobs from behind enter the window, as long as this is possible.
//
// With W = 1 nothing is known of the head but that it does not fit into the nodes that are free now. So the running jobs are
// the whole phase. With L the largest number of running jobs, levels from L + W on have full windows only. From level L + W + 1 on, the
// transitions do not depend on the level.
//
// A state has a transition for each occupied phase and each outcome of the draws. Outcomes of equal running jobs and windows
// are computed once. The time grows with the number of states between the first draw and the last.
type rigidQueue struct {
	*rigidJobs
	arrivals phasetype.MAP
	tried    int // W
	outcomes map[filling][]outcome
}

// filling is a machine before jobs start: running jobs, window, and the number of jobs behind the window.
type filling struct {
	jobs, window string
	behind       int
}

// outcome is a machine after jobs have started, and its probability.
type outcome struct {
	jobs, window string
	p            float64
}

// repeats returns the last boundary level, L + W.
func (q *rigidQueue) repeats() int { return q.most() + q.tried }

// empty returns the states of level 0.
func (q *rigidQueue) empty() (all []rigidState) {
	for a := range q.arrivals.Phases() {
		all = append(all, rigidState{arrival: a, jobs: noCounts(q.phases)})
	}
	return all
}

// behind returns the number of jobs that wait behind the window.
func (s rigidState) behind(level int) int { return level - countTotal(s.jobs) - len(s.window) }

// moves adds the transitions of a state.
func (q *rigidQueue) moves(level int, s rigidState, add func(by int, to rigidState, rate float64)) {
	for to := range q.arrivals.Phases() {
		if rate := q.arrivals.Rate0(s.arrival, to); to != s.arrival && rate > 0 {
			add(0, rigidState{to, s.jobs, s.window}, rate)
		}
		rate := q.arrivals.Rate1(s.arrival, to)
		switch {
		case !(rate > 0):
		case len(s.window) == q.tried:
			add(1, rigidState{to, s.jobs, s.window}, rate)
		default:
			for _, o := range q.fill(s.jobs, s.window, 1) {
				add(1, rigidState{to, o.jobs, o.window}, rate*o.p)
			}
		}
	}
	q.serve(s.jobs, s.window, s.behind(level), func(by int, jobs, window string, rate float64) {
		add(by, rigidState{s.arrival, jobs, window}, rate)
	})
}

// serve adds the transitions of running jobs: changes of phase, and departures with the starts that follow.
func (q *rigidQueue) serve(jobs, window string, behind int, add func(by int, jobs, window string, rate float64)) {
	for j := range q.phases {
		n := countAt(jobs, j)
		if n == 0 {
			continue
		}
		z := q.sizes[q.sizeOf[j]]
		left := countChanged(jobs, j, -1)
		eachMove(z.service, j-z.from, func(to int, rate float64) {
			if to != ended {
				add(0, countChanged(left, z.from+to, 1), window, float64(n)*rate)
				return
			}
			for _, o := range q.fill(left, window, behind) {
				add(-1, o.jobs, o.window, float64(n)*rate*o.p)
			}
		})
	}
}

// fill returns the outcomes of starting jobs, and of letting jobs from behind enter the window, as long as this is possible.
func (q *rigidQueue) fill(jobs, window string, behind int) []outcome {
	// Each job that enters follows a start, or takes a place of the window that is free now.
	free := q.nodes - q.used(jobs)
	key := filling{jobs, window, min(behind, free/q.sizes[0].nodes+q.tried-len(window))}
	all, known := q.outcomes[key]
	if !known {
		all = q.draw(key)
		q.outcomes[key] = all
	}
	return all
}

// draw is fill for outcomes that are not known yet. It goes from step to step, and adds the probabilities of the ways to the same
// machine. In a step the first job of which it is not known whether it fits is asked, or a job enters the window.
func (q *rigidQueue) draw(from filling) (all []outcome) {
	var now, next fillings
	ends := fillings{}
	now.add(from, 1)
	for len(now.all) > 0 {
		next = fillings{}
		for i, f := range now.all {
			fitting := q.fitting(q.used(f.jobs))
			asked := firstUnknown(f.window, fitting)
			switch {
			case asked < len(f.window):
				q.ask(f, asked, fitting, now.p[i], next.add)
			case len(f.window) < q.tried && f.behind > 0:
				next.add(filling{f.jobs, f.window + "\x00", f.behind - 1}, now.p[i])
			default:
				ends.add(filling{jobs: f.jobs, window: f.window}, now.p[i])
			}
		}
		now = next
	}
	for i, f := range ends.all {
		all = append(all, outcome{f.jobs, f.window, ends.p[i]})
	}
	return all
}

// firstUnknown returns the place in the window of the first job that may be of a fitting size, the length of the window if it does not
// exist. The number of sizes that fit is given.
func firstUnknown(window string, fitting int) int {
	for i := range len(window) {
		if int(window[i]) < fitting {
			return i
		}
	}
	return len(window)
}

// ask adds what follows if the job at a place of the window turns out to have each of the fitting sizes, so that it starts, or a larger
// one. p is the probability of the machine before.
func (q *rigidQueue) ask(f filling, place, fitting int, p float64, add func(filling, float64)) {
	least := int(f.window[place])
	rest := f.window[:place] + f.window[place+1:]
	for k := least; k < fitting; k++ {
		z, starts := q.sizes[k], p*q.likely(k, least)
		eachStart(z.service, func(j int, start float64) {
			add(filling{countChanged(f.jobs, z.from+j, 1), rest, f.behind}, starts*start)
		})
	}
	if larger := q.atLeast[fitting]; larger > 0 {
		waits := f.window[:place] + string([]byte{byte(fitting)}) + f.window[place+1:]
		add(filling{f.jobs, waits, f.behind}, p*larger/q.atLeast[least])
	}
}

// fillings are machines with their probabilities, in the order in which they were met.
type fillings struct {
	index map[filling]int
	all   []filling
	p     []float64
}

// add adds the probability of a machine.
func (f *fillings) add(one filling, p float64) {
	i, met := f.index[one]
	if !met {
		if f.index == nil {
			f.index = map[filling]int{}
		}
		i = len(f.all)
		f.index[one] = i
		f.all, f.p = append(f.all, one), append(f.p, 0)
	}
	f.p[i] += p
}
