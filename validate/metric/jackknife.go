package metric

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Jackknife estimates f of the expected sums from n independent vectors of sums, and returns the estimate with its
// Student interval. A vector holds the sums of a replication, or of a part of a run (see [Independent]). The estimate
// is the mean of the pseudo-values
//
//	n·f(Σ_r x_r) − (n−1)·f(Σ_{r≠k} x_r),   k = 1..n.
//
// f must not change when its argument is multiplied by a number, as ratios do not. The mean of f over the replications
// has a bias of the order of one over their length. The estimate has no bias of this order.
//
// Reference: R. G. Miller, The jackknife—a review, Biometrika 61 (1974) 1–15.
func Jackknife(sums [][]float64, f func([]float64) float64, confidence float64) Interval {
	return Student(PseudoValues(sums, f), confidence)
}

// JackknifePositive is [Jackknife] for a positive f, such as a mean time or a ratio of means. The estimate e is the
// same. The interval comes from the interval of log f around log e:
//
//	e·exp(±t·s),   s the standard error of the mean of the pseudo-values of log f.
//
// So both ends are positive. HalfWidth is half of the distance between the ends. If f is 0, with or without one of the
// vectors, the result is the interval of Jackknife, cut off below 0.
func JackknifePositive(sums [][]float64, f func([]float64) float64, confidence float64) Interval {
	i := Jackknife(sums, f, confidence)
	if f == nil {
		return i
	}
	logs := Student(PseudoValues(sums, func(x []float64) float64 { return math.Log(f(x)) }), confidence)
	if !(i.Mean > 0) || !logs.IsKnown() {
		i.Low = max(0, i.Low)
		return i
	}
	factor := math.Exp(logs.HalfWidth)
	i.Low, i.High = i.Mean/factor, i.Mean*factor
	i.HalfWidth = (i.High - i.Low) / 2
	return i
}

// PseudoValues returns the pseudo-values of [Jackknife], one for each vector of sums. Their mean is the estimate. All
// vectors have the same components. A single vector gives f of it. The result is nil without vectors, or if f is nil.
func PseudoValues(sums [][]float64, f func([]float64) float64) []float64 {
	if len(sums) == 0 || f == nil {
		return nil
	}
	total := make([]float64, len(sums[0]))
	for _, x := range sums {
		floats.Add(total, x)
	}
	all, n := f(total), float64(len(sums))
	values := make([]float64, len(sums))
	if n == 1 {
		values[0] = all
		return values
	}
	rest := make([]float64, len(total))
	for r, x := range sums {
		floats.SubTo(rest, total, x)
		values[r] = n*all - (n-1)*f(rest)
	}
	return values
}
