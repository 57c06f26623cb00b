package sched

import (
	"math"
	"slices"
)

// profile is the number of nodes that will be free, as far as is known, at any time to come: a step function. Steps are
// in the order of time, neighbours differ in free, the last lasts for ever.
type profile struct {
	steps []level
	head  int // steps[:head] are over
}

// level is a step of a profile: free nodes from a time on.
type level struct {
	from float64
	free int
}

// reset makes the profile that of an empty machine.
func (p *profile) reset(nodes int) {
	p.steps, p.head = append(p.steps[:0], level{math.Inf(-1), nodes}), 0
}

// pass forgets what was before now.
func (p *profile) pass(now float64) {
	for p.head+1 < len(p.steps) && p.steps[p.head+1].from <= now {
		p.head++
	}
	if p.head > 64 && 2*p.head > len(p.steps) {
		p.steps = p.steps[:copy(p.steps, p.steps[p.head:])]
		p.head = 0
	}
}

// anchor returns the earliest time from now on at which the given number of nodes is free for the time estimate; pass
// must have been told of now, and nodes must not exceed those of the machine.
func (p *profile) anchor(now, estimate float64, nodes int) float64 {
	return p.earlier(now, math.Inf(1), estimate, nodes)
}

// earlier returns the earliest time from now on at which a job that has a reservation from start on could begin if it
// gave that up; start if there is none. Before start nodes must be free for it; from start on its own will do.
func (p *profile) earlier(now, start, estimate float64, nodes int) float64 {
	steps := p.steps[p.head:]
	at, fits := now, false
	for i := range steps {
		s := &steps[i]
		switch {
		case s.from >= start:
			if fits {
				return at
			}
			return start
		case fits && s.from >= at+estimate:
			return at
		case s.free < nodes:
			fits = false
		case !fits:
			at, fits = max(s.from, now), true
		}
	}
	if fits {
		return at
	}
	return start
}

// add changes the free nodes from a time to a later one.
func (p *profile) add(from, to float64, nodes int) {
	if !(from < to) {
		return
	}
	i := p.split(from)
	k := p.split(to)
	for j := i; j < k; j++ {
		p.steps[j].free += nodes
	}
	p.join(k)
	p.join(i)
}

// move gives up the reservation of a job from start on for one from an earlier time at on.
func (p *profile) move(start, at, estimate float64, nodes int) {
	p.add(at, min(at+estimate, start), -nodes)
	p.add(max(at+estimate, start), start+estimate, nodes)
}

// split returns the step that begins at a time, after making one if there is none.
func (p *profile) split(at float64) int {
	lo, hi := p.head, len(p.steps)
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); p.steps[mid].from < at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == len(p.steps) || p.steps[lo].from != at {
		free := p.steps[max(lo-1, 0)].free
		p.steps = slices.Insert(p.steps, lo, level{at, free})
	}
	return lo
}

// join unites step i with the one before it if they are alike.
func (p *profile) join(i int) {
	if i > p.head && p.steps[i].free == p.steps[i-1].free {
		p.steps = slices.Delete(p.steps, i, i+1)
	}
}
