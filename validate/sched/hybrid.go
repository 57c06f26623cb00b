package sched

// hybrid is HYBRID(k): the smallest jobs, the largest power of two of them, are scheduled by BUDDY and the rest by
// HEURISTIC-EPOCH(k), each for its share of the quantum.
//
// Reference: section 3.2 of the report.
type hybrid struct {
	K int
	order
	frontier
	loading
	set []int
}

// Spread returns k.
func (h *hybrid) Spread() int { return h.K }

// Schedule makes the schedule; the error is a *[PowerError] if the nodes are no power of two.
func (h *hybrid) Schedule(p EpochProblem, s *EpochSchedule) error {
	if err := powers(p, "hybrid"); err != nil {
		return err
	}
	s.begin(p)
	jobs := h.ascending(p.Min)
	size := largestPower(len(jobs))
	h.set = turned(h.set[:0], jobs[:size], p.Min)
	h.fill(p, s, 0, h.set)
	h.set = turned(h.set[:0], jobs[size:], p.Min)
	h.load(p, s, size, h.set, h.K)
	return nil
}
