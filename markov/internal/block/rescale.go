package block

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// farFromOne is the binary exponent from which vectors are rescaled. Entries may be smaller than the sum by the same
// factor, and products with rates still stay in range.
const farFromOne = 100

// Rescale multiplies x by a power of two that brings its sum close to one, if the sum is far from one. It returns the
// exponent e: before, x was 2^e times what it is now. No digit changes.
func Rescale(x []float64) (e int) {
	sum := Sum(x)
	if sum == 0 || math.IsInf(sum, 0) || math.IsNaN(sum) {
		return 0
	}
	if _, e = math.Frexp(sum); e > -farFromOne && e < farFromOne {
		return 0
	}
	e = min(max(e, -1000), 1000) // 2^−e is a number
	floats.Scale(math.Ldexp(1, -e), x)
	return e
}

// Unscale multiplies x by 2^e. Numbers that leave the range become zero or infinite.
func Unscale(x []float64, e int) {
	if e == 0 {
		return
	}
	for i, v := range x {
		x[i] = math.Ldexp(v, e)
	}
}
