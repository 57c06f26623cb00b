package sched

import (
	"math"
	"sort"
)

// backlog holds the waiting jobs by the nodes that they need. It finds the first job that may be backfilled in O(s·log n), for
// n jobs of s sizes, without going through the whole queue at every event.
type backlog struct {
	sizes []lane // by nodes
}

// lane holds the jobs that need the same number of nodes, in the order in which they came, and a tournament over their
// estimates.
type lane struct {
	nodes, waiting int
	jobs           []numbered // those that were started keep their places, with an infinite estimate, for a while
	least          []float64  // by node of a binary tree, the root is 1: the least estimate below; the leaves come last
}

// numbered is a job with its place in the order of all arrivals.
type numbered struct {
	number   int
	job      JobID
	estimate float64
}

// add enters a job that came after all others.
func (b *backlog) add(number int, w Waiting) {
	k := b.find(w.Nodes)
	if k == len(b.sizes) || b.sizes[k].nodes != w.Nodes {
		b.sizes = append(b.sizes, lane{})
		copy(b.sizes[k+1:], b.sizes[k:])
		b.sizes[k] = lane{nodes: w.Nodes}
	}
	b.sizes[k].add(numbered{number, w.Job, min(w.Estimate, math.MaxFloat64)})
}

// remove takes out a job that is being started.
func (b *backlog) remove(number, nodes int) {
	l := &b.sizes[b.find(nodes)]
	l.set(l.from(number), math.Inf(1))
	if l.waiting--; l.waiting == 0 {
		l.jobs = l.jobs[:0]
	}
}

// find returns the place of the jobs that need a number of nodes.
func (b *backlog) find(nodes int) int {
	return sort.Search(len(b.sizes), func(k int) bool { return b.sizes[k].nodes >= nodes })
}

// first returns the first job, from the given number on, that fits into the free nodes and either ends by the given time or needs
// no more than extra nodes. ok is false if there is no such job.
func (b *backlog) first(from int, now, by float64, free, extra int) (j numbered, nodes int, ok bool) {
	by = min(by, math.MaxFloat64)
	for k := range b.sizes {
		l := &b.sizes[k]
		if l.nodes > free {
			break
		}
		if l.waiting == 0 {
			continue
		}
		end := by
		if l.nodes <= extra {
			end = math.MaxFloat64
		}
		if i := l.first(l.from(from), now, end); i < len(l.jobs) && (!ok || l.jobs[i].number < j.number) {
			j, nodes, ok = l.jobs[i], l.nodes, true
		}
	}
	return j, nodes, ok
}

func (l *lane) add(j numbered) {
	if 2*len(l.jobs) == len(l.least) {
		l.grow()
	}
	l.jobs = append(l.jobs, j)
	l.waiting++
	l.set(len(l.jobs)-1, j.estimate)
}

// grow makes room for as many jobs again as wait.
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

// set sets the estimate of the i-th job.
func (l *lane) set(i int, estimate float64) {
	k := len(l.least)/2 + i
	l.least[k] = estimate
	for k /= 2; k > 0; k /= 2 {
		l.least[k] = min(l.least[2*k], l.least[2*k+1])
	}
}

// from returns the place of the first job with a number or a greater one.
func (l *lane) from(number int) int {
	if n := len(l.jobs); n == 0 || l.jobs[n-1].number < number {
		return n
	}
	return sort.Search(len(l.jobs), func(i int) bool { return l.jobs[i].number >= number })
}

// first returns the place of the first job, from the i-th place on, that ends by the given time if it starts now, or the number of
// places if there is no such job. Sums are compared rather than differences, because rounding keeps the order of sums.
func (l *lane) first(i int, now, by float64) int {
	if i >= len(l.jobs) {
		return len(l.jobs)
	}
	leaves := len(l.least) / 2
	k := leaves + i
	for now+l.least[k] > by { // up to a subtree that holds one
		for k&1 == 1 {
			if k /= 2; k == 0 {
				return len(l.jobs)
			}
		}
		k++
	}
	for k < leaves { // and down to it
		if k *= 2; now+l.least[k] > by {
			k++
		}
	}
	return k - leaves
}
