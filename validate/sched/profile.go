package sched

import (
	"math"
	"math/bits"
	"slices"
)

// profile is the number of nodes that will be free, as far as is known, at any time to come: a step function. Steps are
// in the order of time, neighbours differ in free, the last lasts for ever.
//
// The steps lie in blocks. The profile knows how long nodes stay free within each block, so that a search passes over blocks
// in which a job cannot begin, and a change moves no steps but those of its block.
type profile struct {
	blocks    []*block    // in the order of time, none is empty
	from      []float64   // by block: the time of its first step
	vacancies [][]vacancy // of 2^c nodes, by c and block; each row ends with unknown
	spare     []*block
}

// vacancy says when, within a block, a number of nodes is free. Nothing is known of a block in which nodes were freed; where nodes
// were taken, they may be free for a shorter time than a vacancy says.
type vacancy struct {
	longest float64 // at least the longest time for which they are free; +Inf if nothing is known
	until   float64 // at least the first time at which they are not free; the largest number if there is none
	since   float64 // at most the time from which they are free up to the end of the block; +Inf if they are not
}

// unknown is the vacancy of nodes of which nothing is known.
var unknown = vacancy{longest: math.Inf(1), until: math.MaxFloat64, since: math.Inf(-1)}

// level is a step of a profile: free nodes from a time on.
type level struct {
	from float64
	free int
}

// block is a part of a profile. A block ends where the next one begins.
type block struct {
	n     int // number of steps
	steps [blockSteps]level
	loose bool // vacancies may be too long: nodes were taken
}

// A block has at most blockSteps steps, and powers of 2 to 2^(classes−1) for numbers of nodes.
const blockSteps, classes = 64, 24

// manyBlocks is how many blocks a profile has room for from the beginning: those of hundreds of jobs.
const manyBlocks = 32

// reset makes the profile that of an empty machine.
func (p *profile) reset(nodes int) {
	b := &block{n: 1}
	b.steps[0] = level{math.Inf(-1), nodes}
	p.blocks, p.from = append(p.blocks[:0], b), append(p.from[:0], math.Inf(-1))
	p.vacancies = make([][]vacancy, class(nodes)+1)
	for c := range p.vacancies {
		p.vacancies[c] = append(make([]vacancy, 0, manyBlocks), unknown, unknown)
	}
}

// class returns the largest c for which the number of nodes is at least 2^c.
func class(nodes int) int { return min(max(bits.Len(uint(nodes)), 1), classes) - 1 }

// pass forgets what was before now.
func (p *profile) pass(now float64) {
	for len(p.blocks) > 1 && p.from[1] <= now {
		p.drop(0)
	}
	b, over := p.blocks[0], 0
	for over+1 < b.n && b.steps[over+1].from <= now {
		over++
	}
	if over > 0 {
		b.n = copy(b.steps[:], b.steps[over:b.n])
		p.from[0] = b.steps[0].from
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
	if start <= now {
		return start
	}
	end := p.before(start)
	row := p.vacancies[min(class(nodes), len(p.vacancies)-1)]
	for k := 0; k < end; k++ {
		if row[k].longest < estimate && row[k+1].until-row[k].since < estimate {
			continue
		}
		if p.known(k) || p.known(k+1) {
			k--
			continue
		}
		if at, ok := p.fit(k, now, start, estimate, nodes); ok {
			return at
		}
		if p.blocks[k].loose {
			p.measure(k)
		}
	}
	return max(now, p.back(end-1, start, nodes))
}

// known measures block k if nothing is known of it, and reports whether it did.
func (p *profile) known(k int) bool {
	if k == len(p.blocks) || p.vacancies[0][k] != unknown {
		return false
	}
	p.measure(k)
	return true
}

// before returns the number of blocks that begin before a time.
func (p *profile) before(time float64) int {
	lo, hi := 0, len(p.from)
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); p.from[mid] < time {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// fit returns the earliest time in block k, from now on and before start, from which nodes are free for the time estimate,
// and true; false if there is none.
func (p *profile) fit(k int, now, start, estimate float64, nodes int) (at float64, ok bool) {
	for first := true; k < len(p.blocks); k, first = k+1, false {
		b := p.blocks[k]
		for i := range b.steps[:b.n] {
			s := &b.steps[i]
			switch {
			case ok && s.from >= at+estimate:
				return at, true
			case s.free < nodes:
				ok = false
			case !ok && s.from < start && first:
				at, ok = max(s.from, now), true
			}
			if !ok && (!first || s.from >= start) {
				return 0, false
			}
		}
		if !ok {
			return 0, false
		}
	}
	return at, ok
}

// back returns the time from which nodes are free until start; start if they are not free just before it. Block k is the last that
// begins before start.
func (p *profile) back(k int, start float64, nodes int) float64 {
	at, i := start, p.blocks[k].before(start, false)
	for {
		for b := p.blocks[k]; i > 0; at = b.steps[i].from {
			if i--; b.steps[i].free < nodes {
				return at
			}
		}
		if k == 0 {
			return at
		}
		k--
		i = p.blocks[k].n
	}
}

// before returns the number of steps of a block that begin before a time, or at the time if that counts.
func (b *block) before(time float64, at bool) int {
	lo, hi := 0, b.n
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); b.steps[mid].from < time || at && b.steps[mid].from == time {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// measure finds the vacancies of block k. They are lengthened by a little more than sums are rounded by.
func (p *profile) measure(k int) {
	b := p.blocks[k]
	var found [classes]vacancy // since: of the time that has begun
	for c := range p.vacancies {
		found[c] = vacancy{until: math.MaxFloat64, since: math.Inf(1)}
	}
	open, least := 0, len(p.vacancies)
	for i := range b.steps[:b.n] {
		s := &b.steps[i]
		c := 0
		if s.free > 0 {
			c = class(s.free) + 1
		}
		for ; open < c; open++ {
			found[open].since = s.from
		}
		for ; open > c; open-- {
			f := &found[open-1]
			f.longest, f.since = max(f.longest, s.from-f.since), math.Inf(1)
		}
		for ; least > c; least-- {
			found[least-1].until = s.from
		}
	}
	first, last := math.Abs(b.steps[0].from), math.Abs(b.steps[b.n-1].from)
	rounding := 0x1p-50 * max(first, last)
	for c := range p.vacancies {
		f := &found[c]
		p.vacancies[c][k] = vacancy{min(f.longest+rounding, math.MaxFloat64), min(f.until+rounding, math.MaxFloat64), f.since}
	}
	b.loose = false
}

// changed notes that the free nodes of block k grew by a number, which may be negative.
func (p *profile) changed(k, nodes int) {
	if nodes > 0 {
		p.forget(k)
	} else {
		p.blocks[k].loose = true
	}
}

// forget notes that nothing is known of block k.
func (p *profile) forget(k int) {
	if p.vacancies[0][k] == unknown {
		return
	}
	for c := range p.vacancies {
		p.vacancies[c][k] = unknown
	}
}

// add changes the free nodes from a time to a later one.
func (p *profile) add(from, to float64, nodes int) {
	if !(from < to) || nodes == 0 {
		return
	}
	first, i, before := p.begin(from, nodes)
	k := first
	p.changed(k, nodes)
	for {
		nk, ni := k, i+1
		if ni == p.blocks[k].n {
			nk, ni = k+1, 0
		}
		if nk == len(p.blocks) || p.blocks[nk].steps[ni].from > to {
			p.insert(k, i, level{to, before})
			break
		}
		s := &p.blocks[nk].steps[ni]
		if s.from == to {
			if s.free == p.blocks[k].steps[i].free {
				p.remove(nk, ni)
			}
			break
		}
		before = s.free
		s.free += nodes
		if k, i = nk, ni; i == 0 {
			p.changed(k, nodes)
		}
	}
	p.unite(k)
	p.unite(first)
}

// begin changes the free nodes from a time to the next step. It returns the step, the i-th of block k, and the free nodes
// before the change.
func (p *profile) begin(from float64, nodes int) (k, i, before int) {
	for above := len(p.blocks); above-k > 1; {
		if mid := int(uint(k+above) >> 1); p.from[mid] <= from {
			k = mid
		} else {
			above = mid
		}
	}
	b := p.blocks[k]
	i = max(0, b.before(from, true)-1)
	s := &b.steps[i]
	if before = s.free; s.from < from {
		k, i = p.insert(k, i, level{from, before + nodes})
		return k, i, before
	}
	s.free += nodes
	switch {
	case i > 0 && b.steps[i-1].free == s.free:
		p.remove(k, i)
		return k, i - 1, before
	case i == 0 && k > 0:
		if last := p.blocks[k-1]; last.steps[last.n-1].free == s.free {
			p.remove(k, i)
			return k - 1, last.n - 1, before
		}
	}
	return k, i, before
}

// move gives up the reservation of a job from start on for one from an earlier time at on.
func (p *profile) move(start, at, estimate float64, nodes int) {
	p.add(at, min(at+estimate, start), -nodes)
	p.add(max(at+estimate, start), start+estimate, nodes)
}

// insert puts a step behind the i-th of block k, and returns its place.
func (p *profile) insert(k, i int, s level) (int, int) {
	b := p.blocks[k]
	if b.n == blockSteps {
		half := p.fresh()
		half.n = copy(half.steps[:], b.steps[blockSteps/2:])
		b.n = blockSteps / 2
		p.blocks = slices.Insert(p.blocks, k+1, half)
		p.from = slices.Insert(p.from, k+1, half.steps[0].from)
		for c := range p.vacancies {
			p.vacancies[c] = slices.Insert(p.vacancies[c], k+1, unknown)
		}
		p.forget(k)
		if i >= b.n {
			k, i, b = k+1, i-b.n, half
		}
	}
	i++
	copy(b.steps[i+1:b.n+1], b.steps[i:b.n])
	b.steps[i] = s
	b.n++
	return k, i
}

// remove takes out the i-th step of block k. The step before it then lasts longer.
func (p *profile) remove(k, i int) {
	b := p.blocks[k]
	copy(b.steps[i:b.n], b.steps[i+1:b.n])
	b.n--
	if i == 0 && k > 0 {
		p.forget(k - 1)
	}
	switch {
	case b.n == 0:
		p.drop(k)
	case i == 0:
		p.forget(k)
		p.from[k] = b.steps[0].from
	}
}

// unite makes one block of the k-th block and the next one if they fill half a block.
func (p *profile) unite(k int) {
	if k+1 >= len(p.blocks) || p.blocks[k].n+p.blocks[k+1].n > blockSteps/2 {
		return
	}
	b, next := p.blocks[k], p.blocks[k+1]
	b.n += copy(b.steps[b.n:], next.steps[:next.n])
	p.forget(k)
	p.drop(k + 1)
}

// fresh returns a block that is not in use.
func (p *profile) fresh() *block {
	n := len(p.spare)
	if n == 0 {
		more := make([]block, 8)
		for i := range more {
			p.spare = append(p.spare, &more[i])
		}
		n = len(more)
	}
	b := p.spare[n-1]
	p.spare = p.spare[:n-1]
	return b
}

// drop takes the k-th block out of the profile.
func (p *profile) drop(k int) {
	p.spare = append(p.spare, p.blocks[k])
	p.blocks, p.from = slices.Delete(p.blocks, k, k+1), slices.Delete(p.from, k, k+1)
	for c := range p.vacancies {
		p.vacancies[c] = slices.Delete(p.vacancies[c], k, k+1)
	}
}
