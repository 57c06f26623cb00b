package metric

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/partwise/partwise/validate/internal/batches"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is an estimate Mean with a confidence interval from Low to High. StdErr is the standard error of the mean.
type Interval struct {
	Mean, Low, High float64
	HalfWidth       float64
	StdErr          float64
	DF              int     // degrees of freedom of StdErr
	Skewness        float64 // of the values whose mean is estimated
}

// Relative returns the half width over the absolute value of the mean; 0 for an interval without width.
func (i Interval) Relative() float64 {
	if i.HalfWidth == 0 {
		return 0
	}
	return i.HalfWidth / math.Abs(i.Mean)
}

// IsKnown reports whether the half width is finite. It is infinite or NaN if there are too few values, or if one of the
// values is unknown. Low and High then have no meaning.
func (i Interval) IsKnown() bool { return !math.IsInf(i.HalfWidth, 0) && !math.IsNaN(i.HalfWidth) }

// About returns an interval with the same half width around another mean.
func (i Interval) About(mean float64) Interval {
	i.Mean, i.Low, i.High = mean, mean-i.HalfWidth, mean+i.HalfWidth
	return i
}

// Student returns the mean of independent values with the interval mean ± t·s/√n at the given level of confidence, such
// as 0.95. s is the standard deviation of the n values, and t the quantile of Student's distribution with n−1 degrees
// of freedom. The half width of a single value is infinite. Without values the mean is NaN, too.
func Student(x []float64, confidence float64) Interval {
	mean, stderr, skewness := moments(x)
	if len(x) < 2 {
		inf := math.Inf(1)
		return Interval{Mean: mean, Low: -inf, High: inf, HalfWidth: inf, StdErr: stderr}
	}
	half := 0.0
	if stderr != 0 { // also if it is NaN, because a value is unknown
		half = Quantile(len(x)-1, 1-(1-confidence)/2) * stderr
	}
	return Interval{HalfWidth: half, StdErr: stderr, DF: len(x) - 1, Skewness: skewness}.About(mean)
}

// moments returns the mean of independent values, the standard error of the mean, and the skewness of the values. No
// values have the mean NaN. With fewer than two values the standard error is infinite. The skewness is 0 for fewer than
// three values, and for equal values.
func moments(x []float64) (mean, stderr, skewness float64) {
	n := len(x)
	if n < 2 {
		return stat.Mean(x, nil), math.Inf(1), 0
	}
	mean, sd := stat.MeanStdDev(x, nil)
	stderr = sd / math.Sqrt(float64(n))
	if stderr != 0 && n > 2 {
		skewness = stat.Skew(x, nil)
	}
	return mean, stderr, skewness
}

// Quantile returns the p-quantile of Student's distribution with df degrees of freedom; NaN if df < 1 or if p is not in
// [0, 1]. It remembers the last quantile: a quantile takes as long as simulating a hundred jobs, and the intervals of a
// result mostly have the same.
func Quantile(df int, p float64) float64 {
	if df < 1 || !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	last := lastQuantile.Load()
	if last == nil || last.df != df || last.p != p {
		last = &studentQuantile{df, p, distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(df)}.Quantile(p)}
		lastQuantile.Store(last)
	}
	return last.value
}

// studentQuantile is the p-quantile of Student's distribution with df degrees of freedom.
type studentQuantile struct {
	df       int
	p, value float64
}

// lastQuantile is the quantile that [Quantile] found last, by any goroutine.
var lastQuantile atomic.Pointer[studentQuantile]

// Independent merges neighbouring parts of a run until the parts can be treated as independent. Each part is a vector
// of sums; all vectors have the same components. Neighbours are added in pairs until the ratios of component num to
// component den pass a test for independence, or fewer than 16 parts are left. The given vectors stay as they are;
// vectors that are not merged are returned themselves.
//
// Parts of a log are the jobs with consecutive values of machine.Record.Number: the same jobs under every policy.
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
