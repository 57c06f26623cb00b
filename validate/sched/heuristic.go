package sched

// heuristic is HEURISTIC-EPOCH(k). From the largest job on, each epoch takes every job that still fits. If the first job of an epoch
// needs A nodes, a job of that epoch gets at least max(M, A−k, 1) nodes. The nodes that are left are divided evenly; the remainder
// goes to the jobs with the fewest nodes. With k = 0 an epoch takes the next h jobs, where h is the largest divisor of N for which
// the jobs fit.
//
// Reference: section 4.3 of the report.
type heuristic struct {
	K int
	order
	loading
}

// Spread returns k.
func (h *heuristic) Spread() int { return h.K }

// Schedule makes the schedule.
func (h *heuristic) Schedule(p EpochProblem, s *EpochSchedule) error {
	if err := p.Check(); err != nil {
		return err
	}
	s.begin(p)
	h.load(p, s, 0, h.descending(p.Min), h.K)
	return nil
}

// loading is the room in which epochs are loaded.
type loading struct {
	divisors
	next []int // of each place among the jobs, the next place whose job is not loaded
}

// load appends epochs that hold jobs, which are in descending order, from a time on.
func (l *loading) load(p EpochProblem, s *EpochSchedule, start int, jobs []int, k int) {
	if k == 0 {
		l.loadEvenly(p, s, start, jobs)
		return
	}
	l.next = l.next[:0]
	for i := range jobs {
		l.next = append(l.next, i+1)
	}
	for first := 0; first < len(jobs); {
		from := len(s.Pieces)
		var left int
		first, left = l.epoch(p, s, first, jobs, k)
		s.settle(from, start, left)
		start += len(s.Pieces) - from
	}
}

// epoch loads an epoch that begins with the job at a place, and returns the first place whose job is not loaded and the
// number of nodes that are left. Widths descend.
func (l *loading) epoch(p EpochProblem, s *EpochSchedule, first int, jobs []int, k int) (rest, left int) {
	left = p.Nodes
	floor := max(p.Min[jobs[first]]-k, 1)
	rest, last := len(jobs), -1 // last is the last place that is passed over
	for i := first; i < len(jobs); i = l.next[i] {
		if left < floor {
			if last < 0 {
				rest = i
			} else {
				l.next[last] = i
			}
			return rest, left
		}
		if width := max(p.Min[jobs[i]], floor); width <= left {
			s.Pieces = append(s.Pieces, EpochPiece{Job: jobs[i], Width: width})
			left -= width
			continue
		}
		if last < 0 {
			rest = i
		} else {
			l.next[last] = i
		}
		last = i
	}
	if last >= 0 {
		l.next[last] = len(jobs)
	}
	return rest, left
}

// settle divides the nodes that are left among the pieces of an epoch, the first of which is given, and places them side
// by side; the epoch lasts a unit for each.
func (s *EpochSchedule) settle(from, start, left int) {
	pieces := s.Pieces[from:]
	each, more := left/len(pieces), left%len(pieces)
	offset := 0
	for i := range pieces {
		q := &pieces[i]
		if q.Width += each; i >= len(pieces)-more {
			q.Width++
		}
		q.Offset, q.Start, q.End = offset, start, start+len(pieces)
		offset += q.Width
	}
}

// loadEvenly loads epochs of equal shares.
func (l *loading) loadEvenly(p EpochProblem, s *EpochSchedule, start int, jobs []int) {
	divisors := l.of(p.Nodes)
	for len(jobs) > 0 {
		d := len(divisors) - 1
		for divisors[d] > len(jobs) || divisors[d]*p.Min[jobs[0]] > p.Nodes {
			d--
		}
		s.evenEpoch(start, jobs[:divisors[d]])
		start += divisors[d]
		jobs = jobs[divisors[d]:]
	}
}
