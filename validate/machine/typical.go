package machine

import (
	"cmp"
	"math"
	"slices"
)

// Typical returns the time in which n consecutive jobs of those recorded came that is most like the whole: in each half
// of it the mean number of jobs in the system, waiting or running, is closest to the mean over all arrivals. Machines
// begin empty, so that the first arrivals are not typical. With no more than n records it is the time of all arrivals.
func Typical(records []Record, n int) (from, to float64) {
	jobs := slices.SortedFunc(slices.Values(records), func(a, b Record) int { return cmp.Compare(a.Submit, b.Submit) })
	if len(jobs) == 0 {
		return 0, 0
	}
	first, last := jobs[0].Submit, jobs[len(jobs)-1].Submit
	if len(jobs) <= n || last == first {
		return first, last
	}
	mean, least := meanJobs(jobs, first, last), math.Inf(1)
	from, to = first, jobs[n].Submit
	for i := range jobs[:len(jobs)-n] {
		a, b := jobs[i].Submit, jobs[i+n].Submit
		if a == b {
			continue
		}
		middle := (a + b) / 2
		if off := math.Abs(meanJobs(jobs, a, middle)-mean) + math.Abs(meanJobs(jobs, middle, b)-mean); off < least {
			from, to, least = a, b, off
		}
	}
	return from, to
}

// meanJobs returns (1/(b−a))·Σ of the time that each job was in the system from a to b.
func meanJobs(jobs []Record, a, b float64) float64 {
	var sum float64
	for i := range jobs {
		if jobs[i].Submit >= b {
			break
		}
		sum += max(0, min(jobs[i].End, b)-max(jobs[i].Submit, a))
	}
	return sum / (b - a)
}
