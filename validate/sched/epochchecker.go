package sched

import "fmt"

// Check returns an error unless the schedule solves problem p. Each job must have exactly one piece, on at least the
// nodes that it needs and inside the quantum. No two pieces may overlap, and all nodes must be used all the time. A
// piece must have an equal share of the node-time. If k is above 0, a piece may instead be part of an epoch: all pieces
// with the same start and end. The pieces of an epoch must use all nodes and last as many units as there are pieces.
// Their widths must differ by at most k nodes. Check is independent of the rules that make schedules, so that tests and
// experiments can verify them.
func (s *EpochSchedule) Check(p EpochProblem, k int) error {
	if s.Nodes != p.Nodes || len(s.Pieces) != len(p.Min) {
		return fmt.Errorf("sched: %d pieces on %d nodes for %d jobs on %d", len(s.Pieces), s.Nodes, len(p.Min), p.Nodes)
	}
	wrong := func(job int, problem string) error { return fmt.Errorf("sched: job %d %s", job, problem) }
	area := 0
	for i := range s.Pieces {
		q := &s.Pieces[i]
		problem := q.misplaced(p)
		for j := range s.Pieces[:i] {
			switch other := &s.Pieces[j]; {
			case other.Job == q.Job:
				problem = "has two pieces"
			case other.overlaps(q):
				problem = "overlaps another"
			}
		}
		if problem != "" {
			return wrong(q.Job, problem)
		}
		area += q.area()
	}
	if whole := p.Nodes * len(p.Min); area != whole { // pieces do not overlap, so they cover everything if their areas do
		return fmt.Errorf("sched: %d of %d node-times are not used", whole-area, whole)
	}
	for i := range s.Pieces {
		if q := &s.Pieces[i]; q.area() != p.Nodes {
			if problem := s.unequal(q, k); problem != "" {
				return wrong(q.Job, problem)
			}
		}
	}
	return nil
}

// misplaced returns what is wrong with a piece by itself, as the end of a sentence about its job; "" if nothing is
// wrong. Problem p must have the job, the nodes must be enough for it, and the piece must lie inside the quantum.
func (q *EpochPiece) misplaced(p EpochProblem) string {
	switch {
	case q.Job < 0 || q.Job >= len(p.Min):
		return "does not exist"
	case q.Width < p.Min[q.Job]:
		return fmt.Sprintf("has %d nodes and needs %d", q.Width, p.Min[q.Job])
	case q.Offset < 0 || q.Offset+q.Width > p.Nodes || q.Start < 0 || q.End <= q.Start || q.End > len(p.Min):
		return "is not inside the quantum"
	}
	return ""
}

// overlaps reports whether the pieces q and o have a node in common at some time, which no schedule allows. Pieces that
// only touch do not overlap.
func (q *EpochPiece) overlaps(o *EpochPiece) bool {
	return q.Offset < o.Offset+o.Width && o.Offset < q.Offset+q.Width && q.Start < o.End && o.Start < q.End
}

// unequal returns what is wrong with q, a piece of s that is no equal share of the quantum: the end of a sentence about
// its job. Such a piece must be part of an epoch: the pieces with the same start and end. These must use all nodes,
// last one unit for each piece, and differ in width by at most k nodes. The result is "" if so. With k = 0 every
// unequal piece is wrong.
func (s *EpochSchedule) unequal(q *EpochPiece, k int) string {
	jobs, nodes, least, most := 0, 0, q.Width, q.Width
	for i := range s.Pieces {
		if o := &s.Pieces[i]; o.Start == q.Start && o.End == q.End {
			jobs++
			nodes += o.Width
			least, most = min(least, o.Width), max(most, o.Width)
		}
	}
	switch {
	case k == 0 || jobs != q.End-q.Start || nodes != s.Nodes:
		return fmt.Sprintf("has the node-time %d of %d", q.area(), s.Nodes)
	case most-least > k:
		return fmt.Sprintf("is in an epoch of %d to %d nodes; they may differ by %d", least, most, k)
	}
	return ""
}
