package workload

import (
	"fmt"
	"slices"
	"sort"

	"github.com/partwise/partwise/models/workload/internal/logtext"
	"github.com/partwise/partwise/models/workload/joblog"
)

// interarrivals returns the differences of the sorted submit times, in seconds, one less than there are jobs, and how
// many jobs were left out, by reason.
func interarrivals(jobs []joblog.Job) (times []float64, skipped map[string]int) {
	skipped = map[string]int{}
	var submits []float64
	for _, j := range jobs {
		if j.Submit < 0 {
			skipped[logtext.NoSubmitTime]++
			continue
		}
		submits = append(submits, j.Submit)
	}
	sort.Float64s(submits)
	for i := 1; i < len(submits); i++ {
		times = append(times, submits[i]-submits[i-1])
	}
	return times, skipped
}

// loggedRunTimes returns the run times in seconds, and how many jobs were left out, by reason.
func loggedRunTimes(jobs []joblog.Job) (times []float64, skipped map[string]int) {
	skipped = map[string]int{}
	for _, j := range jobs {
		if j.Run < 0 {
			skipped[logtext.NoRunTime]++
			continue
		}
		times = append(times, j.Run)
	}
	return times, skipped
}

// works returns the demands of the jobs, run time × S(processors), in seconds on one node, and how many jobs were left
// out, by reason. The error is that the speedup says nothing of a number of processors.
func works(jobs []joblog.Job, s Speedup) (values []float64, skipped map[string]int, err error) {
	skipped = map[string]int{}
	shape := WithSpeedup(Malleable, s)
	for i := range jobs {
		switch from := &jobs[i]; {
		case from.Run < 0:
			skipped[logtext.NoRunTime]++
		case from.Nodes() <= 0:
			skipped[logtext.NoProcessors]++
		default:
			j, err := shape.Job(i, from)
			if err != nil {
				return nil, nil, err
			}
			values = append(values, j.Work)
		}
	}
	return values, skipped, nil
}

// Take returns the quantity q of the jobs, and how many jobs were left out, by reason. The speedup s of all jobs is one
// that a model assumes, which no log tells; nil is linear, and demands are then the node-time that the jobs held.
func (q Quantity) Take(jobs []joblog.Job, s Speedup) (values []float64, skipped map[string]int, err error) {
	switch q {
	case Interarrival:
		values, skipped = interarrivals(jobs)
	case RunTime:
		values, skipped = loggedRunTimes(jobs)
	case Work:
		return works(jobs, s)
	default:
		return nil, nil, fmt.Errorf("workload: a log gives %s, %s or %s, not %q", Interarrival, RunTime, Work, string(q))
	}
	return values, skipped, nil
}

// week is how long a block of a resampled log is, in seconds.
const week = 7 * 24 * 3600

// ResampleWeeks returns a log of as many weeks as the given one has, each of which is one of its weeks: draw returns a
// number from 0 to n−1. What depends on the hour of the day, the day of the week or the jobs shortly before stays
// together. The jobs are in the order of their submission; those without a submit time are left out. A log of less than
// two weeks is returned as it is.
//
// Reference: H. R. Künsch, The jackknife and the bootstrap for general stationary observations, Annals of Statistics 17
// (1989) 1217–1241.
func ResampleWeeks(jobs []joblog.Job, draw func(n int) int) []joblog.Job {
	sorted := slices.DeleteFunc(slices.Clone(jobs), func(j joblog.Job) bool { return j.Submit < 0 })
	slices.SortStableFunc(sorted, joblog.BySubmission)
	if len(sorted) == 0 {
		return nil
	}
	first := sorted[0].Submit
	n := int((sorted[len(sorted)-1].Submit - first) / week)
	if n < 2 {
		return sorted
	}
	weeks := make([][]joblog.Job, n)
	for _, j := range sorted {
		if w := int((j.Submit - first) / week); w < n { // the last days are no week
			weeks[w] = append(weeks[w], j)
		}
	}
	var out []joblog.Job
	for to := range n {
		from := draw(n)
		for _, j := range weeks[from] {
			j.Submit += float64(to-from) * week
			out = append(out, j)
		}
	}
	return out
}
