package joblog

import "math"

// Times that cannot be right are judged by the whole log: jobs with such times are set apart, because one wrong start moves the
// schedule of all jobs behind it.
const (
	// leastForRange is the number of jobs from which on a range of submissions is judged.
	leastForRange = 10
	longestYear   = 366 * 86400
)

// trimmed returns how many of n submissions in order are left out at each end of the middle 98 %.
func trimmed(n int) int { return (n + 99) / 100 }

// setApart returns records in the order of their submission without those whose times cannot be right, and the latter. It counts them
// by reason.
func (s *store) setApart(ended, unfinished []uint32) (keptEnded, keptUnfinished, apart []uint32) {
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	if n := len(ended); n >= leastForRange {
		k := trimmed(n)
		from = int64(s.at(ended[k]).submit) - longestYear
		to = int64(s.at(ended[n-1-k]).submit) + longestYear
	}
	s.judgeDates(ended, from, to)
	s.judgeDates(unfinished, from, to)
	s.judgeRuns(ended)
	if len(s.impossible) == 0 {
		return ended, unfinished, nil
	}
	keep := func(records []uint32) (kept []uint32) {
		for _, i := range records {
			what := s.impossible[i]
			if what == "" {
				kept = append(kept, i)
				continue
			}
			apart = append(apart, i)
			s.findings.add(what, int(s.at(i).line), nil, false).Apart = true
		}
		return kept
	}
	keptEnded, keptUnfinished = keep(ended), keep(unfinished)
	return keptEnded, keptUnfinished, apart
}

// judgeDates finds records with a time outside a range.
func (s *store) judgeDates(records []uint32, from, to int64) {
	for _, i := range records {
		r := s.at(i)
		last := int64(r.start())
		if r.run != none {
			last += int64(r.run)
		}
		if (int64(r.submit) < from || last > to) && s.impossible[i] == "" {
			s.impossible[i] = farAway
		}
	}
}

// judgeRuns finds, among the records whose elapsed time is longer than from their start to their end, those that are longer than the
// log: from the first submission to the last end of other records.
func (s *store) judgeRuns(ended []uint32) {
	if len(s.overlong) == 0 {
		return
	}
	first, last := uint32(none), uint32(0)
	for _, i := range ended {
		if r := s.at(i); !s.overlong[i] && s.impossible[i] == "" {
			first, last = min(first, r.submit), max(last, r.submit, r.end())
		}
	}
	for i := range s.overlong {
		if r := s.at(i); first <= last && r.run > last-first && s.impossible[i] == "" {
			s.impossible[i] = tooLongRun
		}
	}
}
