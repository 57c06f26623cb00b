package metric

import (
	"errors"
	"math"

	"github.com/partwise/partwise/validate/estimate"
)

// mostStretches bounds the memory of a course.
const mostStretches = 1024

// course is how response times went: their sums over stretches of equally many jobs, in the order in which these came.
// When there are too many stretches, neighbours are merged.
type course struct {
	shift    uint // there are 1 << shift jobs in a stretch
	response []float64
	jobs     int
}

func (c *course) add(number int, response float64) {
	for number>>c.shift >= mostStretches {
		c.merge()
	}
	k := number >> c.shift
	for len(c.response) <= k {
		c.response = append(c.response, 0)
	}
	c.response[k] += response
	c.jobs++
}

func (c *course) merge() {
	n := (len(c.response) + 1) / 2
	for i := range n {
		sum := c.response[2*i]
		if 2*i+1 < len(c.response) {
			sum += c.response[2*i+1]
		}
		c.response[i] = sum
	}
	c.response = c.response[:n]
	c.shift++
}

// A log is cut into so many parts for the interval of a ratio, before neighbours are merged until they pass for
// independent; fewer jobs a part, or fewer parts, say nothing.
const (
	partsOfARatio = 32
	fewestParts   = 8
	fewestJobs    = 10
)

// ErrOtherJobs says that two logs are not of the same jobs.
var ErrOtherJobs = errors.New("metric: the ratio of logs of different jobs")

// RatioOf returns the mean response time of a policy that is compared with over the mean response time of l, both of the
// same jobs: how many times as long jobs are in the system under the other. The interval is that of the jackknife over
// parts of the log, the same jobs in both, whose ratios pass for independent; it is infinite if there are too few jobs.
func (l *Log) RatioOf(base *Log, confidence float64) (estimate.Interval, error) {
	if l == nil || base == nil {
		return estimate.Interval{}, ErrOtherJobs
	}
	a, b := &base.course, &l.course
	if a.jobs != b.jobs || a.shift != b.shift || len(a.response) != len(b.response) {
		return estimate.Interval{}, ErrOtherJobs
	}
	n := min(partsOfARatio, len(a.response), a.jobs/fewestJobs)
	parts := make([][]float64, n)
	for k := range parts {
		parts[k] = make([]float64, 2)
		for i := k * len(a.response) / n; i < (k+1)*len(a.response)/n; i++ {
			parts[k][0] += a.response[i]
			parts[k][1] += b.response[i]
		}
	}
	ratio := func(x []float64) float64 { return x[0] / x[1] }
	e := estimate.Jackknife(estimate.Independent(parts, 0, 1), ratio, confidence)
	if n < fewestParts {
		e.HalfWidth = math.Inf(1)
	}
	e.Mean = base.total[Response] / l.total[Response] // the jackknife's differs by its bias
	e.Low, e.High = e.Mean-e.HalfWidth, e.Mean+e.HalfWidth
	return e, nil
}
