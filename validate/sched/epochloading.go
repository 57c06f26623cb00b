package sched

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
