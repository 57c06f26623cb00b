package joblog

import (
	"iter"
	"maps"
	"slices"

	"github.com/partwise/partwise/models/workload/internal/wholelog"
)

// WithApart returns the jobs of a log as if all their times were believed: the given jobs, and among them those set apart that
// can be run again, in the order of their submission. All times move on if a job set apart was submitted before the log begins,
// so that none is negative; moved is the number of seconds. A result with these jobs, beside the one without, tells what the
// impossible times would change.
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

// setApart takes the jobs whose times cannot be right out of the list of the log, and adds them to Apart. x is the extent of the
// jobs.
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
