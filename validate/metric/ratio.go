package metric

import (
	"errors"
	"math"
)

// The interval of a ratio comes from at most partsOfARatio parts of a log, which are merged until they pass a test for
// independence. With fewer than fewestParts parts, or fewer than fewestJobs jobs in a part, there is no interval.
const (
	partsOfARatio = 32
	fewestParts   = 8
	fewestJobs    = 10
)

// FewestJobs, 80, is the smallest number of jobs for which a ratio has an interval.
const FewestJobs = fewestParts * fewestJobs

// errOtherJobs tells that two logs do not hold the same jobs, so that they cannot be compared job by job.
var errOtherJobs = errors.New("metric: the ratio of logs of different jobs")

// RatioOf returns the mean response time of base over the mean response time of l. A ratio of 2 means that jobs spend
// twice as long in the system under the policy of base. Both logs must hold the same jobs; otherwise RatioOf returns an
// error.
//
// The interval comes from [JackknifePositive] over parts of the logs, with the same jobs in both, merged by
// [Independent]. Its half width is infinite if there are fewer than [FewestJobs] jobs.
func (l *Log) RatioOf(base *Log, confidence float64) (Interval, error) {
	sums := func(a, b []float64) (x, y float64) { return a[Response], b[Response] }
	e, err := l.beside(base, JackknifePositive, confidence, sums)
	if err != nil {
		return e, err
	}
	return e.Around(base.total[Response] / l.total[Response]), nil
}

// Around returns the interval with its ends moved in proportion to another mean. So the plain ratio of the sums,
// without the correction of bias by the jackknife, gets the interval of the jackknife.
func (i Interval) Around(mean float64) Interval {
	if i.Mean > 0 && mean > 0 && i.IsKnown() {
		by := mean / i.Mean
		i.Low, i.High, i.HalfWidth = i.Low*by, i.High*by, i.HalfWidth*by
	}
	i.Mean = mean
	return i
}

// MeanResponse returns the mean response time, the sum of the response times over the number of jobs, with the interval
// of [Log.RatioOf]. It is NaN if there are no jobs.
func (l *Log) MeanResponse(confidence float64) Interval { return l.mean(Response, confidence) }

// Intervals returns the mean waiting time, in the unit of time of the records, and the mean bounded slowdown, with
// intervals as [Log.MeanResponse] has. Both are NaN if there are no jobs. The slowdown of a brief log is NaN.
func (l *Log) Intervals(confidence float64) (wait, slowdown Interval) {
	return l.mean(waitSum, confidence), l.mean(boundedSum, confidence)
}

// mean returns the mean over the jobs of a component of [Sums], of, with its interval by the jackknife over parts of
// the log. It is NaN if l is nil or has no jobs, or if l is brief and does not keep the component.
func (l *Log) mean(of int, confidence float64) Interval {
	if l == nil || l.Jobs() == 0 || l.brief && of >= briefWidth {
		return Student(nil, confidence)
	}
	sums := func(a, _ []float64) (x, y float64) { return a[of], a[Jobs] }
	e, _ := l.beside(l, JackknifePositive, confidence, sums) // no error: a log has the same jobs as itself
	return e.Around(l.total[of] / l.total[Jobs])
}

// ResponseByPart returns the mean response times in n consecutive parts of the log, in the order of arrival. Each part
// has about the same number of jobs. Logs of the same jobs are cut at the same jobs. It returns nil if l is nil, n is
// below 1, or a part would have fewer than 10 jobs.
func (l *Log) ResponseByPart(n int) []float64 {
	if l == nil || n < 1 || n > l.course.Batches() || n > l.Jobs()/fewestJobs {
		return nil
	}
	means := make([]float64, n)
	for k := range means {
		s := l.part(k, n)
		means[k] = s[Response] / s[Jobs]
	}
	return means
}

// part returns the sums over the jobs of the k-th of n consecutive parts of the log, k from 0. It has the components of
// [Sums], in a brief log the first of them alone. n is at most the number of batches of l.course.
func (l *Log) part(k, n int) []float64 {
	stretches := l.course.Batches()
	return l.course.Sum(k*stretches/n, (k+1)*stretches/n)
}

// LateBeside returns the share of late jobs of l minus the share of late jobs of base. Both logs must hold the same
// jobs and have the same Deadline; otherwise LateBeside returns an error. If the deadline is a percentile of the
// response times of base, a difference above 0 means that this percentile is longer in l. The interval comes from
// [Jackknife] over the parts of [Log.RatioOf], and is infinite for fewer than [FewestJobs] jobs.
func (l *Log) LateBeside(base *Log, confidence float64) (Interval, error) {
	if l == nil || base == nil || l.Deadline != base.Deadline || l.Jobs() == 0 {
		return Interval{}, errOtherJobs
	}
	sums := func(a, b []float64) (x, y float64) { return b[lateJobs] - a[lateJobs], a[Jobs] }
	return l.beside(base, Jackknife, confidence, sums)
}

// jackknife is [Jackknife] or [JackknifePositive].
type jackknife func(sums [][]float64, f func([]float64) float64, confidence float64) Interval

// beside returns the ratio x/y of two sums over both logs, with an interval by the given jackknife. For each part, sums
// returns x and y from the sums a of base and b of l. The error tells that the logs do not hold the same jobs.
func (l *Log) beside(
	base *Log, by jackknife, confidence float64, sums func(a, b []float64) (x, y float64),
) (Interval, error) {
	if l == nil || base == nil || l.course == nil || base.course == nil {
		return Interval{}, errOtherJobs
	}
	if l.Jobs() != base.Jobs() || l.course.Observations() != base.course.Observations() || l.course.Size() != base.course.Size() {
		return Interval{}, errOtherJobs
	}
	n := min(partsOfARatio, l.course.Batches(), l.Jobs()/fewestJobs)
	parts := make([][]float64, n)
	for k := range parts {
		x, y := sums(base.part(k, n), l.part(k, n))
		parts[k] = []float64{x, y}
	}
	ratio := func(x []float64) float64 { return x[0] / x[1] }
	e := by(Independent(parts, 0, 1), ratio, confidence)
	if n < fewestParts {
		e.HalfWidth = math.Inf(1)
		e.Low, e.High = math.Inf(-1), math.Inf(1)
	}
	return e, nil
}
