package sched

import (
	"math"
	"sort"
)

// freed records where nodes were freed recently, so that most reservations need no search when they are compressed. A
// reservation that could not begin earlier before some nodes were freed can do so afterwards only in one case. A period
// with enough free nodes must then include a time at which nodes were freed.
//
// Time is divided into spans, from origin on. The last span has no end.
type freed struct {
	origin, scale float64  // spans are 1/scale long
	longest       []bySpan // by class of nodes
}

// bySpan holds an upper bound for each span: the longest time for which the nodes of a class are free. Only periods
// count that begin in the span or before it, and that include a time at which nodes were freed. The bounds do not
// decrease from span to span.
type bySpan [32]float64

// spanOf returns the index, from 0, of the span of time that contains time at. The spans are equally long, and the
// record keeps a bound for each. Times before its origin belong to the first span, times after all spans to the last.
func (f *freed) spanOf(at float64) int {
	return int(max(0, min((at-f.origin)*f.scale, float64(len(bySpan{})-1))))
}

// renewFreed starts a new, empty record of freed nodes in p.freed. Its spans divide the time from now to the begin of
// the last block. The present record becomes p.freedBefore, and the one before is forgotten. It is called after each
// compression, in which all reservations were moved to the earliest time.
func (p *profile) renewFreed() {
	p.freed, p.freedBefore = p.freedBefore, p.freed
	f, last := &p.freed, p.blocks[len(p.blocks)-1].from
	clear(f.longest)
	f.origin, f.scale = p.now, 0
	if last > p.now {
		f.scale = float64(len(bySpan{})) / (last - p.now)
	}
}

// mayAllow reports whether a reservation, for the time estimate, may be moved to begin before start, because nodes were
// freed. The reservation needs a number of nodes of the given class: 2^class to 2^(class+1)−1. false is certain; true
// may be wrong. It spares [profile.moveEarlier] most searches.
func (f *freed) mayAllow(class int, start, estimate float64) bool {
	return f.longest[class][f.spanOf(start)] >= estimate
}

// firstBlock returns the index of the block of the profile at which the search for an earlier begin of a reservation
// starts. So far the reservation begins at start. It lasts for the time estimate, and needs 2^class to 2^(class+1)−1
// nodes. The record f of freed nodes excludes all earlier blocks. The result is the number of blocks if the reservation
// cannot begin earlier at all.
func (p *profile) firstBlock(f *freed, class int, start, estimate float64) int {
	if !f.mayAllow(class, start, estimate) {
		return len(p.blocks)
	}
	span := sort.Search(f.spanOf(start), func(k int) bool { return f.longest[class][k] >= estimate })
	return sort.Search(len(p.blocks)-1, func(k int) bool { return f.spanOf(p.blocks[k+1].from) >= span })
}

// excludeBefore records that a search for an earlier begin of a reservation failed. So many nodes are not free for the
// time estimate from any time before start on. It lowers the bounds of f, so that the next such searches are ruled out.
func (f *freed) excludeBefore(start, estimate float64, nodes int) {
	below := math.Nextafter(estimate, 0)
	for c := classesTo(int32(nodes - 1)); c < len(f.longest); c++ { // classes of at least so many nodes
		longest := &f.longest[c]
		for k := f.spanOf(start) - 1; k >= 0 && longest[k] > below; k-- {
			longest[k] = below
		}
	}
}

// noteFreed records in p.freed that some nodes were freed at the steps from from on, up to but excluding to. So
// reservations that may now begin earlier are found.
//
// Class c of numbers of nodes begins with 2^c nodes. Each period in which 2^c nodes are free, and which touches the
// freed steps, raises the bounds of the class to its length, see [freed.raiseBounds]. A period begins now at the
// earliest. Classes 0 to classes−1 are left out: all their nodes were free at these steps before, so nothing changed
// for them.
func (p *profile) noteFreed(from, to *step, classes int) {
	var since [mostClasses]float64
	begin, end := from.from, to.from
	for from.prev != nil && classesTo(from.prev.free) > classes {
		from = from.prev
	}
	open := classes
	for s := from; ; s = s.next {
		at, now := math.Inf(1), classes
		if s != nil {
			at, now = s.from, max(classes, min(classesTo(s.free), p.classes)) // if a job ended late, s.free exceeds the machine
		}
		for ; open < now; open++ {
			since[open] = max(at, p.now)
		}
		for ; open > now; open-- {
			if from := since[open-1]; from <= end && at >= begin {
				p.freed.raiseBounds(open-1, from, at)
			}
		}
		if open == classes && at >= end {
			return
		}
	}
}

// raiseBounds records that nodes of a class are free from time from to time to, where some were freed. It raises the
// bounds of the class for the span of from and all later spans: to the length of this period plus more than the
// rounding error of a sum. Larger bounds stay.
func (f *freed) raiseBounds(class int, from, to float64) {
	longest, length := &f.longest[class], to-from+rounding(from, from)
	for k := f.spanOf(from); k < len(longest) && longest[k] < length; k++ {
		longest[k] = length
	}
}
