package sched

import (
	"math"
	"slices"
	"sort"
)

// profile is the number of nodes that will be free, as far as is known, at any time to come: a step function. The first step holds
// now, the last step lasts for ever, and neighbours differ.
type profile []step

// step is a number of free nodes from a time to the next step.
type step struct {
	from float64
	free int
}

// pass forgets what was before now.
func (p *profile) pass(now float64) {
	*p = slices.Delete(*p, 0, p.at(now))
	(*p)[0].from = now
}

// at returns the place of the step that holds a time.
func (p profile) at(time float64) int {
	return sort.Search(len(p)-1, func(i int) bool { return p[i+1].from > time })
}

// end returns the time at which the i-th step ends.
func (p profile) end(i int) float64 {
	if i+1 == len(p) {
		return math.Inf(1)
	}
	return p[i+1].from
}

// earliest returns the earliest time from which nodes are free for the time estimate, or until start, if that comes first: the time to
// which a reservation from start on can be moved, since its own nodes are free to it. It is start if there is no such time.
func (p profile) earliest(start, estimate float64, nodes int) float64 {
	for i := 0; i < len(p) && p[i].from < start; i++ {
		if p[i].free < nodes {
			continue
		}
		at := p[i].from
		for i < len(p) && p[i].free >= nodes {
			if end := p.end(i); end >= start || end >= at+estimate {
				return at
			}
			i++
		}
	}
	return start
}

// add frees nodes from one time to a later one; fewer than 0 are taken.
func (p *profile) add(from, to float64, nodes int) {
	first, last := p.split(from), p.split(to)
	for i := first; i < last; i++ {
		(*p)[i].free += nodes
	}
	p.unite(last)
	p.unite(first)
}

// split returns the place of the step that begins at a time.
func (p *profile) split(time float64) int {
	i := p.at(time)
	if (*p)[i].from < time {
		i++
		*p = slices.Insert(*p, i, step{time, (*p)[i-1].free})
	}
	return i
}

// unite makes a step part of the one before it if they do not differ.
func (p *profile) unite(i int) {
	if i > 0 && (*p)[i].free == (*p)[i-1].free {
		*p = slices.Delete(*p, i, i+1)
	}
}
