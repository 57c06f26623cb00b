package validate

import (
	"cmp"
	"math"
	"slices"

	"github.com/partwise/partwise/validate/machine"
)

// typical returns the time in which n consecutive jobs arrived, chosen to be most like the whole run: in each of its halves
// the mean number of jobs in the system, waiting or running, is closest to the mean over all arrivals. The first arrivals are
// not typical, because machines begin empty. If there are no more than n records, it returns the time of all arrivals.
func typical(records []machine.Record, n int) (from, to float64) {
	jobs := slices.SortedFunc(slices.Values(records), func(a, b machine.Record) int { return cmp.Compare(a.Submit, b.Submit) })
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
func meanJobs(jobs []machine.Record, a, b float64) float64 {
	var sum float64
	for i := range jobs {
		if jobs[i].Submit >= b {
			break
		}
		sum += max(0, min(jobs[i].End, b)-max(jobs[i].Submit, a))
	}
	return sum / (b - a)
}
