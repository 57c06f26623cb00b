package replay

import (
	"math"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// newComparison returns an empty comparison of a replay of jobs o with the waiting times that the log recorded. It
// returns nil if nothing can be compared: times are stretched, no job waited, or the log cannot be read.
func newComparison(o Offered) *comparison {
	if !o.AsLogged() {
		return nil
	}
	submits, waits := make([]float64, 0, o.log.Offer.Jobs), make([]float64, 0, o.log.Offer.Jobs)
	waited := false
	for j, err := range o.Jobs() {
		if err != nil {
			return nil
		}
		wait := math.NaN()
		if logstats.Waited(j) {
			wait = j.Wait
		}
		submits, waits = append(submits, j.Submit), append(waits, wait)
		waited = waited || wait > 0
	}
	if !waited {
		return nil
	}
	return &comparison{submits, waits, make([]float64, len(waits))}
}

// comparison collects the waiting times of a replay beside those of the log. All lists are in the order of submission, in seconds. The
// logged wait of a job is NaN if the log does not tell it.
type comparison struct{ submits, logged, replayed []float64 }

// compareWith returns an empty comparison of a run with the log, into which [comparison.add] records the replay. It
// returns nil if the log cannot be compared: the policy resizes or molds jobs, the run has several replications, or the
// log has no waits. The steps of a search are not compared, because nobody looks at their waits.
func (r *Run) compareWith(o Offered) *comparison {
	if r.Kind() != workload.Rigid || !r.isOneReplication() || r.searched {
		return nil
	}
	return newComparison(o)
}

// add records the waiting time of a job that has ended, in c.replayed. On a nil comparison it does nothing.
func (c *comparison) add(record *machine.Record) {
	if c != nil && record.Number < len(c.replayed) {
		c.replayed[record.Number] = record.Wait()
	}
}

// result returns how well the replayed waits agree with the logged ones, over the jobs for which of is true and whose
// waits the log tells. of gets the number of a job in the order of submission, from 0. The result of a nil comparison
// is nil.
func (c *comparison) result(of func(job int) bool) *logstats.Replayed {
	if c == nil {
		return nil
	}
	_, logged, replayed := c.jobs(of)
	r := logstats.Reproduction(logged, replayed)
	return &r
}

// curves returns the logged and the replayed waits of all jobs whose waits the log tells: over time and as
// distributions, for pictures. The result of a nil comparison is nil.
func (c *comparison) curves() *logstats.WaitCurves {
	if c == nil {
		return nil
	}
	curves := logstats.WaitCurvesOf(c.jobs(func(int) bool { return true }))
	return &curves
}

// jobs returns three lists in the order of submission, in seconds: the submissions, the logged waits and the replayed
// waits. They hold the jobs for which of is true and whose waits the log tells.
func (c *comparison) jobs(of func(job int) bool) (submits, logged, replayed []float64) {
	for i, wait := range c.logged {
		if !math.IsNaN(wait) && of(i) {
			submits, logged, replayed = append(submits, c.submits[i]), append(logged, wait), append(replayed, c.replayed[i])
		}
	}
	return submits, logged, replayed
}

// Anchored returns the ratio of response times that the log itself would show: the logged mean response time R, in
// seconds, over the time that remains if the run saves as many seconds as in the replay:
//
//	R / (R − (R_EASY − R_run)).
//
// So waiting that the replay of EASY does not explain stays as it was. ok is false if the run saves more than R; then
// the unit or the number of nodes must be wrong.
func (r *Run) Anchored(logged float64) (e metric.Interval, ok bool) {
	easy := r
	if r.Baseline != nil {
		easy = r.Baseline
	}
	return anchored(r.Ratio(), easy.Measures[measure.MeanResponseTime], logged)
}

// anchored returns the ratio of [Run.Anchored] with its interval, given the ratio to EASY. easy and logged are the mean
// response times of EASY and of the log, in seconds. ok is false if the ratio, or an end of its interval, is not
// positive.
func anchored(ratio metric.Interval, easy, logged float64) (e metric.Interval, ok bool) {
	at := func(ratio float64) float64 { return logged / (logged - easy*(1-1/ratio)) }
	e = metric.Interval{Mean: at(ratio.Mean), Low: math.NaN(), High: math.NaN(), HalfWidth: math.Inf(1), DF: ratio.DF}
	if math.IsInf(ratio.HalfWidth, 0) || math.IsNaN(ratio.HalfWidth) {
		return e, e.Mean > 0
	}
	e.Low, e.High = at(ratio.Low), at(ratio.High)
	e.HalfWidth = (e.High - e.Low) / 2
	return e, e.Mean > 0 && e.Low > 0 && e.High > 0
}
