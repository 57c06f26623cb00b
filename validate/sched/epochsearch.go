package sched

import (
	"fmt"
	"slices"

	"github.com/partwise/partwise/markov/parallel"
)

// ErrSearchTooLarge says that the search for an optimal schedule takes too long. It wraps [parallel.ErrTooLarge].
var ErrSearchTooLarge = fmt.Errorf("the search is %w", parallel.ErrTooLarge)

// search finds a schedule with the fewest epochs for k ≥ 1. It tests whether one epoch is enough for all jobs, then two,
// and so on. Each epoch holds the largest job that is left. That is no restriction, because the order of epochs does not
// matter. An epoch of h jobs with needs M and least width c is feasible if
//
//	M ≤ c+k for all of its jobs,   Σ max(M, c) ≤ N ≤ h·(c+k).
//
// Epochs with many jobs are tried first, and large jobs first. If the jobs of an epoch are the largest ones without a
// gap, no other epoch can do better. Sets of jobs for which a number of epochs was not enough are remembered.
type search struct {
	nodes, k int
	least    []int // needs M of the jobs, descending; jobs are indices of this list
	epochs   []epoch
	tried    int            // epochs tried so far
	failed   map[string]int // by set of jobs: a number of epochs that is not enough
}

// epoch holds the jobs of an epoch and their least width c.
type epoch struct {
	jobs  []int
	width int
}

// mostTried is the largest number of epochs that are tried.
const mostTried = 2_000_000

// findSchedule appends the epochs of the schedule with the fewest epochs to s. jobs are the indices of all jobs of p,
// in descending order of their needs; in an epoch, widths differ by at most k nodes. The state of an earlier search is
// discarded. The error wraps a *[parallel.LimitError] if more than mostTried epochs were tried; s is then unchanged.
func (x *search) findSchedule(p EpochProblem, s *EpochSchedule, jobs []int, k int) error {
	*x = search{nodes: p.Nodes, k: k, failed: map[string]int{}}
	all := make([]int, len(jobs))
	for i, j := range jobs {
		x.least, all[i] = append(x.least, p.Min[j]), i
	}
	for epochs := x.lowerBound(all); !x.fitInto(all, epochs); epochs++ {
		if x.tried > mostTried {
			return x.tooHard(len(jobs), k)
		}
	}
	for start, d := 0, 0; d < len(x.epochs); d++ {
		e := &x.epochs[len(x.epochs)-1-d] // the list is in reverse order
		x.appendEpoch(s, e, start, jobs)
		start += len(e.jobs)
	}
	return nil
}

// lowerBound returns a lower bound on the number of epochs for the remaining jobs rest, indices of x.least. The bound
// is the larger of two numbers. One is the sum of the needs divided by the nodes, rounded up. The other is the number
// of jobs that need more than half of the nodes, because no two of them fit into one epoch.
func (x *search) lowerBound(rest []int) int {
	sum, big := 0, 0
	for _, i := range rest {
		sum += x.least[i]
		if 2*x.least[i] > x.nodes {
			big++
		}
	}
	return max((sum+x.nodes-1)/x.nodes, big)
}

// fitInto reports whether the remaining jobs rest fit into so many epochs of the search. If so, it appends the epochs
// to x.epochs, the last epoch first. If two or more epochs are not enough, it records their number in x.failed, under
// the set of jobs. Jobs are indices of x.least, in ascending order. When mostTried epochs have been tried, the search
// gives up: the result is false.
func (x *search) fitInto(rest []int, epochs int) bool {
	switch {
	case len(rest) == 0:
		return true
	case x.tried > mostTried || x.lowerBound(rest) > epochs:
		return false
	case epochs == 1:
		return x.tryFirstEpochs(rest, epochs)
	}
	set := x.keyOfSet(rest)
	if x.failed[set] >= epochs {
		return false
	}
	ok := x.tryFirstEpochs(rest, epochs)
	if !ok && x.tried <= mostTried {
		x.failed[set] = epochs
	}
	return ok
}

// tryFirstEpochs tries all first epochs for the remaining jobs rest, indices of x.least in ascending order, at least
// one. Each first epoch is followed by the search for the other jobs in at most epochs−1 epochs. The function reports
// whether all jobs found their epochs, which are then appended to x.epochs. A result of false also means that the
// search gave up after mostTried epochs.
func (x *search) tryFirstEpochs(rest []int, epochs int) bool {
	largest, fewest := x.least[rest[0]], 1
	most := min(len(rest), x.nodes/max(1, largest-x.k))
	if epochs == 1 {
		fewest = len(rest)
	}
	for h := most; h >= fewest; h-- {
		even := x.nodes / h
		// c = N/h − k is not tried: all jobs would get N/h nodes, as with c = N/h.
		for c := even; c >= max(1, even+1-x.k, largest-x.k); c-- {
			e := epoch{width: c}
			switch x.chooseJobs(&e, rest, epochs, 0, h, x.nodes-h*c) {
			case found:
				return true
			case hopeless:
				return false
			}
		}
	}
	return false
}

// outcome is the result of an attempt to put jobs into an epoch and to find the epochs of all others.
type outcome uint8

const (
	missed   outcome = iota
	found            // all jobs have their epochs
	hopeless         // neither this epoch nor any other epoch for the same jobs leads to a schedule
)

// chooseJobs tries all ways to add so many more jobs to epoch e, from index i of the remaining jobs rest on. Each way
// is followed by the search for the other jobs in epochs−1 epochs. The outcome is found if a way leads to a schedule,
// and missed otherwise. It is hopeless if no other epoch for the same jobs leads to a schedule, either. excess is the
// largest sum of the needs of the added jobs beyond the least width of the epoch.
//
// Among equal jobs the first are taken. Among jobs that need just more than the least width, as many as possible are
// taken, because the others would be smaller. e is as before afterwards.
func (x *search) chooseJobs(e *epoch, rest []int, epochs, i, jobs, excess int) outcome {
	n := len(e.jobs)
	switch {
	case len(rest)-i < jobs:
		return missed
	case jobs == 0 || x.least[rest[i]] <= e.width:
		e.jobs = append(e.jobs, rest[i:i+jobs]...)
		out := x.searchRest(e, rest, epochs)
		e.jobs = e.jobs[:n]
		return out
	}
	over, end := x.least[rest[i]]-e.width, i+1
	for end < len(rest) && x.least[rest[end]] == x.least[rest[i]] {
		end++
	}
	for t := min(end-i, jobs, excess/over); t >= 0 && (t > 0 || i > 0); t-- {
		e.jobs = append(e.jobs, rest[i:i+t]...)
		out := x.chooseJobs(e, rest, epochs, end, jobs-t, excess-t*over)
		e.jobs = e.jobs[:n]
		if out != missed {
			return out
		}
		if end == len(rest) || x.least[rest[end]] <= e.width {
			break
		}
	}
	return missed
}

// searchRest searches for the epochs of the jobs in rest that are not in epoch e, at most epochs−1 of them. If it finds
// them, it appends e, too, to x.epochs, and the outcome is found. Otherwise the outcome is missed if other epochs in
// place of e may succeed. It is hopeless if e holds the largest jobs of rest without leaving out any between them,
// because no epoch can do better. Each call counts in x.tried; after mostTried calls the search gives up, and the
// outcome is hopeless.
func (x *search) searchRest(e *epoch, rest []int, epochs int) outcome {
	if x.tried++; x.tried > mostTried {
		return hopeless
	}
	after, gap := make([]int, 0, len(rest)), false
	for k, i := range rest {
		if n := k - len(after); n < len(e.jobs) && e.jobs[n] == i {
			gap = gap || len(after) > 0
			continue
		}
		after = append(after, i)
	}
	switch {
	case x.fitInto(after, epochs-1):
		x.epochs = append(x.epochs, epoch{slices.Clone(e.jobs), e.width})
		return found
	case gap:
		return missed
	}
	return hopeless
}

// keyOfSet returns a set of jobs, indices of x.least, as a string of bits: the key under which the search remembers
// that the set failed.
func (x *search) keyOfSet(jobs []int) string {
	key := make([]byte, (len(x.least)+7)/8)
	for _, i := range jobs {
		key[i/8] |= 1 << (i % 8)
	}
	return string(key)
}

// appendEpoch appends the pieces of e, an epoch that was found, to schedule s, from unit start of the quantum on. jobs
// holds the numbers of the jobs in the problem by their index in the search. Remaining nodes go to the jobs with the
// fewest nodes; among equals, to the largest job.
func (x *search) appendEpoch(s *EpochSchedule, e *epoch, start int, jobs []int) {
	var widths, most []int
	left := s.Nodes
	for _, i := range e.jobs {
		width := max(x.least[i], e.width)
		widths, most = append(widths, width), append(most, s.Nodes)
		left -= width
	}
	fillSmallest(widths, most, left, 1)
	from := len(s.Pieces)
	for k, i := range e.jobs {
		s.Pieces = append(s.Pieces, EpochPiece{Job: jobs[i], Width: widths[k]})
	}
	s.placeEpoch(from, start)
}

// tooHard returns the error of a search for an optimal schedule that took too long, about half a second. The error
// wraps a *[parallel.LimitError] and says how many ways were tried.
//
// The number of ways to load an epoch grows exponentially with k and the number of jobs, but few problems need many of
// them. On 128 nodes, with jobs that need four times as many nodes in all, the search took too long for some problems:
// of 32 jobs with k = 16, and of 64 jobs with k = 8.
func (x *search) tooHard(jobs, k int) error {
	what := fmt.Sprintf("no optimal schedule of %d jobs with k = %d found in %d ways to load an epoch", jobs, k, x.tried)
	return fmt.Errorf("sched: %w", &parallel.LimitError{What: what, Resource: parallel.Time, Kind: ErrSearchTooLarge})
}
