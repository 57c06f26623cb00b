package replay

import (
	"math"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// loggedWaits are the waits that a log recorded, in the order of submission. Jobs without a recorded wait are left out.
// All replays of the log at its logged times are compared with these waits.
type loggedWaits struct {
	ranked         *logstats.LoggedWaits // the same waits, prepared for comparisons
	submits, waits []float64             // of these jobs, in seconds
	jobs           []int                 // the numbers of these jobs among all jobs, from 0
	all            int                   // number of all jobs
}

// loggedWaits reads the log once and returns the logged waits of the chosen jobs, in seconds, for comparisons with
// replays. It returns nil if the log records no wait above 0, or if the log cannot be read. The replay itself returns
// the error of reading.
func (s *Study) loggedWaits() *loggedWaits {
	jobs := s.Log.Offer.Jobs
	l := &loggedWaits{submits: make([]float64, 0, jobs), waits: make([]float64, 0, jobs), jobs: make([]int, 0, jobs)}
	waited := false
	for j, err := range (Offered{s.Log, 1}).Jobs() {
		if err != nil {
			return nil
		}
		if logstats.Waited(j) {
			l.submits, l.waits, l.jobs = append(l.submits, j.Submit), append(l.waits, j.Wait), append(l.jobs, l.all)
			waited = waited || j.Wait > 0
		}
		l.all++
	}
	if !waited {
		return nil
	}
	l.ranked = logstats.LoggedWaitsOf(l.submits, l.waits)
	return l
}

// comparison collects the waiting times of a replay, for comparisons with the waits of the log.
type comparison struct {
	logged   *loggedWaits
	replayed []float64 // of all jobs in the order of submission, in seconds
}

// compareWith returns an empty comparison of a run with the log, into which [comparison.add] records the replay. The
// run replays the jobs o. The function logged returns the logged waits of the log, or nil for a log without waits.
//
// The result is nil if nothing can be compared: the policy does not run rigid jobs, the run has several replications,
// times are stretched, or logged returns nil. It is nil as well for a step of a search, whose waits are not used. The
// function logged is called only if no other reason holds, because it reads the log.
func (r *Run) compareWith(o Offered, logged func() *loggedWaits) *comparison {
	if r.Kind() != workload.Rigid || !r.isOneReplication() || r.searched || !o.AsLogged() {
		return nil
	}
	waits := logged()
	if waits == nil {
		return nil
	}
	return &comparison{waits, make([]float64, waits.all)}
}

// add records the waiting time of a job that has ended, in seconds, in c.replayed. The Number of the record counts among
// all chosen jobs of the log. It does nothing if c is nil, or if the log had fewer jobs when its waits were read.
func (c *comparison) add(record *machine.Record) {
	if c != nil && record.Number < len(c.replayed) {
		c.replayed[record.Number] = record.Wait()
	}
}

// result returns how well the replayed waits agree with the logged waits, over the jobs whose waits the log records. It
// also returns the curves of both kinds of waits, for pictures. The replay must have ended. Both results are nil if c
// is nil.
func (c *comparison) result() (*logstats.Replayed, *logstats.WaitCurves) {
	if c == nil {
		return nil, nil
	}
	replayed := make([]float64, len(c.logged.jobs))
	for i, job := range c.logged.jobs {
		replayed[i] = c.replayed[job]
	}
	r, curves := c.logged.ranked.Compare(replayed)
	return &r, &curves
}

// resultOf returns how well the replayed waits of some jobs, such as the jobs of a pool, agree with the logged waits.
// They are the jobs for which the function of returns true and whose waits the log records. The argument of this
// function is the number of a job in the order of submission, from 0. The result is nil if c is nil. Without jobs it is
// the result of [logstats.Reproduction] for no waits.
func (c *comparison) resultOf(of func(job int) bool) *logstats.Replayed {
	if c == nil {
		return nil
	}
	var logged, replayed []float64
	for i, job := range c.logged.jobs {
		if of(job) {
			logged, replayed = append(logged, c.logged.waits[i]), append(replayed, c.replayed[job])
		}
	}
	r := logstats.Reproduction(logged, replayed)
	return &r
}

// Anchored returns the ratio of response times that the log itself would show: the logged mean response time R, in
// seconds, over the time that remains if the run saves as many seconds as in the replay:
//
//	R / (R − (R_EASY − R_run)).
//
// So waiting that the replay of EASY does not explain stays as it was. With the ratio ρ of [Run.Ratio], the saving
// R_EASY − R_run is R_EASY·(1−1/ρ). The ends of the interval follow from the ends of ρ. If ρ has no interval, Low and
// High are NaN and HalfWidth is infinite. R must be positive.
//
// ok is false if the run saves more than R, or does so at an end of the interval. Then the unit or the number of nodes
// must be wrong.
func (r *Run) Anchored(logged float64) (e metric.Interval, ok bool) {
	easy := r
	if r.Baseline != nil {
		easy = r.Baseline
	}
	return anchored(r.Ratio(), easy.Measures[measure.MeanResponseTime], logged)
}

// anchored returns the ratio of [Run.Anchored] with its interval, given the ratio to EASY. easy and logged are the mean
// response times of EASY and of the log, in seconds. If the given ratio has no interval, Low and High are NaN and
// HalfWidth is infinite. ok is false if the result, or an end of its interval, is not positive.
func anchored(ratio metric.Interval, easy, logged float64) (e metric.Interval, ok bool) {
	at := func(ratio float64) float64 { return logged / (logged - easy*(1-1/ratio)) }
	e = metric.Interval{Mean: at(ratio.Mean), Low: math.NaN(), High: math.NaN(), HalfWidth: math.Inf(1), DF: ratio.DF}
	if !ratio.IsKnown() {
		return e, e.Mean > 0
	}
	e.Low, e.High = at(ratio.Low), at(ratio.High)
	e.HalfWidth = (e.High - e.Low) / 2
	return e, e.Mean > 0 && e.Low > 0 && e.High > 0
}
