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

// span returns the index of the span that contains a time. Times before origin belong to the first span.
func (f *freed) span(at float64) int {
	return int(max(0, min((at-f.origin)*f.scale, float64(len(bySpan{})-1))))
}

// renew starts a new record of freed nodes. The present record becomes freedBefore, and the one before is forgotten.
func (p *profile) renew() {
	p.freed, p.freedBefore = p.freedBefore, p.freed
	f, last := &p.freed, p.blocks[len(p.blocks)-1].from
	clear(f.longest)
	f.origin, f.scale = p.now, 0
	if last > p.now {
		f.scale = float64(len(bySpan{})) / (last - p.now)
	}
}

// allows reports whether nodes of a class may be free for the time estimate from some time up to start. false is
// certain; true may be wrong.
func (f *freed) allows(class int, start, estimate float64) bool {
	return f.longest[class][f.span(start)] >= estimate
}

// begin returns the index of a block from which a search for such a period has to start; see [freed.allows]. It returns
// the number of blocks if there is no such period before start.
func (p *profile) begin(f *freed, class int, start, estimate float64) int {
	if !f.allows(class, start, estimate) {
		return len(p.blocks)
	}
	span := sort.Search(f.span(start), func(k int) bool { return f.longest[class][k] >= estimate })
	return sort.Search(len(p.blocks)-1, func(k int) bool { return f.span(p.blocks[k+1].from) >= span })
}

// exclude records the result of a search without success: so many nodes are not free for the time estimate from any
// time before start on. It lowers the bounds.
func (f *freed) exclude(start, estimate float64, nodes int) {
	below := math.Nextafter(estimate, 0)
	for c := classesTo(int32(nodes - 1)); c < len(f.longest); c++ { // classes of at least so many nodes
		longest := &f.longest[c]
		for k := f.span(start) - 1; k >= 0 && longest[k] > below; k-- {
			longest[k] = below
		}
	}
}

// note records for how long nodes are free around the steps between from and to, at which some nodes were freed.
// Classes whose nodes were all free at these steps before are left out; classes is their number.
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

// lengthen raises the bounds of a class to the length of a period in which its nodes are free, plus more than the
// rounding error of a sum.
func (f *freed) lengthen(class int, from, to float64) {
	longest, length := &f.longest[class], to-from+rounding(from, from)
	for k := f.span(from); k < len(longest) && longest[k] < length; k++ {
		longest[k] = length
	}
}
