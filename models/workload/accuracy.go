package workload

import (
	"cmp"
	"math"
	"slices"

	"github.com/partwise/partwise/models/workload/joblog"
)

// Accuracy says how good estimates of run times are, as Mu'alem and Feitelson, section 4.1, tabulate it.
type Accuracy struct {
	Jobs       int // with an estimate
	Killed     int // failed or cancelled
	Peak       int // that ran for 99 to 101 % of their estimates
	PeakKilled int // of these
	Zero       int // that ran for less than 1 % of their estimates
	Short      int // that ran for less than 90 s
	TwoHours   int // whose estimate is two hours or less
	Under      int // that ran for longer than their estimates
	// Percent counts jobs by run time over estimate: element k those with k to k+1 percent, the last those with more.
	Percent [102]int
	// Settled counts only those that ran for 90 seconds or more and were not killed.
	Settled [102]int
}

// twoHours is what jobs ask for that may run while other limits apply, in the logs of the paper.
const twoHours = 7200

// AccuracyOf compares run times with estimates, both as long as the list of jobs; those without an estimate are left
// out.
func AccuracyOf(jobs []joblog.Job, estimates []float64) Accuracy {
	var a Accuracy
	for i := range jobs {
		if i < len(estimates) && estimates[i] > 0 && jobs[i].Run >= 0 {
			a.add(&jobs[i], estimates[i])
		}
	}
	return a
}

func (a *Accuracy) add(j *joblog.Job, estimate float64) {
	killed := j.Status == joblog.Failed || j.Status == joblog.Cancelled
	percent := 100 * j.Run / estimate
	if !(percent >= 0) { // both are infinite
		return
	}
	bin := int(min(math.Floor(percent), 101))
	if percent == 100 {
		bin = 99 // what ran to its estimate is not beyond it
	}
	a.Jobs++
	a.Percent[bin]++
	if killed {
		a.Killed++
	}
	if percent >= 99 && percent <= 101 {
		a.Peak++
		if killed {
			a.PeakKilled++
		}
	}
	if percent < 1 {
		a.Zero++
	}
	if percent > 100 {
		a.Under++
	}
	if estimate <= twoHours {
		a.TwoHours++
	}
	if j.Run < shortRun {
		a.Short++
	} else if !killed {
		a.Settled[bin]++
	}
}

// EstimatesOf returns what the estimator says of the jobs of a log, in the order of their submission, if they run as
// they did: a learner hears of each at its logged end, or at the end of its run time if the log does not know how long
// it waited. No limit is set to the memory of the list, as to that of the log.
func EstimatesOf(jobs []joblog.Job, e Estimator, u Uniform) []float64 {
	end := func(i int) float64 { return jobs[i].Submit + max(jobs[i].Wait, 0) + jobs[i].Run }
	learner, learns := e.(Learner)
	var ends []int // by the time of their end
	if learns {
		ends = make([]int, len(jobs))
		for i := range ends {
			ends[i] = i
		}
		slices.SortStableFunc(ends, func(a, b int) int { return cmp.Compare(end(a), end(b)) })
	}
	out := make([]float64, len(jobs))
	shaped := func(i int) *Job {
		j := AsLogged(&jobs[i])
		return &j
	}
	for i := range jobs {
		for len(ends) > 0 && end(ends[0]) <= jobs[i].Submit {
			learner.Ended(shaped(ends[0]), end(ends[0]))
			ends = ends[1:]
		}
		out[i] = e.Estimate(shaped(i), jobs[i].Submit, u)
	}
	return out
}
