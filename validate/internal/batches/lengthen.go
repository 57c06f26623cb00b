package batches

import "math"

// Lengthen returns the length that a run should have to reach the relative half width target, given that at its present
// length it has half: the square law with ten per cent to spare, but at most four times the present length, as the
// estimate of a short run is not to be trusted, and at least a quarter more.
func Lengthen(length int, half, target float64) int {
	factor := 1.1 * (half / target) * (half / target)
	if !(factor < 4) {
		factor = 4
	}
	return int(math.Ceil(float64(length) * max(factor, 1.25)))
}
