package batches

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// independence is the level of the test for independence of neighbouring groups. It is large because treating dependent
// groups as independent is the worse error.
const independence = 0.2

// Independent reports whether the values x pass a one-sided test against positive dependence of neighbours. For
// independent normal values, 1 − Σ(x_{i+1}−x_i)²/(2·Σ(x_i−mean)²) has mean 0 and variance (n−2)/(n²−1).
//
// References: J. von Neumann, Distribution of the ratio of the mean square successive difference to the variance, Ann.
// Math. Statist. 12 (1941) 367–395. G. S. Fishman, Grouping observations in digital simulation, Management Sci. 24
// (1978) 510–521.
func Independent(x []float64) bool {
	n := float64(len(x))
	var mean float64
	for _, v := range x {
		mean += v / n
	}
	var steps, squares float64
	for i, v := range x {
		squares += (v - mean) * (v - mean)
		if i > 0 {
			steps += (v - x[i-1]) * (v - x[i-1])
		}
	}
	if squares == 0 {
		return true
	}
	z := (1 - steps/(2*squares)) / math.Sqrt((n-2)/(n*n-1))
	return distuv.UnitNormal.Survival(z) > independence
}
