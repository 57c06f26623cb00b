package batches

import "math"

// MSER returns the number d of leading values of x to leave out as warm-up. It minimises the marginal standard error of
// the other values,
//
//	Σ_{k ≥ d} (x_k − mean)² / (n − d)²,   d ≤ n/2.
//
// Among equal minima, d is the smallest. The values are means of small batches; with batches of five jobs the rule is
// MSER-5. The bound n/2 keeps the last few values from deciding. A run whose minimum lies at the bound is too short.
//
// Reference: K. P. White, M. J. Cobb, S. C. Spratt, A comparison of five steady-state truncation heuristics for
// simulation, Proc. Winter Simulation Conference 2000, 755–760.
func MSER(x []float64) int {
	best, least := 0, math.Inf(1)
	var n, mean, squares float64 // of x[d:], by Welford's recurrence from the end
	for d := len(x) - 1; d >= 0; d-- {
		n++
		step := x[d] - mean
		mean += step / n
		squares += step * (x[d] - mean)
		if d > len(x)/2 {
			continue
		}
		if v := squares / (n * n); v <= least {
			best, least = d, v
		}
	}
	return best
}
