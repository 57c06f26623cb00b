package joblog

import (
	"maps"
	"math"
	"slices"

	"github.com/partwise/partwise/models/workload/internal/packed"
	"github.com/partwise/partwise/models/workload/internal/wholelog"
)

// longestYear is the length of the longest year in seconds. A date more than a year outside the range of most submissions cannot be right.
// Jobs with impossible times are set apart, because one wrong start would move the schedule of all later jobs.
const longestYear = 366 * 86400

// trimmed returns how many of n submissions in order are left out at each end of the middle 98 %.
func trimmed(n int) int { return (n + 99) / 100 }

// setApart returns the ended and the unfinished records whose times can be right, and the ended records whose times cannot be right. Records
// come and stay in the order of their submission. The impossible times are counted by reason.
func (s *store) setApart(ended, unfinished packed.Order) (keptEnded, keptUnfinished, apart packed.Order) {
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	if n := ended.Len(); n >= wholelog.LeastJobs {
		k := trimmed(n)
		from = int64(s.submitOf(ended.At(k))) - longestYear
		to = int64(s.submitOf(ended.At(n-1-k))) + longestYear
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
			s.impossible[i] = farAway
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
			s.impossible[i] = tooLongRun
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
		s.impossible[uint32(i)] = tooLongRun
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

// extent is the range of the times of jobs that come one by one, by which jobs with impossible times are noticed.
type extent struct {
	jobs          int
	first, latest float64 // submission; submission, start or end
	last          float64 // submission so far
	isUnsorted    bool
	isImpossible  bool    // a job has a start before its submission, or an end before its start
	lastEnd       float64 // of jobs whose wait is known
	longest       float64 // run time of jobs whose wait is not known
	longestKnown  float64 // run time of jobs whose wait is known and whose limit does not allow the run time
}

// extentOf returns the extent of the jobs of a list.
func extentOf(jobs *List) *extent {
	x := new(extent)
	for j := range jobs.All() {
		x.add(j)
	}
	return x
}

// add takes a job in.
func (x *extent) add(j *Job) {
	if !(j.Submit >= 0) {
		x.isUnsorted = true
		return
	}
	if x.jobs == 0 {
		x.first = j.Submit
	}
	x.jobs++
	end := endOf(j)
	x.isUnsorted = x.isUnsorted || j.Submit < x.last
	x.first, x.last, x.latest = min(x.first, j.Submit), j.Submit, max(x.latest, end)
	switch {
	case impossibleOrder(j) != "":
		x.isImpossible = true
	case j.Wait >= 0:
		x.lastEnd = max(x.lastEnd, end)
		x.longestKnown = max(x.longestKnown, judgedRun(j))
	default:
		x.longest = max(x.longest, j.Run)
	}
}

// endOf returns the last time of a job that the log tells.
func endOf(j *Job) float64 { return j.Submit + max(j.Wait, 0) + max(j.Run, 0) }

// judgedRun returns the run time of a job by which it is judged whether the job ran too long: 0 if the job's limit allows it.
func judgedRun(j *Job) float64 {
	if j.Estimate > 0 && j.Run <= j.Estimate {
		return 0
	}
	return j.Run
}

// impossibleOrder returns which times of a job are in an order that cannot be right, "" if none. −1 stands for a time that is not told.
func impossibleOrder(j *Job) string {
	switch {
	case j.Wait < 0 && j.Wait != -1:
		return startsEarly
	case j.Run < 0 && j.Run != -1:
		return endsEarly
	}
	return ""
}

// isLongerThanLog reports whether a run time is longer than from the first submission to the last end of the jobs whose wait is known.
func (x *extent) isLongerThanLog(run float64) bool {
	return x.jobs >= wholelog.LeastJobs && x.lastEnd > 0 && run > x.lastEnd-x.first
}

// setApart takes the jobs whose times cannot be right out of the list of a log, and adds them to the log.
func (x *extent) setApart(jobs *List, log *Log) *List {
	why, _ := x.impossible(jobs.All()) // jobs in memory have no error
	if len(why) == 0 {
		return jobs
	}
	kept := new(List)
	held, at := 0.0, 0
	for j := range jobs.All() {
		if why[at] != "" {
			log.Apart = append(log.Apart, *j)
		} else {
			kept.Add(j)
			held += j.NodeTime()
		}
		at++
	}
	log.lose(why, held, kept.Len())
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

// impossible returns why the times of jobs cannot be right, by the places of the jobs. It goes through the jobs again only if the extent
// shows that some may be wrong. The error comes from the jobs.
func (x *extent) impossible(jobs Jobs) (why map[int]string, err error) {
	from, to := math.Inf(-1), math.Inf(1)
	if x.jobs >= wholelog.LeastJobs && x.latest-x.first > longestYear {
		if from, to, err = x.middle(jobs); err != nil {
			return nil, err
		}
		from, to = from-longestYear, to+longestYear
	}
	if !x.isImpossible && x.first >= from && x.latest <= to && x.longestKnown <= wholelog.LongestUsual && !x.isLongerThanLog(x.longest) {
		return nil, nil
	}
	return x.judge(jobs, from, to)
}

// judge returns why the times of jobs cannot be right, by the places of the jobs. The range holds the possible times.
func (x *extent) judge(jobs Jobs, from, to float64) (why map[int]string, err error) {
	why = map[int]string{}
	length := wholelog.NewLogLength()
	// told are the jobs whose submission the log tells, and for whose times no reason has been found.
	told := func(yield func(at int, j *Job) bool) {
		at := -1
		for j, e := range jobs {
			if e != nil {
				err = e
				return
			}
			at++
			if j.Submit >= 0 && why[at] == "" && !yield(at, j) {
				return
			}
		}
	}
	for at, j := range told {
		switch what := impossibleOrder(j); {
		case what != "":
			why[at] = what
		case j.Submit < from || endOf(j) > to:
			why[at] = farAway
		case j.Wait >= 0:
			length.Add(wholelog.Stay{Place: at, Submit: j.Submit, End: endOf(j), Run: judgedRun(j)})
		}
	}
	for _, at := range length.TooLong() {
		why[at] = tooLongRun
	}
	x.first, x.lastEnd = math.Inf(1), 0
	for _, j := range told {
		x.first = min(x.first, j.Submit)
		if j.Wait >= 0 {
			x.lastEnd = max(x.lastEnd, endOf(j))
		}
	}
	for at, j := range told {
		if j.Wait == -1 && x.isLongerThanLog(j.Run) {
			why[at] = tooLongRun
		}
	}
	return why, err
}

// middle returns the first and the last of the middle 98 % of the submissions. Of submissions that are not in order it keeps the outer
// ones only: the least and the greatest so far, up to twice as many as are left out.
func (x *extent) middle(jobs Jobs) (first, last float64, err error) {
	k, at := trimmed(x.jobs), 0
	outer := 2 * (k + 1)
	var least, greatest []float64
	for j, err := range jobs {
		switch {
		case err != nil:
			return 0, 0, err
		case !(j.Submit >= 0):
			continue
		case x.isUnsorted:
			least, greatest = append(least, j.Submit), append(greatest, -j.Submit)
			if len(least) == outer {
				slices.Sort(least)
				slices.Sort(greatest)
				least, greatest = least[:k+1], greatest[:k+1]
			}
		case at == k:
			first = j.Submit
		case at == x.jobs-1-k:
			return first, j.Submit, nil
		}
		at++
	}
	slices.Sort(least)
	slices.Sort(greatest)
	return least[k], -greatest[k], nil
}
