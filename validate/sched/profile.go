package sched

import (
	"math"
	"math/bits"
	"slices"
)

// profile is the number of nodes that will be free, as far as is known, at any time to come: a step function. Steps are
// in the order of time, neighbours differ in free, the last lasts for ever.
//
// The steps lie in blocks. Each block knows how long nodes stay free within it, so that a search passes over blocks
// in which a job cannot fit, and a change moves no steps but those of its block.
type profile struct {
	blocks []*block // in the order of time, none is empty
	spare  []*block
}

// level is a step of a profile: free nodes from a time on.
type level struct {
	from float64
	free int
}

// block is a part of a profile. A block ends where the next one begins.
type block struct {
	n     int // number of steps
	steps [blockSteps]level
	// longest[c] is at least the longest time within the block for which 2^c nodes are free.
	longest  [classes]float64
	outdated bool // longest may be too short: nodes were freed
	loose    bool // longest may be too long: nodes were taken
}

// A block has at most blockSteps steps, and powers of 2 to 2^(classes−1) for numbers of nodes.
const blockSteps, classes = 64, 24

// reset makes the profile that of an empty machine.
func (p *profile) reset(nodes int) {
	b := &block{n: 1, outdated: true}
	b.steps[0] = level{math.Inf(-1), nodes}
	p.blocks = append(p.blocks[:0], b)
}

// pass forgets what was before now.
func (p *profile) pass(now float64) {
	for len(p.blocks) > 1 && p.blocks[1].steps[0].from <= now {
		p.drop(0)
	}
	b, over := p.blocks[0], 0
	for over+1 < b.n && b.steps[over+1].from <= now {
		over++
	}
	if over > 0 {
		b.n = copy(b.steps[:], b.steps[over:b.n])
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
	at, fits, class := now, false, min(max(bits.Len(uint(nodes)), 1), classes)-1
search:
	for k, b := range p.blocks {
		steps := b.steps[:b.n]
		end := p.end(k)
		i := 0
		for fits && i < len(steps) {
			switch s := &steps[i]; {
			case s.from >= start || s.from >= at+estimate:
				return at
			case s.free < nodes:
				fits = false
			default:
				i++
			}
		}
		if fits {
			continue
		}
		if b.outdated && end < start {
			b.measure(end)
		}
		if !b.outdated && b.longest[class] < estimate { // a job fits only in the time before start or before the end of the block
			j := len(steps)
			if end >= start {
				j = b.before(start, false)
			}
			m := j
			for m > i && steps[m-1].free >= nodes {
				m--
			}
			if fits = m < j; fits {
				at = max(steps[m].from, now)
			}
			if end >= start {
				break search
			}
			continue
		}
		for ; i < len(steps); i++ {
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
		if b.loose && end < start {
			b.measure(end)
		}
	}
	if fits {
		return at
	}
	return start
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

// end returns the time at which the k-th block ends.
func (p *profile) end(k int) float64 {
	if k+1 == len(p.blocks) {
		return math.Inf(1)
	}
	return p.blocks[k+1].steps[0].from
}

// measure finds the longest times for which nodes are free in a block that ends at a time. The times are lengthened by
// a little more than sums are rounded by.
func (b *block) measure(end float64) {
	var begin [classes]float64
	open := 0
	clear(b.longest[:])
	for i := range b.n {
		s := &b.steps[i]
		c := min(bits.Len(uint(max(s.free, 0))), classes)
		for ; open < c; open++ {
			begin[open] = s.from
		}
		for ; open > c; open-- {
			if long := s.from - begin[open-1]; long > b.longest[open-1] {
				b.longest[open-1] = long
			}
		}
	}
	for ; open > 0; open-- {
		b.longest[open-1] = max(b.longest[open-1], end-begin[open-1])
	}
	rounding := 0x1p-50 * max(math.Abs(b.steps[0].from), math.Abs(end))
	for c := range b.longest {
		b.longest[c] += rounding
	}
	b.outdated, b.loose = false, false
}

// changed notes that the free nodes of a block grew by a number, which may be negative.
func (b *block) changed(nodes int) {
	if nodes > 0 {
		b.outdated = true
	} else {
		b.loose = true
	}
}

// add changes the free nodes from a time to a later one.
func (p *profile) add(from, to float64, nodes int) {
	if !(from < to) || nodes == 0 {
		return
	}
	first, i, before := p.begin(from, nodes)
	k := first
	p.blocks[k].changed(nodes)
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
			p.blocks[k].changed(nodes)
		}
	}
	p.unite(k)
	p.unite(first)
}

// begin changes the free nodes from a time to the next step. It returns the step, the i-th of block k, and the free nodes
// before the change.
func (p *profile) begin(from float64, nodes int) (k, i, before int) {
	for above := len(p.blocks); above-k > 1; {
		if mid := int(uint(k+above) >> 1); p.blocks[mid].steps[0].from <= from {
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
		half.longest, half.outdated, half.loose = b.longest, b.outdated, true
		half.n = copy(half.steps[:], b.steps[blockSteps/2:])
		b.n, b.loose = blockSteps/2, true
		p.blocks = slices.Insert(p.blocks, k+1, half)
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
		p.blocks[k-1].outdated = true
	}
	if b.n == 0 {
		p.drop(k)
	}
}

// unite makes one block of the k-th block and the next one if they fill half a block.
func (p *profile) unite(k int) {
	if k+1 >= len(p.blocks) || p.blocks[k].n+p.blocks[k+1].n > blockSteps/2 {
		return
	}
	b, next := p.blocks[k], p.blocks[k+1]
	b.n += copy(b.steps[b.n:], next.steps[:next.n])
	b.outdated = true
	p.drop(k + 1)
}

// fresh returns a block that is not in use.
func (p *profile) fresh() *block {
	n := len(p.spare)
	if n == 0 {
		return new(block)
	}
	b := p.spare[n-1]
	p.spare = p.spare[:n-1]
	return b
}

// drop takes the k-th block out of the profile.
func (p *profile) drop(k int) {
	p.spare = append(p.spare, p.blocks[k])
	p.blocks = slices.Delete(p.blocks, k, k+1)
}
