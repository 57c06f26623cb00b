package sched

import "fmt"

// EpochChecker holds schedules to what every one of them must be. It keeps room for its work between calls.
type EpochChecker struct {
	taken []uint64 // a row for each J-th of the quantum, a bit for each node
	jobs  []bool
	epoch []span // of the epoch that begins at each unit of time
}

// span is what is known of the pieces of an epoch.
type span struct{ end, jobs, nodes, least, most int }

// epochCheckError says what is wrong with a schedule.
type epochCheckError struct {
	Job     int
	Problem string
}

func (e *epochCheckError) Error() string { return fmt.Sprintf("sched: job %d %s", e.Job, e.Problem) }

// Check returns an error unless each job has exactly one piece, on at least the nodes that it needs, no two pieces
// overlap and all nodes are used all the time; and unless each job has an equal share of the quantum, or is in an
// epoch in which as many units pass as there are jobs and no two differ by more than k nodes.
func (c *EpochChecker) Check(p EpochProblem, s *EpochSchedule, k int) error {
	if s.Nodes != p.Nodes || len(s.Pieces) != len(p.Min) {
		return fmt.Errorf("sched: %d pieces on %d nodes for %d jobs on %d", len(s.Pieces), s.Nodes, len(p.Min), p.Nodes)
	}
	c.clear(p)
	area := 0
	for i := range s.Pieces {
		if err := c.piece(p, &s.Pieces[i]); err != nil {
			return err
		}
		area += s.Pieces[i].area()
	}
	if whole := p.Nodes * len(p.Min); area != whole { // nothing overlaps, so nothing is left over if the areas add up
		return fmt.Errorf("sched: %d of %d node-times are not used", whole-area, whole)
	}
	for i := range s.Pieces {
		q := &s.Pieces[i]
		if q.area() == p.Nodes {
			continue
		}
		e := &c.epoch[q.Start]
		switch {
		case k == 0 || e.jobs != e.end-q.Start || e.nodes != p.Nodes:
			return &epochCheckError{q.Job, fmt.Sprintf("has the node-time %d of %d", q.area(), p.Nodes)}
		case e.most-e.least > k:
			return &epochCheckError{q.Job, fmt.Sprintf("is in an epoch of %d to %d nodes; they may differ by %d",
				e.least, e.most, k)}
		}
	}
	return nil
}

func (c *EpochChecker) clear(p EpochProblem) {
	n := len(p.Min)
	c.taken = zeros(c.taken, n*((p.Nodes+63)/64))
	c.jobs = zeros(c.jobs, n)
	c.epoch = zeros(c.epoch, n)
}

// zeros returns n zero values in the place of those that a list holds.
func zeros[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	list = list[:n]
	clear(list)
	return list
}

// piece checks one piece alone, and takes its place.
func (c *EpochChecker) piece(p EpochProblem, q *EpochPiece) error {
	switch {
	case q.Job < 0 || q.Job >= len(p.Min):
		return &epochCheckError{q.Job, "does not exist"}
	case c.jobs[q.Job]:
		return &epochCheckError{q.Job, "has two pieces"}
	case q.Width < p.Min[q.Job]:
		return &epochCheckError{q.Job, fmt.Sprintf("has %d nodes and needs %d", q.Width, p.Min[q.Job])}
	case q.Offset < 0 || q.Offset+q.Width > p.Nodes || q.Start < 0 || q.End <= q.Start || q.End > len(p.Min):
		return &epochCheckError{q.Job, "is not inside the quantum"}
	}
	c.jobs[q.Job] = true
	if !c.take(p.Nodes, q) {
		return &epochCheckError{q.Job, "overlaps another"}
	}
	e := &c.epoch[q.Start]
	if e.jobs == 0 {
		e.end, e.least = q.End, q.Width
	}
	if e.end == q.End {
		e.jobs++
		e.nodes += q.Width
		e.least, e.most = min(e.least, q.Width), max(e.most, q.Width)
	}
	return nil
}

// take marks the nodes of a piece and reports whether all of them were free.
func (c *EpochChecker) take(nodes int, q *EpochPiece) bool {
	words := (nodes + 63) / 64
	for w := q.Offset / 64; w*64 < q.Offset+q.Width; w++ {
		mask := ^uint64(0)
		if w*64 < q.Offset {
			mask <<= q.Offset - w*64
		}
		if over := (w+1)*64 - q.Offset - q.Width; over > 0 {
			mask &= ^uint64(0) >> over
		}
		for t := q.Start; t < q.End; t++ {
			if c.taken[t*words+w]&mask != 0 {
				return false
			}
			c.taken[t*words+w] |= mask
		}
	}
	return true
}
