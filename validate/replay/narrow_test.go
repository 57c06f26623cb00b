package replay

import (
	"math"
	"testing"
)

// TestNarrowWithInfiniteEnds: a search ends, too, if the value is infinite at one end of its range, where no line leads to 1.
func TestNarrowWithInfiniteEnds(t *testing.T) {
	const truth = 500
	for _, ends := range [][2]float64{{math.Inf(1), 0.5}, {2, math.Inf(-1)}, {math.Inf(1), math.Inf(-1)}} {
		at := func(costs ...float64) (values []float64, err error) {
			for _, cost := range costs {
				if cost < truth {
					values = append(values, ends[0])
				} else {
					values = append(values, ends[1])
				}
			}
			return values, nil
		}
		found, err := new(costSearch).narrow(60, 960, at)
		if err != nil || !(math.Abs(found-truth) <= breakevenTol*truth) {
			t.Errorf("values %g: %g, %v, not %d", ends, found, err, truth)
		}
	}
}
