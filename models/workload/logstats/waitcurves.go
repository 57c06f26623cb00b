package logstats

import (
	"math"
	"slices"

	"github.com/partwise/partwise/models/workload/joblog"
)

// WaitCurves are the waits of jobs as pictures show them: over time, and as a distribution. Waits that a log recorded stand
// beside those of a replay of the same jobs. Times are in seconds.
type WaitCurves struct {
	Period  float64 // length of a period
	Periods []WaitPeriod
	// Logged and Replayed are percentiles: element k is the wait that k of 100 jobs do not exceed. Replayed is empty without a replay.
	Logged, Replayed []float64
}

// WaitPeriod is the mean wait of the jobs that were submitted in a period.
type WaitPeriod struct {
	From             float64 // since the first submission
	Jobs             int
	Logged, Replayed float64 // NaN without jobs
}

// periods are the lengths of the periods among which [WaitCurvesOf] chooses, in seconds.
var periods = []float64{3600, 86400, 7 * 86400, 28 * 86400, 364 * 86400}

// mostPeriods is how many periods a picture shows at most, if the longest period allows it.
const mostPeriods = 200

// mostReach is how many of the longest periods the submissions may reach over: no log lasts for a thousand years.
const mostReach = 1000

// WaitCurvesOf returns the curves of jobs that were submitted at the times submits, and of their waits by the log and by a replay.
// Element i of each slice is of job i; replayed is nil without a replay. Periods have the shortest length of which at most 200
// cover the submissions. Without jobs, or with a time of submission that is not finite, there are no periods and no percentiles.
// Slices of different lengths are read as far as the shortest reaches.
//
// Percentiles are interpolated linearly between two waits, as those of [Waits].
func WaitCurvesOf(submits, logged, replayed []float64) WaitCurves {
	n := min(len(submits), len(logged))
	if replayed != nil {
		n = min(n, len(replayed))
		replayed = replayed[:n]
	}
	submits, logged = submits[:n], logged[:n]
	c := curvesOver(submits, logged, replayed)
	if c.Periods != nil {
		c.Logged, c.Replayed = percentiles(slices.Sorted(slices.Values(logged))), percentiles(slices.Sorted(slices.Values(replayed)))
	}
	return c
}

// LoggedWaitCurves returns the curves of the logged waits of jobs, see [WaitCurvesOf]. Jobs without a logged wait do not count.
func LoggedWaitCurves(jobs *joblog.List) WaitCurves {
	var submits, waits []float64
	for i := range jobs.Len() {
		if j := jobs.At(i); Waited(&j) {
			submits, waits = append(submits, j.Submit), append(waits, j.Wait)
		}
	}
	return WaitCurvesOf(submits, waits, nil)
}

// curvesOver returns the curves of [WaitCurvesOf] over time, without percentiles. The slices have one length, or replayed is nil.
func curvesOver(submits, logged, replayed []float64) WaitCurves {
	if len(submits) == 0 {
		return WaitCurves{}
	}
	first, last := slices.Min(submits), slices.Max(submits)
	if reach := (last - first) / periods[len(periods)-1]; !(reach < mostReach) {
		return WaitCurves{}
	}
	c := WaitCurves{Period: periods[len(periods)-1]}
	for _, length := range slices.Backward(periods) {
		if (last-first)/length < mostPeriods {
			c.Period = length
		}
	}
	c.Periods = make([]WaitPeriod, int((last-first)/c.Period)+1)
	for i, at := range submits {
		p := &c.Periods[int((at-first)/c.Period)]
		p.Jobs++
		p.Logged += logged[i]
		if replayed != nil {
			p.Replayed += replayed[i]
		}
	}
	for k := range c.Periods {
		p := &c.Periods[k]
		p.From = float64(k) * c.Period
		p.Logged, p.Replayed = p.Logged/float64(p.Jobs), p.Replayed/float64(p.Jobs)
		if replayed == nil {
			p.Replayed = math.NaN()
		}
	}
	return c
}

// percentiles returns the quantiles of 0, 1, …, 100 per cent of sorted values; nil without values.
func percentiles(sorted []float64) []float64 {
	if len(sorted) == 0 {
		return nil
	}
	all := make([]float64, 101)
	for k := range all {
		all[k] = quantile(sorted, float64(k)/100)
	}
	return all
}
