package sched

import (
	"fmt"
	"slices"
)

// search finds the fewest epochs for k ≥ 1. It asks whether one epoch is enough for all jobs, then two, and so on. Each
// epoch holds the largest job that is left, which is no restriction, for epochs can change places. With a least width c,
// an epoch of h jobs is feasible if
//
//	M ≤ c+k for all of its jobs,   Σ max(M, c) ≤ N ≤ h·(c+k).
//
// Epochs are tried from many jobs to few, and with large jobs first: where the jobs of an epoch are the largest ones
// without a gap, no other epoch can do better. Sets of jobs for which a number of epochs was not enough are remembered.
type search struct {
	nodes, k int
	least    []int // of the jobs, descending; below, jobs are places in this list
	epochs   []epoch
	tried    int
	failed   map[string]int // the epochs that are not enough for a set of jobs
}

// epoch is the jobs of an epoch and their least width c.
type epoch struct {
	jobs  []int
	width int
}

// mostTried is the most epochs that are tried.
const mostTried = 2_000_000

// find appends the epochs to a schedule; jobs are in descending order.
func (x *search) find(p EpochProblem, s *EpochSchedule, jobs []int, k int) error {
	*x = search{nodes: p.Nodes, k: k, failed: map[string]int{}}
	all := make([]int, len(jobs))
	for i, j := range jobs {
		x.least, all[i] = append(x.least, p.Min[j]), i
	}
	for epochs := x.bound(all); !x.enough(all, epochs); epochs++ {
		if x.tried > mostTried {
			return &LimitError{K: k, Jobs: len(jobs), Tried: x.tried}
		}
	}
	for start, d := 0, 0; d < len(x.epochs); d++ {
		e := &x.epochs[len(x.epochs)-1-d] // the last comes first
		x.append(s, e, start, jobs)
		start += len(e.jobs)
	}
	return nil
}

// bound returns a number of epochs below which jobs cannot be scheduled: none holds two jobs that need more than half of the nodes.
func (x *search) bound(rest []int) int {
	sum, big := 0, 0
	for _, i := range rest {
		if sum += x.least[i]; 2*x.least[i] > x.nodes {
			big++
		}
	}
	return max((sum+x.nodes-1)/x.nodes, big)
}

// enough reports whether so many epochs hold the rest of the jobs, and enters them.
func (x *search) enough(rest []int, epochs int) bool {
	switch {
	case len(rest) == 0:
		return true
	case x.tried > mostTried || x.bound(rest) > epochs:
		return false
	case epochs == 1:
		return x.load(rest, epochs)
	}
	set := x.set(rest)
	if x.failed[set] >= epochs {
		return false
	}
	ok := x.load(rest, epochs)
	if !ok && x.tried <= mostTried {
		x.failed[set] = epochs
	}
	return ok
}

// load tries to load an epoch, the others after it.
func (x *search) load(rest []int, epochs int) bool {
	largest, fewest := x.least[rest[0]], 1
	most := min(len(rest), x.nodes/max(1, largest-x.k))
	if epochs == 1 {
		fewest = len(rest)
	}
	for h := most; h >= fewest; h-- {
		even := x.nodes / h
		// With c = N/h − k all would get N/h nodes, as they do with c = N/h.
		for c := even; c >= max(1, even+1-x.k, largest-x.k); c-- {
			e := epoch{width: c}
			switch x.choose(&e, rest, epochs, 0, h, x.nodes-h*c) {
			case found:
				return true
			case hopeless:
				return false
			}
		}
	}
	return false
}

// outcome is what became of an attempt to load an epoch.
type outcome uint8

const (
	missed   outcome = iota
	found            // all jobs have their epochs
	hopeless         // and so is any other epoch of the same rest
)

// choose loads so many more jobs into an epoch, of those from place i of the rest on; what they need beyond the least width may add
// up to excess. Of equal jobs the first are taken; of those that need just more than the least width, as many as can be, for the
// others would be smaller.
func (x *search) choose(e *epoch, rest []int, epochs, i, jobs, excess int) outcome {
	n := len(e.jobs)
	switch {
	case len(rest)-i < jobs:
		return missed
	case jobs == 0 || x.least[rest[i]] <= e.width:
		e.jobs = append(e.jobs, rest[i:i+jobs]...)
		out := x.proceed(e, rest, epochs)
		e.jobs = e.jobs[:n]
		return out
	}
	over, end := x.least[rest[i]]-e.width, i+1
	for end < len(rest) && x.least[rest[end]] == x.least[rest[i]] {
		end++
	}
	for t := min(end-i, jobs, excess/over); t >= 0 && (t > 0 || i > 0); t-- {
		e.jobs = append(e.jobs, rest[i:i+t]...)
		out := x.choose(e, rest, epochs, end, jobs-t, excess-t*over)
		if e.jobs = e.jobs[:n]; out != missed {
			return out
		}
		if end == len(rest) || x.least[rest[end]] <= e.width {
			break
		}
	}
	return missed
}

// proceed looks for the epochs after one that is loaded.
func (x *search) proceed(e *epoch, rest []int, epochs int) outcome {
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
	case x.enough(after, epochs-1):
		x.epochs = append(x.epochs, epoch{slices.Clone(e.jobs), e.width})
		return found
	case gap:
		return missed
	}
	return hopeless
}

// set writes a set of jobs as a text.
func (x *search) set(jobs []int) string {
	key := make([]byte, (len(x.least)+7)/8)
	for _, i := range jobs {
		key[i/8] |= 1 << (i % 8)
	}
	return string(key)
}

// append appends an epoch to a schedule. Nodes that are left go to the jobs that have the fewest, of equals to the largest.
func (x *search) append(s *EpochSchedule, e *epoch, start int, jobs []int) {
	var widths, most []int
	left := s.Nodes
	for _, i := range e.jobs {
		width := max(x.least[i], e.width)
		widths, most = append(widths, width), append(most, s.Nodes)
		left -= width
	}
	fill(widths, most, left, 1)
	from := len(s.Pieces)
	for k, i := range e.jobs {
		s.Pieces = append(s.Pieces, EpochPiece{Job: jobs[i], Width: widths[k]})
	}
	s.place(from, start)
}

// LimitError says that the search for an optimal schedule has taken too long, about half a second. The number of ways to
// load an epoch grows exponentially with k and the number of jobs, and yet few problems need many of them: on 128 nodes,
// and with jobs that need four times as many together, the search is too long for some problems of 32 jobs with k = 16,
// and for some of 64 jobs with k = 8.
type LimitError struct{ K, Jobs, Tried int }

func (e *LimitError) Error() string {
	return fmt.Sprintf("sched: no optimal schedule of %d jobs with k = %d found in %d ways to load an epoch",
		e.Jobs, e.K, e.Tried)
}
