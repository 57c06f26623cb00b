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
