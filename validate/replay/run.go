package replay

import (
	"math"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/metric"
)

// Run is one policy at one load, with one share of malleable jobs and one cost of a resize, and the results of its
// replay. Without malleable jobs Share is 0 and resizing is free.
type Run struct {
	Setting
	Load     float64 // requested load; 0: as logged
	Baseline *Run    // EASY on the same jobs and nodes; nil for EASY itself
	// OnFirst is EASY on the first number of nodes of the study, with the same jobs; nil if the study has one number.
	// See [Run.RatioToFirst].
	OnFirst  *Run
	Jobs     int           // number of jobs that ran
	Measures metric.Values // the means over the replications
	Months   []metric.Month
	Sizes    []metric.SizeClass // the means over the replications
	Log      *metric.Log        // of the last replication
	MostJobs int                // largest number of jobs in the system at a time, in the last replication
	Seconds  float64            // of computing
	SameP95  SameP95            // set by [Study.FewestNodes]
	// Waits compares the waits of the jobs with the logged waits. It is nil if there is no comparison: the policy does
	// not run rigid jobs, the run has several replications or another load than logged, or the log has no waits.
	Waits *logstats.Replayed
	// WaitCurves has these waits beside the waits of the log over time, and as distributions; nil where Waits is.
	WaitCurves *logstats.WaitCurves
	Pools      []PoolRun // of a log in pools, in their order; none: the jobs share one machine
	// Groups are the results by what jobs have in common, in the order of the groupings of the study.
	Groups []GroupsRun
	Worth  Worth // set by [Study.WorthInNodes]

	of           *Log             // whose jobs ran; nil before the replay
	course       *validate.Course // of the last replication; nil for a log in pools
	replications int
	deadline     float64 // in seconds; 0: the deadline of the study
	rival        *Run    // the replay is given up when it is certain to be slower than this run; nil: it ends
	searched     bool    // response times alone are asked for, as by a step of a search; see [Study.Brief]
	months       int     // length of the log in months of 30 days

	foretold loadEffect // set by [Study.Foretell]
}

// isOneReplication reports whether the run is one replication. Only then its jobs can be compared with the jobs of
// other runs, job by job, and means have intervals.
func (r *Run) isOneReplication() bool { return r.replications <= 1 }

// Ratio returns the mean response time of EASY over the mean response time of the run, for the same jobs: above 1 the
// run is better. It is 1, with the interval from 1 to 1, for EASY itself, which has no baseline, and for a nil run. The
// interval has the level [measure.Confidence] and comes from the jackknife. Its half width is infinite if there are
// fewer than [metric.FewestJobs] jobs or several replications; Low and High then have no meaning.
func (r *Run) Ratio() metric.Interval {
	if r == nil || r.Baseline == nil {
		return metric.Interval{Mean: 1, Low: 1, High: 1}
	}
	return r.ratioTo(r.Baseline)
}

// RatioToFirst returns the mean response time of EASY on the first number of nodes of the study divided by the run's,
// for the same jobs. So it includes both what more nodes bring, and what the policy adds. It is 1, with the interval
// from 1 to 1, for EASY on the first number of nodes. Without several numbers of nodes it is [Run.Ratio]. Any other
// interval comes from [metric.Log.RatioOf]; it is not known under the conditions that [Run.ratioOfLogs] names.
func (r *Run) RatioToFirst() metric.Interval {
	if r.OnFirst == nil {
		return r.Ratio()
	}
	if r.OnFirst == r {
		return metric.Interval{Mean: 1, Low: 1, High: 1}
	}
	return r.ratioTo(r.OnFirst)
}

// ratioTo returns the mean response time of the run other divided by the mean response time of r, for the same jobs.
// The interval comes from [Run.ratioOfLogs]. Above 1 r is better.
func (r *Run) ratioTo(other *Run) metric.Interval {
	mean := 1.0 // of equal means, zeros included
	if own, others := r.Measures[measure.MeanResponseTime], other.Measures[measure.MeanResponseTime]; own != others {
		mean = others / own
	}
	return r.ratioOfLogs(r.Log, other.Log, mean)
}

// ratioOfLogs returns the given ratio of two mean response times, mean, with its interval. log is the log of the run or
// of one of its pools. base is the log of the run that it is compared with, such as EASY, whose mean stands above the
// line. Both are logs of the last replication.
//
// The interval comes from [metric.Log.RatioOf], at the level [measure.Confidence]. Its half width is infinite if there
// are fewer than [metric.FewestJobs] jobs, several replications, or logs of different jobs. Low and High then have no
// meaning.
func (r *Run) ratioOfLogs(log, base *metric.Log, mean float64) metric.Interval {
	e, err := log.RatioOf(base, measure.Confidence)
	if err != nil || !r.isOneReplication() {
		e.HalfWidth = math.Inf(1)
	}
	e.Mean = mean
	return e
}

// Intervals returns the mean response time and waiting time in seconds and the mean bounded slowdown, after the replay.
// Their intervals, of the level [measure.Confidence], are by the jackknife over parts of the log. The half widths are
// infinite for fewer than [metric.FewestJobs] jobs, with Low −∞ and High +∞. They are infinite for several replications
// as well, with Low and High NaN.
func (r *Run) Intervals() (response, wait, slowdown metric.Interval) {
	if !r.isOneReplication() {
		unknown := func(mean string) metric.Interval {
			return metric.Interval{Mean: r.Measures[mean], Low: math.NaN(), High: math.NaN(), HalfWidth: math.Inf(1)}
		}
		return unknown(measure.MeanResponseTime), unknown(measure.MeanWaitingTime), unknown(measure.MeanBoundedSlowdown)
	}
	wait, slowdown = r.Log.Intervals(measure.Confidence)
	return r.Log.MeanResponse(measure.Confidence), wait, slowdown
}

// Estimates returns every measure of the run with its interval of the level [measure.Confidence]. The mean response
// time, waiting time and bounded slowdown have the intervals of [Run.Intervals], by parts of equally many arrivals: the
// same jobs under every policy. The other intervals are by parts of equally many departures; see
// [validate.Course.Estimates]. The result is nil before the replay, for several replications, and for a log in pools.
// It is nil as well if the replay is too short for a single part.
func (r *Run) Estimates() []validate.Estimate {
	if r.course == nil || !r.isOneReplication() {
		return nil
	}
	all := r.course.Estimates(r.Log, true, r.Resizes(), measure.Confidence)
	response, wait, slowdown := r.Intervals()
	byArrivals := map[string]metric.Interval{measure.MeanResponseTime: response, measure.MeanWaitingTime: wait,
		measure.MeanBoundedSlowdown: slowdown}
	for i := range all {
		if interval, has := byArrivals[all[i].Name]; has {
			all[i].Interval = interval
		}
	}
	return all
}
