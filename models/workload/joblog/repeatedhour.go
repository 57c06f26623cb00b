package joblog

import (
	"cmp"
	"slices"
)

// repeated is a submission in an hour that clocks showed twice. Its record has the earlier reading.
type repeated struct {
	record uint32
	line   int
	later  uint32 // how much later the other one is, in seconds
	along  bool   // the start is of that hour, too: it would move along
}

// bound reports whether the later reading cannot be: it comes after the start.
func (s *store) bound(r *repeated) bool {
	wait := s.at(r.record).wait
	return !r.along && wait != none && wait < r.later
}

// readRepeatedHours chooses the readings of all submissions in hours that clocks showed twice. Batch systems number jobs
// in the order of their submission: by their numbers those of the first showing come first. Where more than one place of
// the second showing's begin agrees with that, and with the starts, or none does, the jobs in doubt keep the earlier
// reading, and are counted.
func (s *store) readRepeatedHours() {
	all := slices.DeleteFunc(s.repeated, func(r repeated) bool { return s.several(r.record) })
	slices.SortStableFunc(all, func(a, b repeated) int { return cmp.Compare(s.at(a.record).submit, s.at(b.record).submit) })
	const day = 24 * 3600 // more than the hours of one autumn are apart, and less than those of two
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && s.at(all[to].record).submit-s.at(all[to-1].record).submit < day {
			to++
		}
		s.readRepeatedHour(all[from:to])
		from = to
	}
	s.repeated = nil
}

// readRepeatedHour chooses the readings of the submissions of one such hour.
func (s *store) readRepeatedHour(jobs []repeated) {
	slices.SortStableFunc(jobs, func(a, b repeated) int {
		x, y := s.at(a.record), s.at(b.record)
		return cmp.Or(cmp.Compare(x.id, y.id), cmp.Compare(x.task, y.task), cmp.Compare(x.component, y.component))
	})
	// The second showing begins with one of the jobs first..last: at the only step back of the clocks if there is one, and
	// after the last job that is bound to the earlier reading.
	first, last := 0, len(jobs)
	for i := range jobs {
		if i > 0 && s.at(jobs[i].record).submit < s.at(jobs[i-1].record).submit {
			first, last = max(first, i), min(last, i)
		}
		if s.bound(&jobs[i]) {
			first = max(first, i+1)
		}
	}
	for i := range jobs {
		r := s.at(jobs[i].record)
		switch {
		case first > last || first <= i && i < last: // the numbers are in no such order, or say nothing
			if !s.bound(&jobs[i]) {
				s.note(doubtfulHour, jobs[i].line)
			}
		case i >= last:
			r.submit += jobs[i].later
			if r.wait != none && !jobs[i].along {
				r.wait -= jobs[i].later
			}
		}
	}
}
