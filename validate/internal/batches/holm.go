package batches

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Holm tests hypotheses with p-values p at once and reports which are rejected. The probability that a true hypothesis
// is rejected is at most alpha, whatever the dependence between the tests.
//
// Reference: S. Holm, A simple sequentially rejective multiple test procedure, Scand. J. Statist. 6 (1979) 65–70.
func Holm(p []float64, alpha float64) []bool {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	rejected := make([]bool, len(p))
	for rank, i := range order {
		if !(p[i] <= alpha/float64(len(p)-rank)) {
			break
		}
		rejected[i] = true
	}
	return rejected
}

// PValue returns the probability that the absolute value of a Student variable with df degrees of freedom exceeds |t|.
// It is NaN if df < 1.
func PValue(df int, t float64) float64 {
	if df < 1 || math.IsNaN(t) {
		return math.NaN()
	}
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(df)}.Survival(math.Abs(t))
}

// Unskew returns the statistic t = (mean − true value)/standard error, corrected for the skewness γ of its n values:
//
//	g = t + γ·(2t² + 1)/(6√n) + γ²·t³/(27n).
//
// If the values lean to the right, t leans to the left. The corrected statistic is nearer to Student's distribution.
//
// Reference: P. Hall, On the removal of skewness by transformation, J. R. Statist. Soc. B 54 (1992) 221–228.
func Unskew(t, skewness float64, n int) float64 {
	c := skewness / math.Sqrt(float64(n))
	return t + c*(2*t*t+1)/6 + c*c*t*t*t/27
}
