package sched

import "math/bits"

// frontier records up to which time the nodes are filled with pieces of a schedule. A segment is a range of nodes that
// are filled up to the same time, its height. Heights are in units of the quantum over the number of jobs. No two
// segments have heights with the same number of trailing zeros, so a segment is found by this number. Segments that are
// filled up to the end are removed.
type frontier struct {
	open     uint64 // set of the numbers of trailing zeros of the heights of all segments
	segments [64]segment
}

// segment is the range of width nodes from node offset on. They are filled with pieces up to the time height, in units
// of the quantum over the number of jobs.
type segment struct{ offset, width, height int }

// addBuddySchedule appends the pieces of a BUDDY schedule for jobs of problem p to s, from the time start on. The given
// jobs, in descending order of their needs, get powers of two of nodes and equal shares of the quantum. N nodes and J
// jobs must be powers of two, N = 2^n and J = 2^j. Then no other schedule of such widths has less overhead. Each job
// takes an area of N units, so the J jobs fill J units of time. Earlier contents of f are discarded.
//
// Jobs are placed from the largest to the smallest. The heights are fractions C/2^x of the quantum with odd C. The next
// job is placed at the left end of the segment with the largest x. It gets 2^(n−j+x) nodes, or the power of two that it
// needs if that is more. (The text of the report has the smaller of the two, and −x; its figure 3 agrees with this
// rule.)
//
// Reference: section 3 of the report.
func (f *frontier) addBuddySchedule(p EpochProblem, s *EpochSchedule, start int, jobs []int) {
	n, ground := bits.TrailingZeros(uint(p.Nodes)), bits.TrailingZeros(uint(len(jobs)))
	f.open = 1 << ground
	f.segments[ground] = segment{width: p.Nodes}
	for _, j := range jobs {
		zeros := bits.TrailingZeros64(f.open)
		g := &f.segments[zeros]
		width := 1 << max(bits.Len(uint(p.Min[j]-1)), n-zeros)
		top := g.height + p.Nodes/width
		offset := g.offset
		s.Pieces = append(s.Pieces, EpochPiece{j, offset, width, start + g.height, start + top})
		if g.offset, g.width = offset+width, g.width-width; g.width == 0 {
			f.open &^= 1 << zeros
		}
		if top < len(jobs) {
			f.addSegment(offset, width, top)
		}
	}
}

// addSegment records in f that a piece of the schedule now fills width nodes from node offset on, up to the time
// height. If nodes beside them are filled up to the same height, the two ranges become one. Times are in units of the
// quantum over the number of jobs.
func (f *frontier) addSegment(offset, width, height int) {
	zeros := bits.TrailingZeros(uint(height))
	g := &f.segments[zeros]
	if f.open&(1<<zeros) == 0 {
		f.open |= 1 << zeros
		*g = segment{offset, width, height}
		return
	}
	g.offset = min(g.offset, offset)
	g.width += width
}
