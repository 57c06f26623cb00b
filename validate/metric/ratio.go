package metric

import (
	"errors"
	"math"
)

// mostStretches bounds the memory of a course.
const mostStretches = 1024

// course is how a log went: sums over stretches of equally many jobs, in the order in which these came. When there are too many
// stretches, neighbours are merged.
type course struct {
	shift     uint // there are 1 << shift jobs in a stretch
	stretches []stretch
	jobs      int
}

// stretch has the sums over the jobs of a stretch.
type stretch struct{ response, wait, slowdown, late float64 } // the bounded slowdown; late jobs

func (s *stretch) add(o stretch) {
	s.response += o.response
	s.wait += o.wait
	s.slowdown += o.slowdown
	s.late += o.late
}

func (c *course) add(number int, job stretch) {
	for number>>c.shift >= mostStretches {
		c.merge()
	}
	k := number >> c.shift
	for len(c.stretches) <= k {
		c.stretches = append(c.stretches, stretch{})
	}
	c.stretches[k].add(job)
	c.jobs++
}

// jobsOf returns the number of jobs in a stretch.
func (c *course) jobsOf(i int) float64 { return float64(min(int(1)<<c.shift, c.jobs-i<<c.shift)) }

// merge adds up neighbours, in place.
func (c *course) merge() {
	n := (len(c.stretches) + 1) / 2
	for i := range n {
		sum := c.stretches[2*i]
		if 2*i+1 < len(c.stretches) {
			sum.add(c.stretches[2*i+1])
		}
		c.stretches[i] = sum
	}
	c.stretches = c.stretches[:n]
	c.shift++
}

// A log is cut into so many parts for the interval of a ratio, before neighbours are merged until they pass for
// independent; fewer jobs a part, or fewer parts, say nothing.
const (
	partsOfARatio = 32
	fewestParts   = 8
	fewestJobs    = 10
)

// FewestJobs is how many jobs a ratio has an interval of at least.
const FewestJobs = fewestParts * fewestJobs

// errOtherJobs says that two logs are not of the same jobs.
var errOtherJobs = errors.New("metric: the ratio of logs of different jobs")

// RatioOf returns the mean response time of a policy that is compared with over the mean response time of l, both of the
// same jobs: how many times as long jobs are in the system under the other. The interval is that of the jackknife over
// parts of the log, the same jobs in both, whose ratios pass for independent; it is infinite if there are too few jobs.
func (l *Log) RatioOf(base *Log, confidence float64) (Interval, error) {
	e, err := l.beside(base, confidence, func(a, b *course, i int) (x, y float64) {
		return a.stretches[i].response, b.stretches[i].response
	})
	if err != nil {
		return e, err
	}
	return e.about(base.total[Response] / l.total[Response]), nil // the jackknife's mean differs by its bias
}

// MeanResponse returns the mean response time with the interval of [Log.RatioOf]: the ratio of the sum of the response times to
// the number of jobs. There must be jobs.
func (l *Log) MeanResponse(confidence float64) Interval {
	return l.mean(Response, confidence, func(s *stretch) float64 { return s.response })
}

// Intervals returns the mean waiting time and the mean bounded slowdown, likewise.
func (l *Log) Intervals(confidence float64) (wait, slowdown Interval) {
	wait = l.mean(waitSum, confidence, func(s *stretch) float64 { return s.wait })
	slowdown = l.mean(boundedSum, confidence, func(s *stretch) float64 { return s.slowdown })
	return wait, slowdown
}

// mean returns the mean of a sum over the jobs, which stretches have too.
func (l *Log) mean(of int, confidence float64, sum func(*stretch) float64) Interval {
	if l == nil || l.course.jobs == 0 {
		return Interval{Mean: math.NaN(), Low: math.Inf(-1), High: math.Inf(1), HalfWidth: math.Inf(1)}
	}
	e, _ := l.beside(l, confidence, func(c, _ *course, i int) (x, y float64) { return sum(&c.stretches[i]), c.jobsOf(i) })
	return e.about(l.total[of] / l.total[Jobs]) // the jackknife's mean differs by its bias
}

// ResponseByPart returns the mean response times in n consecutive parts of the log with about equally many jobs. Logs of the same jobs
// are cut at the same jobs. It returns nil if a part would have fewer than 10 jobs.
func (l *Log) ResponseByPart(n int) []float64 {
	if l == nil || n < 1 || n > len(l.course.stretches) || n > l.course.jobs/fewestJobs {
		return nil
	}
	c := &l.course
	means := make([]float64, n)
	for k := range means {
		jobs := 0.0
		for i := k * len(c.stretches) / n; i < (k+1)*len(c.stretches)/n; i++ {
			means[k] += c.stretches[i].response
			jobs += c.jobsOf(i)
		}
		means[k] /= jobs
	}
	return means
}

// LateBeside returns by how much the share of late jobs exceeds that of a policy that is compared with, both of the same
// jobs with the same Deadline. If that is a percentile of the other's response times, the difference is above 0 where this
// policy's percentile is longer. The interval is that of [Log.RatioOf]; there must be jobs.
func (l *Log) LateBeside(base *Log, confidence float64) (Interval, error) {
	if l == nil || base == nil || l.Deadline != base.Deadline || l.course.jobs == 0 {
		return Interval{}, errOtherJobs
	}
	return l.beside(base, confidence, func(a, b *course, i int) (x, y float64) {
		return b.stretches[i].late - a.stretches[i].late, a.jobsOf(i)
	})
}

// beside returns the ratio of two sums over the stretches of the courses of two logs, a of base and b of l.
func (l *Log) beside(base *Log, confidence float64, sums func(a, b *course, i int) (x, y float64)) (Interval, error) {
	if l == nil || base == nil {
		return Interval{}, errOtherJobs
	}
	a, b := &base.course, &l.course
	if a.jobs != b.jobs || a.shift != b.shift || len(a.stretches) != len(b.stretches) {
		return Interval{}, errOtherJobs
	}
	n := min(partsOfARatio, len(a.stretches), a.jobs/fewestJobs)
	parts := make([][]float64, n)
	for k := range parts {
		parts[k] = make([]float64, 2)
		for i := k * len(a.stretches) / n; i < (k+1)*len(a.stretches)/n; i++ {
			x, y := sums(a, b, i)
			parts[k][0] += x
			parts[k][1] += y
		}
	}
	ratio := func(x []float64) float64 { return x[0] / x[1] }
	e := Jackknife(Independent(parts, 0, 1), ratio, confidence)
	if n < fewestParts {
		e.HalfWidth = math.Inf(1)
		e.Low, e.High = math.Inf(-1), math.Inf(1)
	}
	return e, nil
}
