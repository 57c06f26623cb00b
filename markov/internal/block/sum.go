package block

import "math"

// Sum returns the sum of numbers, in an order that does not depend on their address. gonum's floats.Sum begins at an
// address that is a multiple of 16, so the last digit of its result depends on the address.
func Sum(x []float64) float64 {
	var s0, s1, s2, s3 float64
	for len(x) >= 4 {
		s0 += x[0]
		s1 += x[1]
		s2 += x[2]
		s3 += x[3]
		x = x[4:]
	}
	for _, v := range x {
		s0 += v
	}
	return s0 + s1 + (s2 + s3)
}

// LargestRatio returns the largest |x_i/of_i|, without the entries where of_i is zero; 0 without entries.
func LargestRatio(x, of []float64) float64 {
	largest := 0.0
	for i, v := range of {
		if v != 0 {
			largest = max(largest, math.Abs(x[i]/v))
		}
	}
	return largest
}

// LargestChange returns the largest relative change |to_i − from_i|/to_i of an entry. Both vectors are nonnegative and of
// the same length. An entry that did not change counts as 0, also if it is zero. The result is +Inf if a positive entry
// became zero, and NaN if an entry is NaN. An iteration has settled when the result is a few roundings.
func LargestChange(from, to []float64) float64 {
	largest := 0.0
	for i, v := range to {
		d := math.Abs(v - from[i])
		if math.IsNaN(d) {
			return d
		}
		if d > largest*v { // divides seldom: most entries change less than the largest
			largest = d / v
		}
	}
	return largest
}

// ChangeOf returns the largest |is_j − was_j|/(u_j + is_j) without entries that are zero in all three, or least if that
// is larger. It divides seldom: most entries change less than the largest.
func ChangeOf(was, is, u []float64, least float64) float64 {
	n := len(was)
	is, u = is[:n], u[:n]
	if fast := n &^ 3; available && fast > 0 && !anyChangedMore(fast, &was[0], &is[0], &u[0], least) {
		was, is, u = was[fast:], is[fast:], u[fast:]
	}
	change := least
	for j, v := range was {
		if d, sum := math.Abs(is[j]-v), u[j]+is[j]; d > change*sum {
			change = d / sum
		}
	}
	return change
}
