package replay

import (
	"math"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// loggedWaits returns the waits of the offered jobs as the log recorded them, in the order of submission; NaN of a job whose wait the
// log does not tell. It returns nil where there is nothing to compare with: times are stretched, or nobody waited.
func (o Offered) loggedWaits() []float64 {
	if !o.AsLogged() {
		return nil
	}
	waits := make([]float64, 0, o.log.Offer.Jobs)
	waited := false
	for j, err := range o.Jobs() {
		if err != nil {
			return nil
		}
		wait := math.NaN()
		if logstats.Waited(j) {
			wait = j.Wait
		}
		waits = append(waits, wait)
		waited = waited || wait > 0
	}
	if !waited {
		return nil
	}
	return waits
}

// comparison collects the waits of a replay, to compare them with those of the log.
type comparison struct{ logged, replayed []float64 }

// compareWith returns the comparison of a run with the log; nil where there is none: a log says nothing of jobs that can be resized or
// molded, nor of several replications.
func (r *Run) compareWith(o Offered) *comparison {
	if r.Kind() != workload.Rigid || !r.single() {
		return nil
	}
	logged := o.loggedWaits()
	if logged == nil {
		return nil
	}
	return &comparison{logged, make([]float64, len(logged))}
}

// add adds a job that has ended.
func (c *comparison) add(record *machine.Record) {
	if c != nil && record.Number < len(c.replayed) {
		c.replayed[record.Number] = record.Wait()
	}
}

// result returns the result of the comparison over the jobs whose waits the log tells; nil if there is none.
func (c *comparison) result() *logstats.Replayed {
	if c == nil {
		return nil
	}
	known := 0
	for i, wait := range c.logged {
		if !math.IsNaN(wait) {
			c.logged[known], c.replayed[known] = wait, c.replayed[i]
			known++
		}
	}
	r := logstats.Reproduction(c.logged[:known], c.replayed[:known])
	return &r
}

// Anchored returns the ratio of the mean response time in the log to the one that would remain if the run saved as many seconds as in
// the replay: R / (R − (R_EASY − R_run)), R being the logged mean response time. The waiting that the replay of EASY does not explain
// then stays. It reports false where the run saves more than R: the unit or the number of nodes cannot be right.
func (r *Run) Anchored(logged float64) (e metric.Interval, ok bool) {
	easy := r
	if r.Baseline != nil {
		easy = r.Baseline
	}
	return anchored(r.Ratio(), easy.Measures[measure.MeanResponseTime], logged)
}

// anchored returns the anchored ratio for a ratio to EASY, from the mean response times under EASY and in the log.
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
