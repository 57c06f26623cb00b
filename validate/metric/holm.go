package metric

import (
	"cmp"
	"slices"
)

// Holm tests hypotheses with p-values p at once and reports which are rejected. The probability that a true one is
// among them is at most alpha, whatever the dependence.
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
