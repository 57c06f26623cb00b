package batches

import "math"

// Lengthen returns the length that a run should have so that its half width falls from half, at the present length, to
// target. Both half widths are absolute, or both relative. A half width falls with the root of the length; ten per cent
// are added to the length that follows. The result is at most four times the present length, because the half width of a
// short run is unreliable. It is at least a quarter more than the present length.
func Lengthen(length int, half, target float64) int {
	factor := 1.1 * (half / target) * (half / target)
	if !(factor < 4) {
		factor = 4
	}
	return int(math.Ceil(float64(length) * max(factor, 1.25)))
}
