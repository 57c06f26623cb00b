package metric

import (
	"math"
	"slices"

	"github.com/partwise/partwise/validate/internal/batches"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is an estimate with a confidence interval.
type Interval struct {
	Mean, Low, High float64
	HalfWidth       float64
	StdErr          float64
	DF              int     // degrees of freedom of StdErr
	Skewness        float64 // of the values that the mean is of
}

// Relative returns the half width relative to the mean; 0 for an interval without width.
func (i Interval) Relative() float64 {
	if i.HalfWidth == 0 {
		return 0
	}
	return i.HalfWidth / math.Abs(i.Mean)
}

// About returns an interval of the same width about another mean.
func (i Interval) About(mean float64) Interval {
	i.Mean, i.Low, i.High = mean, mean-i.HalfWidth, mean+i.HalfWidth
	return i
}

// Student returns the mean of independent values with the interval mean ± t·s/√n, t the quantile of Student's
// distribution with n−1 degrees of freedom. One value has an infinite half width.
func Student(x []float64, confidence float64) Interval {
	n := len(x)
	if n < 2 {
		inf := math.Inf(1)
		return Interval{Mean: stat.Mean(x, nil), Low: -inf, High: inf, HalfWidth: inf, StdErr: inf}
	}
	mean, sd := stat.MeanStdDev(x, nil)
	se := sd / math.Sqrt(float64(n))
	var half, skew float64
	if se != 0 { // NaN of values that are not known
		half = Quantile(n-1, 1-(1-confidence)/2) * se
		if n > 2 {
			skew = stat.Skew(x, nil)
		}
	}
	return Interval{HalfWidth: half, StdErr: se, DF: n - 1, Skewness: skew}.About(mean)
}

// Quantile returns the p-quantile of Student's distribution with df degrees of freedom; NaN if df < 1 or p is none.
func Quantile(df int, p float64) float64 {
	if df < 1 || !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(df)}.Quantile(p)
}

// Independent merges neighbouring parts of a run, each a vector of sums, in pairs until the ratios of component num to
// component den of neighbours pass for independent, or there are fewer than 16 parts. Parts of a log are the jobs with consecutive
// values of machine.Record.Number: they are the same jobs under every policy.
func Independent(parts [][]float64, num, den int) [][]float64 {
	for len(parts) >= 16 {
		x := make([]float64, len(parts))
		for i, v := range parts {
			x[i] = v[num] / v[den]
		}
		if batches.Independent(x) {
			break
		}
		var merged [][]float64
		for i := 0; i < len(parts); i += 2 {
			sum := slices.Clone(parts[i])
			if i+1 < len(parts) {
				floats.Add(sum, parts[i+1])
			}
			merged = append(merged, sum)
		}
		parts = merged
	}
	return parts
}

// Jackknife estimates f of the expected sums from n independent vectors of sums, one a replication or one a part of a run (see
// [Independent]), and returns the mean of the pseudo-values
//
//	n·f(Σ_r x_r) − (n−1)·f(Σ_{r≠k} x_r),   k = 1..n,
//
// with their Student interval. f must not change when its argument is multiplied by a number, as ratios do not. Unlike
// the mean of f over the replications the estimate has no bias of the order of one over their length.
//
// Reference: R. G. Miller, The jackknife—a review, Biometrika 61 (1974) 1–15.
func Jackknife(sums [][]float64, f func([]float64) float64, confidence float64) Interval {
	return Student(PseudoValues(sums, f), confidence)
}

// JackknifePositive is [Jackknife] for an f that is positive, such as a mean time or a ratio of means. The interval is that of
// log f about the same estimate e,
//
//	e·exp(±t·s),   s the standard error of the mean of the pseudo-values of log f,
//
// so that both ends are positive. HalfWidth is half of the distance of the ends. Of an f that is 0 with or without one of the
// sums, the interval is that of Jackknife above 0.
func JackknifePositive(sums [][]float64, f func([]float64) float64, confidence float64) Interval {
	i := Jackknife(sums, f, confidence)
	if f == nil {
		return i
	}
	logs := Student(PseudoValues(sums, func(x []float64) float64 { return math.Log(f(x)) }), confidence)
	if !(i.Mean > 0) || math.IsNaN(logs.HalfWidth) || math.IsInf(logs.HalfWidth, 1) {
		i.Low = max(0, i.Low)
		return i
	}
	factor := math.Exp(logs.HalfWidth)
	i.Low, i.High = i.Mean/factor, i.Mean*factor
	i.HalfWidth = (i.High - i.Low) / 2
	return i
}

// PseudoValues returns the pseudo-values of [Jackknife], one for each replication.
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
