package logstats

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/partwise/partwise/models/workload"
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
	// Settled counts only the jobs that ran for 90 seconds or more and were not killed.
	Settled [102]int
}

const (
	twoHours = 7200 // what jobs ask for that may run while other limits apply, in the logs of the paper
	shortRun = 90
)

// AccuracyOf compares the run times of jobs with an estimate of each, in seconds. If estimates is nil, they are the estimates of
// the log. Jobs whose estimate is not positive are left out, and so are estimates without a job.
func AccuracyOf(jobs *joblog.List, estimates []float64) Accuracy {
	var a Accuracy
	for j, estimate := range estimated(jobs, estimates) {
		if j.Run >= 0 {
			a.add(j, estimate)
		}
	}
	return a
}

// estimated yields the jobs with a positive estimate, each with its estimate in seconds. estimates are as [AccuracyOf] takes them.
func estimated(jobs *joblog.List, estimates []float64) iter.Seq2[*joblog.Job, float64] {
	return func(yield func(*joblog.Job, float64) bool) {
		i := 0
		for j := range jobs.All() {
			estimate := j.Estimate
			if estimates != nil {
				if i == len(estimates) {
					return
				}
				estimate = estimates[i]
			}
			if estimate > 0 && !yield(j, estimate) {
				return
			}
			i++
		}
	}
}

// ShortEstimates returns the estimates and the run times of jobs, both in seconds and in the order of the jobs, for pictures that
// show jobs one by one. It leaves out jobs with an estimate above two hours, or a run time above twice the estimate: they would leave
// no room for the others. estimates are as [AccuracyOf] takes them.
func ShortEstimates(jobs *joblog.List, estimates []float64) (short, runs []float64) {
	for j, estimate := range estimated(jobs, estimates) {
		if estimate <= twoHours && j.Run <= 2*estimate {
			short, runs = append(short, estimate), append(runs, j.Run)
		}
	}
	return short, runs
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
// it waited.
func EstimatesOf(jobs *joblog.List, e workload.Estimator, u workload.Uniform) []float64 {
	out := make([]float64, jobs.Len())
	var ends []float64
	var order []int32 // of the jobs that have not ended, by their ends
	learner, learns := e.(workload.Learner)
	if learns {
		ends, order = make([]float64, len(out)), make([]int32, len(out))
		for i := range out {
			from := jobs.At(i)
			ends[i], order[i] = from.Submit+max(from.Wait, 0)+from.Run, int32(i)
		}
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(ends[a], ends[b]) })
	}
	for i := range out {
		from := jobs.At(i)
		j := workload.AsLogged(&from)
		for ; len(order) > 0 && ends[order[0]] <= j.Submit; order = order[1:] {
			from := jobs.At(int(order[0]))
			ended := workload.AsLogged(&from)
			learner.Ended(&ended, ends[order[0]])
		}
		out[i] = e.Estimate(&j, j.Submit, u)
	}
	return out
}
