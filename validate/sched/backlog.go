package sched

import (
	"math"
	"sort"
)

// backlog holds the waiting jobs by the nodes that they need. With n jobs of s different sizes, it finds the first job
// that may be backfilled in O(s·log n). Without it, EASY goes through the whole queue at every event.
type backlog struct {
	sizes []lane // by nodes
}

// lane holds the jobs that need the same number of nodes, in the order of their arrival, and a tournament tree of their
// estimates.
type lane struct {
	nodes, waiting int
	jobs           []backlogJob // started jobs keep their places, with an infinite estimate, until the lane grows
	least          []float64    // binary tree with root 1 and children 2k, 2k+1: least estimate below each node; leaves last
}

// backlogJob is a job with its number in the order of arrival.
type backlogJob struct {
	number   int
	job      JobID
	estimate float64
}

// add puts the waiting job w into the index of the queue. It goes to the end of its lane in b.sizes: the list of jobs
// that need the same number of nodes. A missing lane is inserted. An infinite estimate of w counts as the largest
// number. w arrived after all others; number is its number in the order of arrival, from 0.
func (b *backlog) add(number int, w Waiting) {
	k := b.laneIndex(w.Nodes)
	if k == len(b.sizes) || b.sizes[k].nodes != w.Nodes {
		b.sizes = append(b.sizes, lane{})
		copy(b.sizes[k+1:], b.sizes[k:])
		b.sizes[k] = lane{nodes: w.Nodes}
	}
	b.sizes[k].add(backlogJob{number, w.Job, min(w.Estimate, math.MaxFloat64)})
}

// remove takes a waiting job, which starts now, out of the index of the queue; it must be in the index. number is its
// number in the order of arrival, nodes the number of nodes that it needs. The job keeps its place in its lane, with an
// infinite estimate, so that no search finds it. A lane without waiting jobs forgets all its jobs.
func (b *backlog) remove(number, nodes int) {
	l := &b.sizes[b.laneIndex(nodes)]
	l.setEstimate(l.indexFrom(number), math.Inf(1))
	if l.waiting--; l.waiting == 0 {
		l.jobs = l.jobs[:0]
	}
}

// laneIndex returns the index in b.sizes of the lane for a number of nodes: the list of waiting jobs that need so many.
// Without such a lane it is the index at which the lane is to be inserted.
func (b *backlog) laneIndex(nodes int) int {
	return sort.Search(len(b.sizes), func(k int) bool { return b.sizes[k].nodes >= nodes })
}

// first returns the first job, from the arrival number from on, that may be backfilled. The job fits into the free nodes.
// By its estimate it also ends by the shadow time if it starts now, or it needs at most extra nodes. So the job does not
// delay the head of the queue. nodes is the number of nodes that it needs. ok is false if no job may be backfilled.
func (b *backlog) first(from int, now, shadow float64, free, extra int) (j backlogJob, nodes int, ok bool) {
	shadow = min(shadow, math.MaxFloat64)
	for k := range b.sizes {
		l := &b.sizes[k]
		if l.nodes > free {
			break
		}
		if l.waiting == 0 {
			continue
		}
		// A job within the extra nodes does not delay the head, however long it runs.
		latest := shadow
		if l.nodes <= extra {
			latest = math.MaxFloat64
		}
		if now+l.least[1] > latest { // no job of the lane ends by then
			continue
		}
		if i := l.firstEndingBy(l.indexFrom(from), now, latest); i < len(l.jobs) && (!ok || l.jobs[i].number < j.number) {
			j, nodes, ok = l.jobs[i], l.nodes, true
		}
	}
	return j, nodes, ok
}

// add appends job j to the lane, the list of waiting jobs that need the same number of nodes. It also updates the tree
// of least estimates, by which jobs are found; if the tree is full, [lane.grow] makes room.
func (l *lane) add(j backlogJob) {
	if 2*len(l.jobs) == len(l.least) {
		l.grow()
	}
	l.jobs = append(l.jobs, j)
	l.waiting++
	l.setEstimate(len(l.jobs)-1, j.estimate)
}

// grow makes room in a lane, the list of waiting jobs that need the same number of nodes. It removes the jobs that have
// started. It makes the tree of least estimates anew, with a power of two of leaves: at least 8, and at least twice the
// number of jobs that are left.
func (l *lane) grow() {
	kept, leaves := l.jobs[:0], len(l.least)/2
	for i, j := range l.jobs {
		if l.least[leaves+i] < math.Inf(1) {
			kept = append(kept, j)
		}
	}
	l.jobs = kept
	for leaves = 8; leaves < 2*len(kept); {
		leaves *= 2
	}
	l.least = make([]float64, 2*leaves)
	for i := range l.least {
		l.least[i] = math.Inf(1)
	}
	for i, j := range kept {
		l.least[leaves+i] = j.estimate
	}
	for k := leaves - 1; k > 0; k-- {
		l.least[k] = min(l.least[2*k], l.least[2*k+1])
	}
}

// setEstimate sets the estimate of the i-th job of the lane, from 0, in the tree by which jobs are found. It changes
// the leaf of the job and the tree's nodes above. +Inf takes a job that has started out of searches.
func (l *lane) setEstimate(i int, estimate float64) {
	k := len(l.least)/2 + i
	l.least[k] = estimate
	for k /= 2; k > 0; k /= 2 {
		least := min(l.least[2*k], l.least[2*k+1])
		if l.least[k] == least { // the nodes above do not change either
			break
		}
		l.least[k] = least
	}
}

// indexFrom returns the index of the first job of the lane with the given arrival number or a larger one. It is the
// number of jobs if all numbers are smaller.
func (l *lane) indexFrom(number int) int {
	if n := len(l.jobs); n == 0 || l.jobs[n-1].number < number {
		return n
	}
	return sort.Search(len(l.jobs), func(i int) bool { return l.jobs[i].number >= number })
}

// firstEndingBy returns the index of the first job of the lane, from index i on, that would end by the time latest if it
// started now. The end of a job is now plus its estimate. The result is the number of jobs if no job ends by then.
// latest must be finite: jobs that have started keep their places with infinite estimates, and must not be found.
//
// The search descends the tree of least estimates, in logarithmic time. It compares sums instead of differences, because
// rounding keeps the order of sums.
func (l *lane) firstEndingBy(i int, now, latest float64) int {
	if i >= len(l.jobs) {
		return len(l.jobs)
	}
	leaves := len(l.least) / 2
	k := leaves + i
	for latest < now+l.least[k] { // up to the next subtree that holds such a job
		for k&1 == 1 {
			if k /= 2; k == 0 {
				return len(l.jobs)
			}
		}
		k++
	}
	for k < leaves { // down to the first such job
		if k *= 2; now+l.least[k] > latest {
			k++
		}
	}
	return k - leaves
}
