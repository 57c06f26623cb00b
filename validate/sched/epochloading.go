package sched

// load appends epochs with the given jobs to the schedule, from time start on. The jobs are in descending order of
// their needs. It changes the order of the list jobs. In an epoch, widths differ by at most k nodes.
func (s *EpochSchedule) load(p EpochProblem, start int, jobs []int, k int) {
	if k == 0 {
		s.loadEvenly(p, start, jobs)
		return
	}
	for len(jobs) > 0 {
		from, left := len(s.Pieces), p.Nodes
		// An epoch takes jobs while they fit. Widths differ by at most k: floor is the least width beside the widest job.
		floor, rest := max(p.Min[jobs[0]]-k, 1), jobs[:0]
		for _, j := range jobs {
			if width := max(p.Min[j], floor); width <= left {
				s.Pieces = append(s.Pieces, EpochPiece{Job: j, Width: width})
				left -= width
			} else {
				rest = append(rest, j)
			}
		}
		s.settle(from, start, left)
		jobs = rest
		start += len(s.Pieces) - from
	}
}

// settle divides the remaining nodes, left, among the pieces of the epoch that begins at index from, and places the
// pieces at time start. Widths must be in descending order.
func (s *EpochSchedule) settle(from, start, left int) {
	pieces := s.Pieces[from:]
	each, more := left/len(pieces), left%len(pieces)
	for i := range pieces {
		if pieces[i].Width += each; i >= len(pieces)-more {
			pieces[i].Width++
		}
	}
	s.place(from, start)
}

// place puts the pieces of the epoch that begins at index from side by side. The epoch lasts one unit for each piece.
func (s *EpochSchedule) place(from, start int) {
	pieces, offset := s.Pieces[from:], 0
	for i := range pieces {
		q := &pieces[i]
		q.Offset, q.Start, q.End = offset, start, start+len(pieces)
		offset += q.Width
	}
}

// loadEvenly appends epochs of equal shares. jobs are in descending or in ascending order.
func (s *EpochSchedule) loadEvenly(p EpochProblem, start int, jobs []int) {
	for len(jobs) > 0 {
		h := min(len(jobs), p.Nodes)
		for p.Nodes%h != 0 || h*max(p.Min[jobs[0]], p.Min[jobs[h-1]]) > p.Nodes {
			h--
		}
		s.evenEpoch(start, jobs[:h])
		start += h
		jobs = jobs[h:]
	}
}

// evenEpoch appends an epoch to s.Pieces in which all jobs get the same number of nodes. The epoch begins at unit start of
// the quantum and takes len(jobs) units. The number of jobs must divide the number of nodes.
func (s *EpochSchedule) evenEpoch(start int, jobs []int) {
	width := s.Nodes / len(jobs)
	for i, j := range jobs {
		s.Pieces = append(s.Pieces, EpochPiece{j, i * width, width, start, start + len(jobs)})
	}
}
