package metric

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/partwise/partwise/models/measure"
)

// slowdownPercentiles are the shares p of the p-quantiles of the slowdown, by the names of the measures.
var slowdownPercentiles = map[string]float64{measure.MedianSlowdown: 0.5, measure.P90Slowdown: 0.9,
	measure.P95Slowdown: 0.95, measure.P99Slowdown: 0.99}

// addDistribution sets the measures of the distributions of response times and slowdowns in v. They are the percentiles
// of both, and the coefficient of variation of the mean slowdowns of the classes of sizes. With a deadline, the share
// of late jobs is set, too. Values without jobs are NaN.
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
