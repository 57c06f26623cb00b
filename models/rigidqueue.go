// This file holds the transitions of the chain of rigid jobs.

package models

import "github.com/partwise/partwise/phasetype"

// rigidState is a state of the chain of rigid jobs, without the number of jobs in the system. All other jobs wait behind the window,
// and their sizes are not drawn yet.
type rigidState struct {
	arrival int
	jobs    string // running jobs by phase, as in counts.go
	window  string // sizes of the waiting jobs that are tried, in their order, a byte each; none of them fits
}

// rigidQueue is the chain of rigid jobs of which the first that fits among the first tried waiting jobs starts. Level ℓ is the number
// of jobs in the system. The sizes of jobs behind the window are independent of all that has happened. So a job's size is drawn
// when the job enters the window, and its phase when it starts.
//
//   - An arrival enters the window if the window has room. There it starts if it fits.
//   - A departure lets jobs of the window start, and jobs from behind enter the window, as long as this is possible.
//
// With L the largest number of running jobs, levels from L + W on have full windows only. From level L + W + 1 on, the transitions do
// not depend on the level.
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

// fill returns the outcomes of starting jobs, and of drawing jobs from behind into the window, as long as this is possible.
func (q *rigidQueue) fill(jobs, window string, behind int) []outcome {
	// Each draw starts a job, follows the start of a job of the window, or fills a place of the window that is free now.
	free := q.nodes - q.used(jobs)
	key := filling{jobs, window, min(behind, free/q.least()+q.tried-len(window))}
	all, known := q.outcomes[key]
	if !known {
		all = q.draw(key)
		q.outcomes[key] = all
	}
	return all
}

// draw is fill for outcomes that are not known yet. It goes from step to step, a start or a draw, and adds the probabilities of
// the ways to the same machine.
func (q *rigidQueue) draw(from filling) (all []outcome) {
	var now, next fillings
	ends := fillings{}
	now.add(from, 1)
	for len(now.all) > 0 {
		next = fillings{}
		for i, f := range now.all {
			p := now.p[i]
			fits := q.firstThatFits(f)
			switch {
			case fits >= 0:
				z := q.sizes[f.window[fits]]
				rest := f.window[:fits] + f.window[fits+1:]
				eachStart(z.service, func(j int, start float64) {
					next.add(filling{countChanged(f.jobs, z.from+j, 1), rest, f.behind}, p*start)
				})
			case len(f.window) < q.tried && f.behind > 0:
				for k, z := range q.sizes {
					next.add(filling{f.jobs, f.window + string([]byte{byte(k)}), f.behind - 1}, p*z.share)
				}
			default:
				ends.add(filling{jobs: f.jobs, window: f.window}, p)
			}
		}
		now = next
	}
	for i, f := range ends.all {
		all = append(all, outcome{f.jobs, f.window, ends.p[i]})
	}
	return all
}

// firstThatFits returns the place in the window of the first job that fits into the free nodes, −1 if none does.
func (q *rigidQueue) firstThatFits(f filling) int {
	free := q.nodes - q.used(f.jobs)
	for i := range len(f.window) {
		if q.sizes[f.window[i]].nodes <= free {
			return i
		}
	}
	return -1
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
