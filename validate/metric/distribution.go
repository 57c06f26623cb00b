package metric

import (
	"cmp"
	"math"
	"math/bits"

	"gonum.org/v1/gonum/stat"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/machine"
)

// addNodeHours adds where the node-time went from the first submission to the last end. What is held is useful, or lost
// to standing still or to speedups below the number of nodes; what is not held is idle.
func (l *Log) addNodeHours(v Values) {
	hour := cmp.Or(l.on.Hour, 3600)
	capacity := (l.last - l.first) * float64(l.on.Nodes) / hour
	held, busy, useful := l.nodeTime/hour, l.total[Held]/hour, l.total[Useful]/hour
	v[measure.NodeHoursHeld] = held
	v[measure.NodeHoursUseful] = useful
	left := func(a, b float64) float64 { // what is but the rounding of sums is nothing
		if math.Abs(a-b) <= 1e-13*capacity {
			return 0
		}
		return a - b
	}
	v[measure.NodeHoursReconfiguration] = left(held, busy)
	v[measure.NodeHoursImperfectSpeedup] = left(busy, useful)
	v[measure.NodeHoursIdle] = left(capacity, held)
	v[measure.NodeHoursCapacity] = capacity
}

// slowdownPercentiles are the percentiles of the slowdown.
var slowdownPercentiles = map[string]float64{measure.MedianSlowdown: 0.5, measure.P90Slowdown: 0.9,
	measure.P95Slowdown: 0.95, measure.P99Slowdown: 0.99}

// addDistribution adds what says more of response times and slowdowns than their means do.
func (l *Log) addDistribution(v Values) {
	for _, p := range measure.ResponseTimePercentiles() {
		v[measure.ResponseTimePercentile(p)] = l.response.Quantile(p)
	}
	for name, p := range slowdownPercentiles {
		v[name] = l.slowdown.Quantile(p)
	}
	var means []float64
	for _, s := range l.Sizes() {
		if s.slowdowns > 0 {
			means = append(means, s.MeanSlowdown())
		}
	}
	v[measure.CVSlowdownBySize] = math.NaN()
	if len(means) > 0 {
		v[measure.CVSlowdownBySize] = stat.PopStdDev(means, nil) / stat.Mean(means, nil)
	}
	if l.Deadline > 0 {
		v[measure.ProbabilityLate] = l.total[lateJobs] / l.total[Jobs]
	}
}

// SizeClass holds the jobs that ask for similar numbers of nodes.
type SizeClass struct {
	joblog.Sizes
	Jobs                          int
	response, slowdown, slowdowns float64
}

// MeanResponse returns the mean response time of the jobs.
func (s *SizeClass) MeanResponse() float64 { return s.response / float64(s.Jobs) }

// MeanSlowdown returns the mean slowdown of those that ran for some time; NaN if there are none.
func (s *SizeClass) MeanSlowdown() float64 { return s.slowdown / s.slowdowns }

// addSize adds a job to those of its size, if it asks for a number of nodes.
func (l *Log) addSize(r *machine.Record, one *Sums) {
	if r.Nodes < 1 {
		return
	}
	k := bits.Len(uint(r.Nodes - 1))
	for len(l.sizes) <= k {
		l.sizes = append(l.sizes, SizeClass{Sizes: joblog.SizesOf(1 << len(l.sizes))})
	}
	s := &l.sizes[k]
	s.Jobs++
	s.response += one[Response]
	s.slowdown += one[slowdownSum]
	s.slowdowns += one[slowdownJobs]
}

// Sizes returns the jobs by the nodes that they ask for, in powers of two; sizes without jobs are left out.
func (l *Log) Sizes() []SizeClass {
	var some []SizeClass
	for _, s := range l.sizes {
		if s.Jobs > 0 {
			some = append(some, s)
		}
	}
	return some
}
