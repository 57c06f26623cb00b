package sched

// equi is EQUI-EPOCH: all jobs of an epoch get equally many nodes. From the smallest job on, each epoch takes as many
// jobs as it can. If the number of nodes is a power of two, no other schedule in epochs of equal shares has fewer epochs.
//
// Reference: section 4.1 of the report.
type equi struct {
	order
	divisors
}

// Spread returns 0.
func (*equi) Spread() int { return 0 }

// Schedule makes the schedule.
func (e *equi) Schedule(p EpochProblem, s *EpochSchedule) error {
	if err := p.Check(); err != nil {
		return err
	}
	s.begin(p)
	jobs := e.ascending(p.Min)
	divisors := e.of(p.Nodes)
	for start := 0; start < len(jobs); {
		d := len(divisors) - 1
		for divisors[d] > len(jobs)-start || p.Min[jobs[start+divisors[d]-1]] > p.Nodes/divisors[d] {
			d--
		}
		s.evenEpoch(start, jobs[start:start+divisors[d]])
		start += divisors[d]
	}
	return nil
}

// evenEpoch appends an epoch in which jobs, as many as divide the nodes, get equally many.
func (s *EpochSchedule) evenEpoch(start int, jobs []int) {
	width := s.Nodes / len(jobs)
	for i, j := range jobs {
		s.Pieces = append(s.Pieces, EpochPiece{j, i * width, width, start, start + len(jobs)})
	}
}

// divisors keeps those of a number.
type divisors struct {
	number int
	all    []int
}

// of returns the divisors of n, ascending.
func (d *divisors) of(n int) []int {
	if d.number == n {
		return d.all
	}
	d.number, d.all = n, d.all[:0]
	var above []int
	for k := 1; k*k <= n; k++ {
		if n%k == 0 {
			d.all = append(d.all, k)
			if k*k < n {
				above = append(above, n/k)
			}
		}
	}
	for i := len(above) - 1; i >= 0; i-- {
		d.all = append(d.all, above[i])
	}
	return d.all
}
