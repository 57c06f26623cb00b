package workload

import (
	"slices"

	"github.com/partwise/partwise/models/workload/joblog"
)

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
