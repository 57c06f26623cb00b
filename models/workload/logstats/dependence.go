package logstats

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// dependence fills in autocorrelations, the index of dispersion for intervals, and the correlation of gaps and work.
func (s *Statistics) dependence(ctx context.Context, gaps, works []float64) error {
	gapRanks := ranks(gaps)
	if err := ctx.Err(); err != nil {
		return err
	}
	workRanks := ranks(works)
	for _, k := range lags {
		if len(gaps) < leastWindows*k {
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		s.Lags = append(s.Lags, Lag{Lag: k, Gaps: autocorrelation(gaps, k), Work: autocorrelation(works, k),
			GapRanks: autocorrelation(gapRanks, k), WorkRanks: autocorrelation(workRanks, k),
			Dispersion: intervalDispersion(gaps, k)})
	}
	s.GapWork = stat.Correlation(gapRanks, workRanks[1:], nil)
	return nil
}

// autocorrelation returns the correlation of values k places apart; NaN if all values are equal. Without the check,
// rounding of the mean would make a correlation of near 1.
func autocorrelation(x []float64, k int) float64 {
	if !slices.ContainsFunc(x, func(v float64) bool { return v != x[0] }) {
		return math.NaN()
	}
	mean, variance := stat.MeanVariance(x, nil)
	sum := 0.0
	for i, v := range x[k:] {
		sum += (v - mean) * (x[i] - mean)
	}
	return sum / (variance * float64(len(x)-1))
}

// intervalDispersion returns Var S/(k·m²) of the sums S of k values in a row, m their mean, from all such sums.
func intervalDispersion(x []float64, k int) float64 {
	mean := stat.Mean(x, nil)
	sum, squares := 0.0, 0.0
	for i, v := range x {
		sum += v - mean
		if i >= k {
			sum -= x[i-k] - mean
		}
		if i >= k-1 {
			squares += sum * sum
		}
	}
	return squares / float64(len(x)-k+1) / float64(k) / (mean * mean)
}

// portmanteau tests whether autocorrelations of n values are 0.
//
// Reference: G. E. P. Box, D. A. Pierce, Distribution of residual autocorrelations in autoregressive-integrated moving
// average time series models, Journal of the American Statistical Association 65 (1970) 1509–1526.
func portmanteau(n int, r []float64) assumptionTest {
	if len(r) == 0 {
		return untested
	}
	q := 0.0
	for _, x := range r {
		q += float64(n) * x * x
	}
	return chiSquare(q, len(r))
}
