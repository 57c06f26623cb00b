package logstats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
)

// assumptionTest is the result of a test: P is the probability of at least this statistic where there is no difference; both are NaN
// of too few values.
type assumptionTest struct{ Statistic, P float64 }

var untested = assumptionTest{math.NaN(), math.NaN()}

// chiSquare returns the test whose statistic has so many degrees of freedom.
func chiSquare(statistic float64, freedom int) assumptionTest {
	return assumptionTest{statistic, mathext.GammaIncRegComp(float64(freedom)/2, statistic/2)}
}

// leastBlocks is the number of blocks or groups from which the distributions of test statistics are taken for χ².
const leastBlocks = 4

// friedman tests whether the columns of blocks differ, by the ranks of the values within each block, corrected for ties.
// Blocks may be of different levels, and depend on each other little.
//
// Reference: M. Hollander, D. A. Wolfe, E. Chicken, Nonparametric Statistical Methods, 3rd ed., Wiley (2014), section 7.1.
func friedman(blocks [][]float64) assumptionTest {
	n := len(blocks)
	if n < leastBlocks {
		return untested
	}
	k := len(blocks[0])
	sums := make([]float64, k)
	variance := 0.0 // of the ranks within blocks, summed over blocks
	middle := float64(k+1) / 2
	for _, b := range blocks {
		for i, r := range ranks(b) {
			sums[i] += r
			variance += (r - middle) * (r - middle)
		}
	}
	if variance == 0 {
		return untested // each block has one value alone
	}
	q := 0.0
	for _, s := range sums {
		q += (s - float64(n)*middle) * (s - float64(n)*middle)
	}
	return chiSquare(q*float64(k-1)/variance, k-1)
}

// variance tests whether the means of groups differ, of at least two values each that are independent within and between groups,
// by Fisher's analysis of variance.
func variance(groups [][]float64) assumptionTest {
	all := slices.Concat(groups...)
	n, k, mean := len(all), len(groups), stat.Mean(all, nil)
	if k < 2 || n < 2*k {
		return untested
	}
	between, inside := 0.0, 0.0
	for _, g := range groups {
		m, v := stat.MeanVariance(g, nil)
		between += float64(len(g)) * (m - mean) * (m - mean)
		inside += v * float64(len(g)-1)
	}
	if inside == 0 {
		return untested
	}
	d1, d2 := float64(k-1), float64(n-k)
	f := between / d1 / (inside / d2)
	return assumptionTest{f, mathext.RegIncBeta(d2/2, d1/2, d2/(d2+d1*f))}
}
