package batches

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Holm tests several hypotheses at once, and reports for each of their p-values p whether it is rejected. The probability
// that any true hypothesis is rejected is at most alpha, whatever the dependence between the tests. A p-value of NaN
// is not known: it counts as a hypothesis, but is never rejected. p is not changed.
//
// Reference: S. Holm, A simple sequentially rejective multiple test procedure, Scand. J. Statist. 6 (1979) 65–70.
func Holm(p []float64, alpha float64) []bool {
	order, known := make([]int, len(p)), slices.Clone(p)
	for i := range order {
		order[i] = i
		if math.IsNaN(p[i]) {
			known[i] = math.Inf(1)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(known[i], known[j]) })
	rejected := make([]bool, len(p))
	for rank, i := range order {
		if !(known[i] <= alpha/float64(len(p)-rank)) {
			break
		}
		rejected[i] = true
	}
	return rejected
}

// PValue returns the two-sided p-value of the statistic t: the probability that the absolute value of a Student variable
// with df degrees of freedom exceeds |t|. It is NaN if df < 1 or t is NaN.
func PValue(df int, t float64) float64 {
	if df < 1 || math.IsNaN(t) {
		return math.NaN()
	}
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(df)}.Survival(math.Abs(t))
}

// Unskew returns the statistic t = (mean − true value)/standard error, corrected for the skewness γ of the n values
// whose mean is tested:
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
