package sched

import (
	"math"
	"sort"
)

// freed records where nodes were freed recently. If a reservation could not begin earlier before nodes were freed, it can
// do so afterwards only under one condition: some stretch of time with enough free nodes must include a time at which
// nodes were freed. So most reservations need no search.
//
// Time is divided into spans, from origin on. The last span has no end.
type freed struct {
	origin, scale float64  // spans are 1/scale long
	longest       []bySpan // by class of nodes
}

// bySpan holds, for each span, an upper bound on the longest time for which the nodes of a class are free. Only stretches
// of time count that begin in the span or before it and include a time at which nodes were freed. The bound does not
// decrease from span to span.
type bySpan [32]float64

// span returns the index of the span that contains a time.
func (f *freed) span(at float64) int {
	return int(max(0, min((at-f.origin)*f.scale, float64(len(bySpan{})-1))))
}

// renew starts a new record, keeps the record before it as freedBefore, and forgets older ones.
func (p *profile) renew() {
	p.freed, p.freedBefore = p.freedBefore, p.freed
	f, last := &p.freed, p.blocks[len(p.blocks)-1].from
	clear(f.longest)
	f.origin, f.scale = p.now, 0
	if last > p.now {
		f.scale = float64(len(bySpan{})) / (last - p.now)
	}
}

// allows reports whether nodes of a class may be free for the time estimate from some time before start on.
func (f *freed) allows(class int, start, estimate float64) bool {
	return f.longest[class][f.span(start)] >= estimate
}

// begin returns the index of the block in which such a time can first lie, or of an earlier block. It returns the number
// of blocks if there is no such time.
func (p *profile) begin(f *freed, class int, start, estimate float64) int {
	if !f.allows(class, start, estimate) {
		return len(p.blocks)
	}
	span := sort.Search(f.span(start), func(k int) bool { return f.longest[class][k] >= estimate })
	return sort.Search(len(p.blocks)-1, func(k int) bool { return f.span(p.blocks[k+1].from) >= span })
}

// exclude records that so many nodes are not free for the time estimate from any time before start on.
func (f *freed) exclude(start, estimate float64, nodes int) {
	below := math.Nextafter(estimate, 0)
	for c := classesTo(int32(nodes - 1)); c < len(f.longest); c++ { // classes of at least so many nodes
		longest := &f.longest[c]
		for k := f.span(start) - 1; k >= 0 && longest[k] > below; k-- {
			longest[k] = below
		}
	}
}

// note records for how long nodes are free around the steps from from to to, at which some were freed. classes is the
// number of classes all of whose nodes were free at these steps before.
func (p *profile) note(from, to *step, classes int) {
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
				p.freed.lengthen(open-1, from, at)
			}
		}
		if open == classes && at >= end {
			return
		}
	}
}

// lengthen records a stretch of time for which the nodes of a class are free, lengthened by more than the rounding error
// of a sum.
func (f *freed) lengthen(class int, from, to float64) {
	longest, length := &f.longest[class], to-from+rounding(from, from)
	for k := f.span(from); k < len(longest) && longest[k] < length; k++ {
		longest[k] = length
	}
}
