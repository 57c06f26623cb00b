package logstats

import (
	"context"
	"math"
	"slices"
)

// dependence sets the moments of gaps and works, autocorrelations, the index of dispersion for intervals, and the correlation of
// gaps and works. It replaces gaps and works by their ranks.
func (s *Statistics) dependence(ctx context.Context, gaps, works values) error {
	ofGaps, ofWorks := seriesOf(gaps), seriesOf(works)
	s.Gaps, s.Work = ofGaps.moments(), ofWorks.moments()
	few := slices.IndexFunc(lags, func(k int) bool { return gaps.len() < leastWindows*k })
	if few < 0 {
		few = len(lags)
	}
	known := lags[:few]
	ofLags := [...][]float64{ofGaps.autocorrelations(known), ofWorks.autocorrelations(known)}
	for i, k := range known {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.Lags = append(s.Lags, Lag{Lag: k, Gaps: ofLags[0][i], Work: ofLags[1][i], Dispersion: ofGaps.intervalDispersion(k)})
	}
	gapRanks, workRanks := twiceRanks(gaps), twiceRanks(works)
	if err := ctx.Err(); err != nil {
		return err
	}
	ofGaps, ofWorks = seriesOf(gapRanks), seriesOf(workRanks)
	ofLags = [...][]float64{ofGaps.autocorrelations(known), ofWorks.autocorrelations(known)}
	for i := range s.Lags {
		s.Lags[i].GapRanks, s.Lags[i].WorkRanks = ofLags[0][i], ofLags[1][i]
	}
	s.GapWork = correlation(gapRanks, workRanks.between(1, works.len()))
	return nil
}

// correlation returns Pearson's correlation of pairs of numbers, the i-th of x and the i-th of y. As in [values.meanVariance],
// the rests are what rounding of the means leaves of the sums of differences.
func correlation(x, y values) float64 {
	xMean, _ := x.meanVariance()
	yMean, _ := y.meanVariance()
	xSquares, ySquares, products, xRest, yRest := 0.0, 0.0, 0.0, 0.0, 0.0
	for i := range x.len() {
		dx, dy := x.at(i)-xMean, y.at(i)-yMean
		xSquares += dx * dx
		ySquares += dy * dy
		products += dx * dy
		xRest += dx
		yRest += dy
	}
	n := float64(x.len())
	return (products - xRest*yRest/n) / math.Sqrt((xSquares-xRest*xRest/n)*(ySquares-yRest*yRest/n))
}

// series is values in a row, with their mean and variance.
type series struct {
	values
	mean, variance float64
	isConstant     bool
}

func seriesOf(x values) series {
	mean, variance := x.meanVariance()
	return series{x, mean, variance, isConstant(x.whole) && isConstant(x.any)}
}

// isConstant reports whether all numbers are equal.
func isConstant[T number](x []T) bool {
	return !slices.ContainsFunc(x, func(v T) bool { return v != x[0] })
}

// moments returns the mean and the squared coefficient of variation.
func (s *series) moments() Moments { return Moments{s.len(), s.mean, s.variance / (s.mean * s.mean)} }

// intervalDispersion returns Var S/(k·m²) of the sums S of k values in a row, m their mean, from all such sums.
func (s *series) intervalDispersion(k int) float64 {
	sum, squares := 0.0, 0.0
	for i := range s.len() {
		sum += s.at(i) - s.mean
		if i >= k {
			sum -= s.at(i-k) - s.mean
		}
		if i >= k-1 {
			squares += sum * sum
		}
	}
	return squares / float64(s.len()-k+1) / float64(k) / (s.mean * s.mean)
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
