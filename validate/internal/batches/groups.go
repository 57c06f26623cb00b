package batches

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Numbers of groups that Groups tries, most first.
var groupCounts = []int{64, 48, 32, 24, 16, 12, 8}

// independence is the level of the test for independence of neighbouring groups. It is large because calling dependent
// groups independent is the error to avoid.
const independence = 0.2

// Groups cuts a run, from batch from on, into consecutive groups of equally many batches whose means of component num
// over component den pass for independent by von Neumann's ratio, and returns the sums of each: as many groups as pass,
// 8 if none do. A remainder is left out at the front. It returns nil if there are fewer than 8 batches.
//
// References: J. von Neumann, Distribution of the ratio of the mean square successive difference to the variance,
// Ann. Math. Statist. 12 (1941) 367–395. G. S. Fishman, Grouping observations in digital simulation, Management Sci. 24
// (1978) 510–521.
func Groups(s *Series, from, num, den int) [][]float64 {
	var sums [][]float64
	for _, n := range groupCounts {
		size := (s.Batches() - from) / n
		if size == 0 {
			continue
		}
		sums = sums[:0]
		for b := s.Batches() - n*size; b < s.Batches(); b += size {
			sums = append(sums, s.Sum(b, b+size))
		}
		x := make([]float64, n)
		for i, v := range sums {
			x[i] = v[num] / v[den]
		}
		if Independent(x) {
			break
		}
	}
	return sums
}

// Independent reports whether x passes a one-sided test against positive dependence of neighbours: for independent
// normal values 1 − Σ(x_{i+1}−x_i)²/(2·Σ(x_i−mean)²) has mean 0 and variance (n−2)/(n²−1).
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
