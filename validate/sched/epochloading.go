package sched

// loadEpochs appends the pieces of the given jobs of problem p to s.Pieces, in epochs from time start on, by
// HEURISTIC-EPOCH(k) of the report. An epoch takes jobs in their order while they fit into its nodes, and lasts one
// unit of time for each of its jobs. Widths in an epoch differ by at most k nodes: a narrow job is widened beside a
// wide job. Nodes that are left are divided among the jobs of the epoch. With k = 0 all jobs of an epoch have equal
// widths. jobs are in descending order of their needs; the list is overwritten.
func (s *EpochSchedule) loadEpochs(p EpochProblem, start int, jobs []int, k int) {
	if k == 0 {
		s.loadEvenEpochs(p, start, jobs)
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
		s.widenAndPlace(from, start, left)
		jobs = rest
		start += len(s.Pieces) - from
	}
}

// widenAndPlace gives left nodes, which no job needs, to the jobs of the last epoch, and places their pieces at time
// start. The pieces begin at index from of s.Pieces, with widths in descending order. Each gets the same number of
// nodes; of the remaining nodes the narrowest pieces get one more each.
func (s *EpochSchedule) widenAndPlace(from, start, left int) {
	pieces := s.Pieces[from:]
	each, more := left/len(pieces), left%len(pieces)
	for i := range pieces {
		if pieces[i].Width += each; i >= len(pieces)-more {
			pieces[i].Width++
		}
	}
	s.placeEpoch(from, start)
}

// placeEpoch puts the pieces of the last epoch, which begin at index from of s.Pieces, side by side. It sets their
// offsets and times: the epoch begins at time start and lasts one unit for each piece.
func (s *EpochSchedule) placeEpoch(from, start int) {
	pieces, offset := s.Pieces[from:], 0
	for i := range pieces {
		q := &pieces[i]
		q.Offset, q.Start, q.End = offset, start, start+len(pieces)
		offset += q.Width
	}
}

// loadEvenEpochs appends epochs of jobs of problem p to s.Pieces, from time start on. All jobs of an epoch get equally
// many nodes. Each epoch takes the next jobs of the list: the largest number that divides the number of nodes and for
// which they fit. An epoch of h jobs lasts h units of time; a quantum of J jobs has J units.
//
// jobs are in descending or in ascending order of the nodes that they need. s.Nodes must be p.Nodes. Each job must fit
// on these nodes, which [EpochProblem.Check] ensures; otherwise the function panics.
func (s *EpochSchedule) loadEvenEpochs(p EpochProblem, start int, jobs []int) {
	for len(jobs) > 0 {
		h := min(len(jobs), p.Nodes)
		for p.Nodes%h != 0 || h*max(p.Min[jobs[0]], p.Min[jobs[h-1]]) > p.Nodes {
			h--
		}
		s.appendEvenEpoch(start, jobs[:h])
		start += h
		jobs = jobs[h:]
	}
}

// appendEvenEpoch appends an epoch to s.Pieces in which all given jobs get the same number of the s.Nodes nodes. The
// epoch begins at unit start of the quantum and takes len(jobs) units. The number of jobs must divide the number of
// nodes.
func (s *EpochSchedule) appendEvenEpoch(start int, jobs []int) {
	width := s.Nodes / len(jobs)
	for i, j := range jobs {
		s.Pieces = append(s.Pieces, EpochPiece{j, i * width, width, start, start + len(jobs)})
	}
}
