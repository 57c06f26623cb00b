package coscheduling_test

import (
	"math"
	"slices"

	"github.com/partwise/partwise/validate/lab/internal/coscheduling"
	"github.com/partwise/partwise/validate/metric"
)

// ratio returns a measure of a over that of b, replication beside replication: what both were given was the same. Its
// interval is that of the logarithm, which is less skew than the ratio itself.
func ratio(a, b *coscheduling.Outcome, name string) metric.Interval {
	both := make([][]float64, len(a.Replications))
	n := len(a.Replications[0])
	for r := range both {
		both[r] = slices.Concat(a.Replications[r], b.Replications[r])
	}
	of := func(o *coscheduling.Outcome, sums []float64) float64 {
		one := *o
		one.Replications = [][]float64{sums}
		return one.Of(name).Mean
	}
	v := metric.Jackknife(both, func(s []float64) float64 { return math.Log(of(a, s[:n]) / of(b, s[n:])) }, .95)
	v.Mean, v.Low, v.High = math.Exp(v.Mean), math.Exp(v.Low), math.Exp(v.High)
	v.HalfWidth = (v.High - v.Low) / 2
	return v
}
