package joblog

import (
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/partwise/partwise/models/workload/internal/packed"
	"github.com/partwise/partwise/models/workload/internal/wholelog"
)

// setApart returns the ended and the unfinished records whose times can be right, and the ended records whose times cannot be right. Records
// come and stay in the order of their submission. The impossible times are counted by reason.
func (s *store) setApart(ended, unfinished packed.Order) (keptEnded, keptUnfinished, apart packed.Order) {
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	if n := ended.Len(); n >= wholelog.LeastJobs {
		k := wholelog.Trimmed(n)
		from = int64(s.submitOf(ended.At(k))) - wholelog.LongestYear
		to = int64(s.submitOf(ended.At(n-1-k))) + wholelog.LongestYear
	}
	s.judgeDates(ended, from, to)
	s.judgeDates(unfinished, from, to)
	s.judgeElapsed(ended)
	s.judgeRuns(ended)
	if len(s.impossible) == 0 {
		return ended, unfinished, packed.Order{}
	}
	isPossible := func(i uint32) bool { return s.impossible[i] == "" }
	for _, records := range [...]packed.Order{ended, unfinished} {
		for i := range records.All() {
			if !isPossible(i) {
				s.findings.add(s.impossible[i], int(s.records.At(i).line), nil, false).Apart = true
			}
		}
	}
	return ended.Where(isPossible), unfinished.Where(isPossible), ended.Where(func(i uint32) bool { return !isPossible(i) })
}

// judgeDates finds records with a time outside a range.
func (s *store) judgeDates(records packed.Order, from, to int64) {
	cursor := s.records.Cursor(timeFields...)
	for i := range records.All() {
		r := timesOf(cursor.At(i))
		last := int64(r.start())
		if r.run != none {
			last += int64(r.run)
		}
		if (int64(r.submit) < from || last > to) && s.impossible[i] == "" {
			s.impossible[i] = wholelog.FarAway
		}
	}
}

// judgeElapsed finds, among the records whose elapsed time is longer than from their start to their end, those that are longer than the
// log: from the first submission to the last end of other records.
func (s *store) judgeElapsed(ended packed.Order) {
	if len(s.overlong) == 0 {
		return
	}
	first, last := uint32(none), uint32(0)
	for i := range ended.All() {
		if r := s.records.At(i); !s.overlong[i] && s.impossible[i] == "" {
			first, last = min(first, r.submit), max(last, r.submit, r.end())
		}
	}
	for i := range s.overlong {
		if r := s.records.At(i); first <= last && r.run > last-first && s.impossible[i] == "" {
			s.impossible[i] = wholelog.TooLongRun
		}
	}
}

// judgeRuns finds records whose run time is longer than the log of all other records, although it agrees with the start and the end.
func (s *store) judgeRuns(ended packed.Order) {
	length, cursor := wholelog.NewLogLength(), s.records.Cursor(timeFields...)
	for i := range ended.All() {
		if s.impossible[i] != "" {
			continue
		}
		r := timesOf(cursor.At(i))
		stay := wholelog.Stay{Place: int(i), Submit: float64(r.submit), End: float64(max(r.submit, r.end()))}
		if r.run != none && (r.limit == none || r.run > r.limit) {
			stay.Run = float64(r.run)
		}
		length.Add(stay)
	}
	for _, i := range length.TooLong() {
		s.impossible[uint32(i)] = wholelog.TooLongRun
	}
}

// WithApart returns the jobs of a log as if all their times were believed: the given jobs, and among them those set apart that can be run
// again, in the order of their submission. All times move on if a job set apart was submitted before the log begins, so that none is
// negative; moved is the number of seconds. A result with these jobs, beside the one without, tells what the impossible times would change.
func (l *Log) WithApart(jobs *List) (all *List, moved float64) {
	believed := slices.DeleteFunc(slices.Clone(l.Apart), func(j Job) bool {
		j.Submit = max(j.Submit, 0)
		return j.Problem(0) != ""
	})
	if len(believed) == 0 {
		return jobs, 0
	}
	earliest := 0.0
	for i := range believed {
		earliest = min(earliest, believed[i].Submit)
	}
	all = new(List)
	add := func(j *Job) {
		later := *j
		later.Submit -= earliest
		all.Add(&later)
	}
	for j := range jobs.All() {
		add(j)
	}
	for i := range believed {
		add(&believed[i])
	}
	return all.BySubmission(), -earliest
}

// judgedTimes returns the times of a job that are judged by the whole log.
func (j *Job) judgedTimes() wholelog.Times {
	return wholelog.Times{Submit: j.Submit, Wait: j.Wait, Run: j.Run, Limit: j.Estimate}
}

// judgedTimesOf returns the times of jobs one by one, with the error of the jobs.
func judgedTimesOf(jobs Jobs) iter.Seq2[wholelog.Times, error] {
	return func(yield func(wholelog.Times, error) bool) {
		for j, err := range jobs {
			if err != nil {
				yield(wholelog.Times{}, err)
				return
			}
			if !yield(j.judgedTimes(), nil) {
				return
			}
		}
	}
}

// setApart takes the jobs whose times cannot be right out of the list of the log, and adds them to Apart. x is the extent of the jobs.
func (l *Log) setApart(jobs *List, x *wholelog.Extent) *List {
	why, _ := x.Impossible(judgedTimesOf(jobs.All())) // jobs in memory have no error
	if len(why) == 0 {
		return jobs
	}
	kept := new(List)
	held, at := 0.0, 0
	for j := range jobs.All() {
		if why[at] != "" {
			l.Apart = append(l.Apart, *j)
		} else {
			kept.Add(j)
			held += j.NodeTime()
		}
		at++
	}
	l.lose(why, held, kept.Len())
	return kept
}

// lose counts jobs whose times cannot be right among the findings and the losses of a log. The other jobs held so many node-seconds.
func (l *Log) lose(why map[int]string, held float64, others int) {
	var found findings
	for _, at := range slices.Sorted(maps.Keys(why)) {
		found.add(why[at], 0, nil, false).Apart = true
	}
	l.Findings = append(l.Findings, found.sorted()...)
	l.Lost.Lines += len(why)
	l.Lost = l.Lost.among(held, others, len(why))
}
