package sched

import "fmt"

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
	least    []int        // of the jobs, descending
	levels   []epochLevel // by the number of epochs that are left
	tried    int
	failed   map[string]int // the epochs that are not enough for a set of jobs
	key      []byte
}

// epochLevel is an epoch that is being loaded.
type epochLevel struct {
	rest     []int // jobs that are not in an earlier epoch, by their places in descending order
	sum, big int   // of the rest: the nodes that they need; those that need more than half of all
	loaded   []int // places in rest
	width    int   // c
}

const (
	mostTried = 2_000_000 // epochs
	fewTried  = 256       // up to which it does not pay to remember anything
)

// find appends the epochs to a schedule; jobs are in descending order.
func (x *search) find(p EpochProblem, s *EpochSchedule, jobs []int, k int) error {
	x.begin(p, jobs, k)
	n := len(jobs)
	first := epochLevel{}
	for i, m := range x.least {
		first.sum += m
		if 2*m > x.nodes {
			first.big++
		}
		x.levels[0].rest = append(x.levels[0].rest, i)
	}
	for epochs := x.bound(&first); ; epochs++ {
		top := &x.levels[0]
		top.sum, top.big = first.sum, first.big
		if x.enough(0, epochs) {
			break
		}
		if x.tried > mostTried {
			return &LimitError{K: k, Jobs: n, Tried: x.tried}
		}
	}
	start := 0
	for d := 0; len(x.levels[d].rest) > 0; d++ {
		x.append(s, &x.levels[d], start, jobs)
		start += len(x.levels[d].loaded)
	}
	return nil
}

func (x *search) begin(p EpochProblem, jobs []int, k int) {
	x.nodes, x.k, x.tried = p.Nodes, k, 0
	if x.failed == nil {
		x.failed = map[string]int{}
	}
	clear(x.failed)
	x.least = x.least[:0]
	for _, j := range jobs {
		x.least = append(x.least, p.Min[j])
	}
	for len(x.levels) <= len(jobs) {
		x.levels = append(x.levels, epochLevel{})
	}
	x.levels[0].rest = x.levels[0].rest[:0]
}

// bound returns a number of epochs below which the rest cannot be scheduled.
func (x *search) bound(l *epochLevel) int { return max((l.sum+x.nodes-1)/x.nodes, l.big) }

// enough reports whether so many epochs hold the rest of a level, and leaves them in this level and those after it.
func (x *search) enough(depth, epochs int) bool {
	l := &x.levels[depth]
	if len(l.rest) == 0 {
		return true
	}
	if x.tried > mostTried || x.bound(l) > epochs {
		return false
	}
	if x.tried <= fewTried || epochs == 1 {
		return x.load(depth, epochs)
	}
	if x.failed[string(x.set(l.rest))] >= epochs {
		return false
	}
	ok := x.load(depth, epochs)
	if !ok && x.tried <= mostTried {
		x.failed[string(x.set(l.rest))] = epochs
	}
	return ok
}

// load tries to load the epoch of a level, the others after it.
func (x *search) load(depth, epochs int) bool {
	l := &x.levels[depth]
	largest, fewest := x.least[l.rest[0]], 1
	most := min(len(l.rest), x.nodes/max(1, largest-x.k))
	if epochs == 1 {
		fewest = len(l.rest)
	}
	for h := most; h >= fewest; h-- {
		even := x.nodes / h
		// With c = N/h − k all would get N/h nodes, as they do with c = N/h.
		for c := even; c >= max(1, even+1-x.k, largest-x.k); c-- {
			l.loaded, l.width = l.loaded[:0], c
			switch x.choose(depth, epochs, 0, h, x.nodes-h*c) {
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
	hopeless         // and so is any other epoch of this level
)

// choose loads so many more jobs into the epoch of a level, of those from place i of the rest on; what they need beyond
// the least width may add up to excess. Of equal jobs the first are taken; of those that need just more than the least
// width, as many as can be, for the others would be smaller.
func (x *search) choose(depth, epochs, i, jobs, excess int) outcome {
	l := &x.levels[depth]
	n := len(l.loaded)
	switch {
	case len(l.rest)-i < jobs:
		return missed
	case jobs == 0 || x.least[l.rest[i]] <= l.width:
		for k := range jobs {
			l.loaded = append(l.loaded, i+k)
		}
		out := x.proceed(depth, epochs)
		if out != found {
			l.loaded = l.loaded[:n]
		}
		return out
	}
	over := x.least[l.rest[i]] - l.width
	end := i + 1
	for end < len(l.rest) && x.least[l.rest[end]] == x.least[l.rest[i]] {
		end++
	}
	fewest := 0
	if i == 0 {
		fewest = 1
	}
	for t := min(end-i, jobs, excess/over); t >= fewest; t-- {
		for k := range t {
			l.loaded = append(l.loaded, i+k)
		}
		out := x.choose(depth, epochs, end, jobs-t, excess-t*over)
		if out == found {
			return found
		}
		l.loaded = l.loaded[:n]
		if out == hopeless {
			return hopeless
		}
		if end == len(l.rest) || x.least[l.rest[end]] <= l.width {
			break
		}
	}
	return missed
}

// proceed looks for the epochs after one that is loaded.
func (x *search) proceed(depth, epochs int) outcome {
	if x.tried++; x.tried > mostTried {
		return hopeless
	}
	l, after := &x.levels[depth], &x.levels[depth+1]
	after.rest, after.sum, after.big = after.rest[:0], l.sum, l.big
	k := 0
	for i, place := range l.rest {
		if k == len(l.loaded) || l.loaded[k] != i {
			after.rest = append(after.rest, place)
			continue
		}
		k++
		m := x.least[place]
		if after.sum -= m; 2*m > x.nodes {
			after.big--
		}
	}
	if x.enough(depth+1, epochs-1) {
		return found
	}
	if l.loaded[len(l.loaded)-1] == len(l.loaded)-1 {
		return hopeless
	}
	return missed
}

// set writes a set of places as a text.
func (x *search) set(places []int) []byte {
	x.key = zeros(x.key, (len(x.least)+7)/8)
	for _, i := range places {
		x.key[i/8] |= 1 << (i % 8)
	}
	return x.key
}

// append appends the epoch of a level to a schedule. Nodes that are left go to the jobs that have the fewest, of equals
// to the largest.
func (x *search) append(s *EpochSchedule, l *epochLevel, start int, jobs []int) {
	from, left := len(s.Pieces), s.Nodes
	for _, i := range l.loaded {
		place := l.rest[i]
		width := max(x.least[place], l.width)
		s.Pieces = append(s.Pieces, EpochPiece{Job: jobs[place], Width: width, Start: start, End: start + len(l.loaded)})
		left -= width
	}
	pieces := s.Pieces[from:]
	for width := l.width; left > 0; width++ {
		for i := range pieces {
			if pieces[i].Width == width && left > 0 {
				pieces[i].Width++
				left--
			}
		}
	}
	offset := 0
	for i := range pieces {
		pieces[i].Offset = offset
		offset += pieces[i].Width
	}
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
