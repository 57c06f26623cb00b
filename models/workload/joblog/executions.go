package joblog

import "sort"

// insert stores a record unless the log has listed the same execution before: one with the same start, or one of the
// same submission that had not started when it was listed.
func (s *store) insert(r *record, line int) {
	slot := s.slot(r.key())
	newest := *slot
	if newest != 0 {
		if i, ok := s.listed(r, newest-1); ok {
			s.note(listedTwice, line)
			if old := s.at(i); !old.state.isOver() {
				*old = *r
				if s.several(newest - 1) {
					s.enter(i)
				}
			}
			return
		}
		s.note(requeued, line)
	}
	if int(s.n/chunk) == len(s.chunks) {
		s.chunks = append(s.chunks, new([chunk]record))
	}
	*s.at(s.n) = *r
	if newest != 0 {
		if !s.several(newest - 1) {
			s.enter(newest - 1)
		}
		s.earlier[s.n] = newest - 1
		s.enter(s.n)
	}
	s.n++
	*slot = s.n
	if newest == 0 {
		if s.used++; 4*s.used > 3*chunk*len(s.index) {
			s.grow()
		}
	}
}

// execution tells the executions of a job apart: by when they started, or by when they were submitted.
type execution struct {
	key
	at                 uint32 // Unix time
	submitted, started bool
}

// several reports whether the job of which a record is the newest has executions before it.
func (s *store) several(newest uint32) bool {
	_, ok := s.earlier[newest]
	return ok
}

// enter makes a record of a job with several executions one that listed finds.
func (s *store) enter(i uint32) {
	r := s.at(i)
	s.executions[execution{key: r.key(), at: r.submit, submitted: true}] = i
	if r.wait == none {
		s.executions[execution{key: r.key(), at: r.submit}] = i
	} else {
		s.executions[execution{key: r.key(), at: r.submit + r.wait, started: true}] = i
	}
}

// listed returns the record of the execution that another record is of, among those of the job with the given newest one.
func (s *store) listed(r *record, newest uint32) (uint32, bool) {
	if s.at(newest).sameExecution(r) {
		return newest, true
	}
	if !s.several(newest) {
		return 0, false
	}
	of := s.at(newest).key()
	as := []execution{{key: of, at: r.submit, submitted: true}}
	if r.wait != none {
		as = []execution{{key: of, at: r.submit + r.wait, started: true}, {key: of, at: r.submit}}
	}
	for _, e := range as {
		if i, ok := s.executions[e]; ok && s.at(i).sameExecution(r) {
			return i, true
		}
	}
	return 0, false
}

// foldComponents adds the nodes of the components of a heterogeneous job, which start together, to those of its first.
func (s *store) foldComponents() {
	for i := range s.n {
		r := s.at(i)
		if r.component < 2 {
			continue
		}
		first, ok := s.newest(key{r.id, r.task, 1})
		if ok {
			first, ok = s.listed(r, first)
		}
		if !ok {
			continue
		}
		whole := s.at(first)
		whole.units += r.units
		if whole.run != none && r.run != none {
			whole.run = max(whole.run, r.run)
		}
		r.state = folded
		s.findings.add(componentLines, 0, nil, false)
	}
}

// separateExecutions lets each further execution of a job be submitted no earlier than the one before it ended.
func (s *store) separateExecutions() {
	last := map[uint32]bool{} // execution in the log that no later one follows
	for i := range s.earlier {
		last[i] = true
	}
	for _, i := range s.earlier {
		delete(last, i)
	}
	for i := range last {
		executions := []*record{s.at(i)}
		for next, ok := s.earlier[i]; ok; next, ok = s.earlier[next] {
			executions = append(executions, s.at(next))
		}
		start := func(r *record) uint64 {
			if r.wait == none {
				return uint64(r.submit) << 1
			}
			return uint64(r.submit+r.wait) << 1
		}
		sort.SliceStable(executions, func(a, b int) bool { return start(executions[a]) < start(executions[b]) })
		for k := 1; k < len(executions); k++ {
			r, end := executions[k], executions[k-1].end()
			if r.submit >= end || r.wait != none && r.submit+r.wait < end {
				continue
			}
			if r.wait != none {
				r.wait -= end - r.submit
			}
			r.submit = end
		}
	}
}
