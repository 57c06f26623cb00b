package sched

import (
	"math"
	"math/bits"
	"slices"
)

// profile is the number of nodes that are expected to be free at any future time: a step function of time, whose last
// step has no end. Conservative backfilling finds and moves its reservations in it.
//
// The steps are a linked list. A reservation points to the steps at its start and end. So it can be moved at a cost
// that does not depend on the length of the list. For searches, the list is divided into blocks of consecutive steps.
// The profile knows how long nodes stay free within each block, so a search skips the blocks in which a job cannot
// begin.
type profile struct {
	now         float64
	first       *step    // step that contains now
	blocks      []*block // in the order of time; every block has steps
	classes     int      // number of classes of numbers of nodes, see class
	freed       freed    // where nodes were freed since the last call of renew
	freedBefore freed    // where nodes were freed between that call and the one before
	spareSteps  *step    // list of unused steps
	spareBlocks []*block // unused blocks
}

// step is a number of free nodes from a time to the next step. Neighbouring steps differ in free, unless a reservation
// begins or ends between them.
type step struct {
	from       float64
	free, uses int32 // uses: number of reservations that begin or end with the step
	prev, next *step
	block      *block
}

// block is a part of a profile. A block ends where the next one begins.
type block struct {
	from      float64 // time of the first step
	first     *step
	n, place  int                  // number of steps; index in the list of blocks
	known     bool                 // vacancies are known
	loose     bool                 // vacancies may be too long, because nodes were taken since
	vacancies [mostClasses]vacancy // by class of nodes
}

// vacancy describes when, within a block, the nodes of a class are free.
type vacancy struct {
	longest float64 // upper bound on the longest time for which they are free
	until   float64 // upper bound on the first time at which they are not free; the largest number if they are always free
	since   float64 // lower bound on the time from which they are free up to the end of the block; +Inf if they are not
}

// reservation is the reservation of a waiting job.
type reservation struct {
	start    float64
	from, to *step // steps that begin at start, and at the end of the reservation
}

// blockSteps is the largest number of steps of a block.
const blockSteps = 64

// mostClasses is the largest number of classes of numbers of nodes. Class c holds 2^c to 2^(c+1)−1 nodes.
const mostClasses = 31

// class returns ⌊log₂ nodes⌋, the class of a number of nodes; 0 for no nodes. A profile keeps bounds for whole classes,
// by which searches for reservations pass over parts of it.
func class(nodes int) int { return classesTo(int32(max(nodes, 1))) - 1 }

// classesTo returns how many classes of numbers of nodes, 1, 2–3, 4–7, …, begin at or below the given number. It is
// ⌊log₂ nodes⌋ + 1, or 0 for no nodes.
func classesTo(nodes int32) int { return bits.Len32(uint32(max(nodes, 0))) }

// reset sets the profile, the expected number of free nodes over time, to the profile of an empty machine. All the
// given nodes are free at any time, and the present time is −Inf. The records of freed nodes become empty.
func (p *profile) reset(nodes int) {
	p.now, p.classes = math.Inf(-1), class(nodes)+1
	b := p.newBlock()
	p.first = p.newStep(step{from: math.Inf(-1), free: int32(nodes), block: b})
	b.first, b.from, b.n = p.first, p.first.from, 1
	p.blocks = append(p.blocks[:0], b)
	p.freed.longest, p.freedBefore.longest = make([]bySpan, p.classes), make([]bySpan, p.classes)
}

// advance sets the present time of the profile to now, from which later searches begin. It forgets the numbers of free
// nodes before. Each decision of conservative backfilling begins with it.
func (p *profile) advance(now float64) {
	p.now = now
	for p.first.next != nil && p.first.next.from <= now {
		p.removeStep(p.first)
	}
}

// earliest returns the earliest time, from now on and before start, from which so many nodes are free for the time
// estimate. It also returns the step of the profile that contains this time; nil and 0 if no such time lies before start.
// Reservations of conservative backfilling are made at this time.
//
// The search begins in block k of p.blocks. It passes over blocks in which, by their vacancies, the nodes are free for
// a shorter time. Vacancies that are unknown are measured. Loose vacancies are marked as unknown if they allow a job
// that does not fit.
func (p *profile) earliest(k int, start, estimate float64, nodes int) (*step, float64) {
	class := class(nodes)
	for ; k < len(p.blocks) && p.blocks[k].from < start; k++ {
		b := p.blocks[k]
		p.measureVacancies(b)
		if v := &b.vacancies[class]; v.longest < estimate {
			until := math.MaxFloat64
			if k+1 < len(p.blocks) {
				p.measureVacancies(p.blocks[k+1])
				until = p.blocks[k+1].vacancies[class].until
			}
			if until-v.since < estimate {
				continue
			}
		}
		if s, at := p.fitInBlock(b, start, estimate, int32(nodes)); s != nil {
			return s, at
		}
		if b.loose {
			b.known = false
		}
	}
	return nil, 0
}

// fitInBlock searches one block of the profile for the start of a reservation. It returns the first step that begins
// before the time start and from which so many nodes are free for the time estimate. The reservation itself may reach
// beyond start, and the nodes may be free into later blocks. fitInBlock also returns the time at which the nodes become
// free, at the earliest now. found is nil and at 0 if no step of block b will do.
func (p *profile) fitInBlock(b *block, start, estimate float64, nodes int32) (found *step, at float64) {
	for s := b.first; s != nil; s = s.next {
		switch {
		case found != nil && s.from >= at+estimate:
			return found, at
		case s.free < nodes:
			found = nil
		case found == nil && s.from < start && s.block == b:
			found, at = s, max(s.from, p.now)
		}
		if found == nil && (s.block != b || s.from >= start) {
			return nil, 0
		}
	}
	return found, at
}

// measureVacancies sets b.vacancies, by which searches pass over block b. They describe, for each class of numbers of
// nodes, the times at which so many nodes are free. until is the first time of the block at which they are not free.
// longest is the length of the longest stretch of free times that ends within the block. since is the beginning of the
// stretch that reaches the end of the block, +Inf if there is no such stretch. Nothing is done if the vacancies are
// known. longest and until are raised by more than the rounding error of sums, so that [profile.earliest] passes over
// no block in which a job fits.
func (p *profile) measureVacancies(b *block) {
	if b.known {
		return
	}
	b.known, b.loose = true, false
	for c := range p.classes {
		b.vacancies[c] = vacancy{until: math.MaxFloat64, since: math.Inf(1)}
	}
	open, least := 0, p.classes
	s, last := b.first, b.first
	for range b.n {
		c := classesTo(s.free)
		for ; open < c; open++ {
			b.vacancies[open].since = s.from
		}
		for ; open > c; open-- {
			v := &b.vacancies[open-1]
			v.longest, v.since = max(v.longest, s.from-v.since), math.Inf(1)
		}
		for ; least > c; least-- {
			b.vacancies[least-1].until = s.from
		}
		s, last = s.next, s
	}
	slack := rounding(b.from, last.from)
	for c := range p.classes {
		v := &b.vacancies[c]
		v.longest, v.until = min(v.longest+slack, math.MaxFloat64), min(v.until+slack, math.MaxFloat64)
	}
}

// rounding returns a bound on the rounding error of the sum of the times a and b. Bounds are widened by it, so that
// they stay bounds.
func rounding(a, b float64) float64 { return 0x1p-50 * max(math.Abs(a), math.Abs(b)) }

// stepAt returns the step of the profile that contains the time at: the number of free nodes then. A time before the
// first step gives the first step. The block is found by bisection; the profile must have one.
func (p *profile) stepAt(at float64) *step {
	lo, hi := 0, len(p.blocks)
	for hi-lo > 1 {
		if mid := int(uint(lo+hi) >> 1); p.blocks[mid].from <= at {
			lo = mid
		} else {
			hi = mid
		}
	}
	s := p.blocks[lo].first
	for s.next != nil && s.next.from <= at {
		s = s.next
	}
	return s
}

// reserve makes a reservation of so many nodes from time at on, for the time estimate. It takes the nodes out of the
// profile, and returns the reservation. Step s contains at.
func (p *profile) reserve(s *step, at, estimate float64, nodes int) reservation {
	from := p.splitAt(s, at)
	to := p.takeNodes(from, at+estimate, int32(nodes))
	from.uses++
	to.uses++
	return reservation{at, from, to}
}

// moveReservation replaces reservation r, of so many nodes for the time estimate, by an earlier one from time at on,
// which step s contains. It returns the new reservation and updates the profile.
func (p *profile) moveReservation(r reservation, s *step, at, estimate float64, nodes int) reservation {
	if at+estimate < r.start {
		moved := p.reserve(s, at, estimate, nodes)
		p.freeNodes(r.from, r.to, int32(nodes))
		p.releaseStep(r.from)
		p.releaseStep(r.to)
		return moved
	}
	from, to := p.splitAt(s, at), r.to
	p.takeNodes(from, r.start, int32(nodes))
	for to.from > at+estimate {
		to = to.prev
	}
	to = p.splitAt(to, at+estimate)
	from.uses++
	to.uses++
	p.freeNodes(to, r.to, int32(nodes))
	p.releaseStep(r.from)
	p.releaseStep(r.to)
	return reservation{at, from, to}
}

// moveEarlier moves reservation r, of so many nodes for the time estimate, to the earliest time that the other
// reservations allow. It returns the new reservation; r itself if it cannot be earlier. The profile is updated. Nodes
// must be free from the new start up to the present start; from there on the reservation has its own nodes. This is the
// compression of conservative backfilling. A search that fails is recorded in p.freed and p.freedBefore, so that it is
// not repeated.
func (p *profile) moveEarlier(r reservation, estimate float64, nodes int) reservation {
	c := class(nodes)
	switch {
	case r.start <= p.now:
		return r
	case p.freed.mayAllow(c, r.start, estimate) || p.freedBefore.mayAllow(c, r.start, estimate):
		k := min(p.firstBlock(&p.freed, c, r.start, estimate), p.firstBlock(&p.freedBefore, c, r.start, estimate))
		if s, at := p.earliest(k, r.start, estimate, nodes); s != nil {
			return p.moveReservation(r, s, at, estimate, nodes)
		}
		p.freed.excludeBefore(r.start, estimate, nodes)
		p.freedBefore.excludeBefore(r.start, estimate, nodes)
	}
	if s := p.freeSince(r.from, int32(nodes)); s != r.from {
		return p.moveReservation(r, s, max(p.now, s.from), estimate, nodes)
	}
	return r
}

// freeSince returns the earliest step from which on so many nodes are free until step s. It returns s if they are not
// free just before it. A reservation that begins with s can be moved there, because its own nodes are free from s on.
func (p *profile) freeSince(s *step, nodes int32) *step {
	for s.prev != nil && s.prev.free >= nodes {
		s = s.prev
	}
	return s
}

// releaseStep records that one reservation less begins or ends at the begin of step s. If no reservation does, the step
// is merged with the one before, where both have the same number of free nodes. s must not be used afterwards.
func (p *profile) releaseStep(s *step) {
	s.uses--
	p.mergeStep(s)
}

// forgetStarted forgets r, the reservation of a job that starts, except for its nodes. The nodes stay taken until the
// expected end, r.start + estimate. The reservation no longer uses the step at the expected end, so that the step may
// be merged. Nothing is done if the expected end is not later than now: its step, like the step at the start, lies in
// the past.
func (p *profile) forgetStarted(r reservation, estimate float64) {
	if r.start+estimate > p.now {
		p.releaseStep(r.to)
	}
}

// mergeStep merges step s of the profile with the step before it, so that the profile stays short. It does so if both
// have the same number of free nodes and no reservation begins or ends between them. s must not be used afterwards.
func (p *profile) mergeStep(s *step) {
	if s.uses == 0 && s.prev != nil && s.prev.free == s.free {
		p.removeStep(s)
	}
}

// freeFromNow adds so many nodes to the free nodes from now until time to, because a job ended before its expected end.
// Nothing changes if to is not later than now, or without nodes.
func (p *profile) freeFromNow(to float64, nodes int) {
	if !(p.now < to) || nodes == 0 {
		return
	}
	first, last := p.splitAt(p.first, p.now), p.splitAt(p.stepAt(to), to)
	p.freeNodes(first, last, int32(nodes))
	p.mergeStep(last)
	p.mergeStep(first)
}

// takeNodes subtracts so many nodes from the free nodes from step s until time to, for a reservation. It returns the
// step that begins at this time, and splits a step if necessary. The vacancies of the changed blocks stay as upper
// bounds.
func (p *profile) takeNodes(s *step, to float64, nodes int32) *step {
	for s.from < to {
		if s.next == nil || s.next.from > to {
			p.splitAt(s, to)
		}
		s.free -= nodes
		s.block.loose = true
		s = s.next
	}
	return s
}

// freeNodes adds so many nodes to the free nodes of all steps from one step up to another, excluding the last. It is
// needed when a job or a reservation ends earlier. The steps are noted in p.freed, because other reservations may now
// begin earlier. The vacancies of the changed blocks are measured anew when a search needs them.
func (p *profile) freeNodes(from, to *step, nodes int32) {
	if from == to {
		return
	}
	least := from.free
	for s := from; s != to; s = s.next {
		least = min(least, s.free)
		s.free += nodes
		s.block.known = false
	}
	p.noteFreed(from, to, class(int(least)+1))
}

// splitAt returns the step that begins at time at, which step s contains. If no step begins then, it divides s into two
// steps with the same free nodes, between which a reservation can begin or end. A block with too many steps is then
// divided, too.
func (p *profile) splitAt(s *step, at float64) *step {
	if s.from == at {
		return s
	}
	b := s.block
	half := p.newStep(step{from: at, free: s.free, prev: s, next: s.next, block: b})
	if s.next = half; half.next != nil {
		half.next.prev = half
	}
	if b.n++; b.n > blockSteps {
		p.halveBlock(b)
	}
	return half
}

// removeStep removes step s from the profile, and keeps it for [profile.newStep]. The step before s lasts longer;
// without a step before s, the profile begins with the next step. A block that becomes empty is dropped, and a short
// one is joined with the next.
func (p *profile) removeStep(s *step) {
	b := s.block
	if s.prev != nil {
		s.prev.next = s.next
		s.prev.block.known = s.prev.block.known && s.prev.block == b
	} else {
		p.first = s.next
	}
	if s.next != nil {
		s.next.prev = s.prev
	}
	if b.n--; b.n == 0 {
		p.dropBlock(b)
	} else if b.first == s {
		b.first, b.from = s.next, s.next.from
		b.known = b.known && s.prev == nil
	}
	*s = step{next: p.spareSteps}
	p.spareSteps = s
	if b.n > 0 && b.n < blockSteps/4 && b.place+1 < len(p.blocks) {
		p.joinBlocks(b, p.blocks[b.place+1])
	}
}

// halveBlock divides block b of the profile, which has too many steps, into two, so that searches pass over few steps.
// The second half becomes a new block behind b, and later blocks move up by one place. What was known of the free nodes
// in b is marked as unknown in both halves.
func (p *profile) halveBlock(b *block) {
	half := p.newBlock()
	s := b.first
	for range b.n / 2 {
		s = s.next
	}
	half.first, half.from, half.n, half.place = s, s.from, b.n-b.n/2, b.place+1
	b.n, b.known = b.n/2, false
	for range half.n {
		s.block = half
		s = s.next
	}
	p.blocks = slices.Insert(p.blocks, half.place, half)
	p.renumberBlocks(half.place)
}

// joinBlocks merges block next of the profile into block b before it. It does so if together they have at most half of
// the steps that a block may have. Block next is dropped then, and the vacancies of b are no longer known. So the
// number of blocks stays small.
func (p *profile) joinBlocks(b, next *block) {
	if b.n+next.n > blockSteps/2 {
		return
	}
	s := next.first
	for range next.n {
		s.block = b
		s = s.next
	}
	b.n, b.known = b.n+next.n, false
	p.dropBlock(next)
}

// dropBlock removes b, an empty block, from the profile and keeps it for [profile.newBlock]. Later blocks move down by
// one place.
func (p *profile) dropBlock(b *block) {
	p.blocks = slices.Delete(p.blocks, b.place, b.place+1)
	p.renumberBlocks(b.place)
	p.spareBlocks = append(p.spareBlocks, b)
}

// renumberBlocks sets the field place of the blocks from the k-th on to their index in p.blocks, after the list has
// changed.
func (p *profile) renumberBlocks(k int) {
	for ; k < len(p.blocks); k++ {
		p.blocks[k].place = k
	}
}

// newStep returns a step of the profile with the given contents. The caller links it with its neighbours and counts it in
// its block. newStep takes a removed step where possible, so that memory is rarely allocated.
func (p *profile) newStep(contents step) *step {
	if p.spareSteps == nil {
		more := make([]step, blockSteps)
		for i := range more {
			more[i].next, p.spareSteps = p.spareSteps, &more[i]
		}
	}
	s := p.spareSteps
	p.spareSteps = s.next
	*s = contents
	return s
}

// newBlock returns an empty block for the profile, of which nothing is known; the caller sets its steps. It takes a
// dropped block where possible, so that memory is rarely allocated.
func (p *profile) newBlock() *block {
	n := len(p.spareBlocks)
	if n == 0 {
		return &block{}
	}
	b := p.spareBlocks[n-1]
	p.spareBlocks = p.spareBlocks[:n-1]
	b.known, b.loose = false, false
	return b
}
