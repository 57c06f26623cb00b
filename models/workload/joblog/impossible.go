package joblog

import (
	"math"
	"slices"
)

// Times that cannot be right are judged by the whole log: jobs with such times are set apart, because one wrong start moves the
// schedule of all jobs behind it.
const (
	// leastForRange is the number of jobs from which on the range of submissions, or the length of the log, is relied on.
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

// extent is the range of the times of jobs that come one by one, by which jobs with impossible times are noticed.
type extent struct {
	jobs          int
	first, latest float64 // submission; submission, start or end
	last          float64 // submission so far
	isUnsorted    bool
	isEarly       bool    // a job has a start before its submission
	lastEnd       float64 // of jobs whose wait is known
	longest       float64 // run time of jobs whose wait is not known
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
	case j.Wait >= 0:
		x.lastEnd = max(x.lastEnd, end)
	case j.Wait == -1:
		x.longest = max(x.longest, j.Run)
	default:
		x.isEarly = true
	}
}

// endOf returns the last time of a job that the log tells.
func endOf(j *Job) float64 { return j.Submit + max(j.Wait, 0) + max(j.Run, 0) }

// isLongerThanLog reports whether a run time is longer than from the first submission to the last end of the jobs whose wait is known.
func (x *extent) isLongerThanLog(run float64) bool {
	return x.jobs >= leastForRange && x.lastEnd > 0 && run > x.lastEnd-x.first
}

// setApart takes the jobs whose times cannot be right out of the list of a log, and adds them to the log.
func (x *extent) setApart(jobs *List, log *Log) *List {
	from, to := math.Inf(-1), math.Inf(1)
	if x.jobs >= leastForRange && x.latest-x.first > longestYear {
		from, to = x.middle(jobs)
		from, to = from-longestYear, to+longestYear
	}
	if !x.isEarly && x.first >= from && x.latest <= to && !x.isLongerThanLog(x.longest) {
		return jobs
	}
	x.measureLog(jobs, from, to)
	var found findings
	kept := new(List)
	held := 0.0
	for j := range jobs.All() {
		if what := x.impossible(j, from, to); what != "" {
			log.Apart = append(log.Apart, *j)
			found.add(what, 0, nil, false).Apart = true
			continue
		}
		kept.Add(j)
		held += j.NodeTime()
	}
	log.Findings = append(log.Findings, found.sorted()...)
	if n := len(log.Apart); n > 0 && kept.Len() > 0 {
		log.Lost = Lost{Lines: n, NodeSeconds: held / float64(kept.Len()) * float64(n)}
		log.Lost.Share = float64(n) / float64(n+kept.Len())
	}
	return kept
}

// measureLog finds the first submission and the last end of the jobs whose times lie in a range.
func (x *extent) measureLog(jobs *List, from, to float64) {
	x.first, x.lastEnd = math.Inf(1), 0
	for j := range jobs.All() {
		if !(j.Submit >= 0) || j.Submit < from || endOf(j) > to {
			continue
		}
		x.first = min(x.first, j.Submit)
		if j.Wait >= 0 {
			x.lastEnd = max(x.lastEnd, endOf(j))
		}
	}
}

// impossible returns why the times of a job cannot be right, "" if they can. The range is that of possible times.
func (x *extent) impossible(j *Job, from, to float64) string {
	switch {
	case !(j.Submit >= 0): // the log does not tell it
		return ""
	case j.Wait < 0 && j.Wait != -1:
		return startsEarly
	case j.Submit < from || endOf(j) > to:
		return farAway
	case j.Wait == -1 && x.isLongerThanLog(j.Run):
		return tooLongRun
	}
	return ""
}

// middle returns the first and the last of the middle 98 % of the submissions.
func (x *extent) middle(jobs *List) (first, last float64) {
	n := x.jobs
	k := trimmed(n)
	if !x.isUnsorted {
		return jobs.At(k).Submit, jobs.At(n - 1 - k).Submit
	}
	var submissions []float64
	for j := range jobs.All() {
		if j.Submit >= 0 {
			submissions = append(submissions, j.Submit)
		}
	}
	slices.Sort(submissions)
	return submissions[k], submissions[n-1-k]
}
