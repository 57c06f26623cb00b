package metric

import (
	"errors"
	"math"
)

// A log is cut into so many parts for the interval of a ratio, before neighbours are merged until they pass for
// independent; fewer jobs a part, or fewer parts, say nothing.
const (
	partsOfARatio = 32
	fewestParts   = 8
	fewestJobs    = 10
)

// FewestJobs, 80, is how many jobs a ratio has an interval of at least.
const FewestJobs = fewestParts * fewestJobs

// errOtherJobs says that two logs are not of the same jobs.
var errOtherJobs = errors.New("metric: the ratio of logs of different jobs")

// RatioOf returns the mean response time of a policy that is compared with over the mean response time of l, both of the
// same jobs: how many times as long jobs are in the system under the other. The interval is that of [JackknifePositive] over
// parts of the log, the same jobs in both, whose ratios pass for independent; it is infinite if there are too few jobs.
func (l *Log) RatioOf(base *Log, confidence float64) (Interval, error) {
	sums := func(a, b []float64) (x, y float64) { return a[Response], b[Response] }
	e, err := l.beside(base, JackknifePositive, confidence, sums)
	if err != nil {
		return e, err
	}
	return e.around(base.total[Response] / l.total[Response]), nil
}

// around returns the interval with its ends moved to another estimate, in proportion: that of the jackknife without its
// correction of a bias.
func (i Interval) around(mean float64) Interval {
	if i.Mean > 0 && mean > 0 && !math.IsInf(i.HalfWidth, 1) {
		by := mean / i.Mean
		i.Low, i.High, i.HalfWidth = i.Low*by, i.High*by, i.HalfWidth*by
	}
	i.Mean = mean
	return i
}

// MeanResponse returns the mean response time with the interval of [Log.RatioOf]: the ratio of the sum of the response times to
// the number of jobs. There must be jobs.
func (l *Log) MeanResponse(confidence float64) Interval { return l.mean(Response, confidence) }

// Intervals returns the mean waiting time and the mean bounded slowdown, likewise.
func (l *Log) Intervals(confidence float64) (wait, slowdown Interval) {
	return l.mean(waitSum, confidence), l.mean(boundedSum, confidence)
}

// mean returns the mean of a sum over the jobs.
func (l *Log) mean(of int, confidence float64) Interval {
	if l == nil || l.Jobs() == 0 {
		return Student(nil, confidence)
	}
	sums := func(a, _ []float64) (x, y float64) { return a[of], a[Jobs] }
	e, _ := l.beside(l, JackknifePositive, confidence, sums) // a log has the jobs of itself
	return e.around(l.total[of] / l.total[Jobs])
}

// ResponseByPart returns the mean response times in n consecutive parts of the log with about equally many jobs. Logs of the same jobs
// are cut at the same jobs. It returns nil if a part would have fewer than 10 jobs.
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

// part returns the sums of the k-th of n parts of the log.
func (l *Log) part(k, n int) []float64 {
	stretches := l.course.Batches()
	return l.course.Sum(k*stretches/n, (k+1)*stretches/n)
}

// LateBeside returns by how much the share of late jobs exceeds that of a policy that is compared with, both of the same
// jobs with the same Deadline. If that is a percentile of the other's response times, the difference is above 0 where this
// policy's percentile is longer. The interval is that of [Jackknife] over the parts of [Log.RatioOf]; there must be jobs.
func (l *Log) LateBeside(base *Log, confidence float64) (Interval, error) {
	if l == nil || base == nil || l.Deadline != base.Deadline || l.Jobs() == 0 {
		return Interval{}, errOtherJobs
	}
	sums := func(a, b []float64) (x, y float64) { return b[lateJobs] - a[lateJobs], a[Jobs] }
	return l.beside(base, Jackknife, confidence, sums)
}

// jackknife is [Jackknife] or [JackknifePositive].
type jackknife func(sums [][]float64, f func([]float64) float64, confidence float64) Interval

// beside returns the ratio of two sums over parts of two logs, a of base and b of l, with an interval by the given jackknife.
func (l *Log) beside(
	base *Log, by jackknife, confidence float64, sums func(a, b []float64) (x, y float64),
) (Interval, error) {
	if l == nil || base == nil || l.Jobs() != base.Jobs() || l.course.Observations() != base.course.Observations() ||
		l.course.Size() != base.course.Size() {
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
