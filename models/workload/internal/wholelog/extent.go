package wholelog

import (
	"iter"
	"math"
	"slices"
)

// Extent is the range of the times of jobs that come one by one, by which impossible times are noticed. The zero value has no jobs.
type Extent struct {
	jobs          int
	first, latest float64 // submission; submission, start or end
	last          float64 // submission so far
	isUnsorted    bool
	isImpossible  bool    // a job has a start before its submission, or an end before its start
	lastEnd       float64 // of jobs whose wait is known
	longest       float64 // run time of jobs whose wait is not known
	longestKnown  float64 // run time of jobs whose wait is known and whose limit does not allow the run time
}

// Add takes a job in.
func (x *Extent) Add(t Times) {
	if !(t.Submit >= 0) {
		x.isUnsorted = true
		return
	}
	if x.jobs == 0 {
		x.first = t.Submit
	}
	x.jobs++
	end := t.end()
	x.isUnsorted = x.isUnsorted || t.Submit < x.last
	x.first, x.last, x.latest = min(x.first, t.Submit), t.Submit, max(x.latest, end)
	switch {
	case t.WrongOrder() != "":
		x.isImpossible = true
	case t.Wait >= 0:
		x.lastEnd = max(x.lastEnd, end)
		x.longestKnown = max(x.longestKnown, t.judgedRun())
	default:
		x.longest = max(x.longest, t.Run)
	}
}

// isLongerThanLog reports whether a run time is longer than from the first submission to the last end of the jobs whose wait is
// known.
func (x *Extent) isLongerThanLog(run float64) bool {
	return x.jobs >= LeastJobs && x.lastEnd > 0 && run > x.lastEnd-x.first
}

// Impossible returns why the times of jobs cannot be right, by the places of the jobs from 0. The jobs are those that were added.
// Impossible goes through them only if the extent shows that some may be wrong. The error comes from the jobs.
func (x *Extent) Impossible(jobs iter.Seq2[Times, error]) (why map[int]string, err error) {
	from, to := math.Inf(-1), math.Inf(1)
	if x.jobs >= LeastJobs && x.latest-x.first > LongestYear {
		if from, to, err = x.middle(jobs); err != nil {
			return nil, err
		}
		from, to = from-LongestYear, to+LongestYear
	}
	if !x.isImpossible && x.first >= from && x.latest <= to && x.longestKnown <= LongestUsual && !x.isLongerThanLog(x.longest) {
		return nil, nil
	}
	return x.judge(jobs, from, to)
}

// judge returns why the times of jobs cannot be right, by the places of the jobs. The range holds the possible times.
func (x *Extent) judge(jobs iter.Seq2[Times, error], from, to float64) (why map[int]string, err error) {
	why = map[int]string{}
	length := NewLogLength()
	// told are the jobs whose submission the log tells, and for whose times no reason has been found.
	told := func(yield func(at int, t *Times) bool) {
		at := -1
		for t, e := range jobs {
			if e != nil {
				err = e
				return
			}
			at++
			if t.Submit >= 0 && why[at] == "" && !yield(at, &t) {
				return
			}
		}
	}
	for at, t := range told {
		switch what := t.WrongOrder(); {
		case what != "":
			why[at] = what
		case t.Submit < from || t.end() > to:
			why[at] = FarAway
		case t.Wait >= 0:
			length.Add(Stay{Place: at, Submit: t.Submit, End: t.end(), Run: t.judgedRun()})
		}
	}
	for _, at := range length.TooLong() {
		why[at] = TooLongRun
	}
	x.first, x.lastEnd = math.Inf(1), 0
	for _, t := range told {
		x.first = min(x.first, t.Submit)
		if t.Wait >= 0 {
			x.lastEnd = max(x.lastEnd, t.end())
		}
	}
	for at, t := range told {
		if t.Wait == -1 && x.isLongerThanLog(t.Run) {
			why[at] = TooLongRun
		}
	}
	return why, err
}

// middle returns the first and the last of the middle 98 % of the submissions. Of submissions that are not in order it keeps the
// outer ones only: the least and the greatest so far, up to twice as many as are left out.
func (x *Extent) middle(jobs iter.Seq2[Times, error]) (first, last float64, err error) {
	k, at := Trimmed(x.jobs), 0
	outer := 2 * (k + 1)
	var least, greatest []float64
	for t, err := range jobs {
		switch {
		case err != nil:
			return 0, 0, err
		case !(t.Submit >= 0):
			continue
		case x.isUnsorted:
			least, greatest = append(least, t.Submit), append(greatest, -t.Submit)
			if len(least) == outer {
				slices.Sort(least)
				slices.Sort(greatest)
				least, greatest = least[:k+1], greatest[:k+1]
			}
		case at == k:
			first = t.Submit
		case at == x.jobs-1-k:
			return first, t.Submit, nil
		}
		at++
	}
	slices.Sort(least)
	slices.Sort(greatest)
	return least[k], -greatest[k], nil
}
