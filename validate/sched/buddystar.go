package sched

import "math/bits"

// buddyStar is BUDDY*, which extends BUDDY to any number of jobs. The number of jobs is a sum of powers of two. The jobs, from the
// smallest to the largest, are put into sets of these sizes, the largest set first. Each set has the BUDDY schedule for its share of
// the quantum. If the number of jobs is a power of two, BUDDY* is BUDDY.
//
// Reference: section 3.2 of the report.
type buddyStar struct {
	order
	frontier
	set []int
}

// Spread returns 0.
func (*buddyStar) Spread() int { return 0 }

// Schedule makes the schedule; the error is a *[PowerError] if the nodes are no power of two.
func (b *buddyStar) Schedule(p EpochProblem, s *EpochSchedule) error {
	if err := powers(p, "buddy*"); err != nil {
		return err
	}
	s.begin(p)
	jobs := b.ascending(p.Min)
	for start := 0; start < len(jobs); {
		size := largestPower(len(jobs) - start)
		b.set = turned(b.set[:0], jobs[start:start+size], p.Min)
		b.fill(p, s, start, b.set)
		start += size
	}
	return nil
}

// largestPower returns the largest power of two that is at most n.
func largestPower(n int) int { return 1 << (bits.Len(uint(n)) - 1) }
