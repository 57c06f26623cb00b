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
	ofGaps, ofWork, ofGapRanks, ofWorkRanks := seriesOf(gaps), seriesOf(works), seriesOf(gapRanks), seriesOf(workRanks)
	for _, k := range lags {
		if len(gaps) < leastWindows*k {
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		s.Lags = append(s.Lags, Lag{Lag: k, Gaps: ofGaps.autocorrelation(k), Work: ofWork.autocorrelation(k),
			GapRanks: ofGapRanks.autocorrelation(k), WorkRanks: ofWorkRanks.autocorrelation(k), Dispersion: intervalDispersion(gaps, k)})
	}
	s.GapWork = stat.Correlation(gapRanks, workRanks[1:], nil)
	return nil
}

// series is values in a row, with their mean and variance.
type series struct {
	x              []float64
	mean, variance float64
	isConstant     bool
}

func seriesOf(x []float64) series {
	mean, variance := stat.MeanVariance(x, nil)
	return series{x, mean, variance, !slices.ContainsFunc(x, func(v float64) bool { return v != x[0] })}
}

// autocorrelation returns the correlation of values k places apart; NaN if all values are equal. Without the check,
// rounding of the mean would make a correlation of near 1.
func (s *series) autocorrelation(k int) float64 {
	if s.isConstant {
		return math.NaN()
	}
	sum := 0.0
	for i, v := range s.x[k:] {
		sum += (v - s.mean) * (s.x[i] - s.mean)
	}
	return sum / (s.variance * float64(len(s.x)-1))
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
