package multiserver

import (
	"math"
	"testing"
)

// TestLargestChange: the change of an entry is relative to its new value, and an entry that is not a number never settles.
func TestLargestChange(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		from, to []float64
		want     float64
	}{
		{[]float64{1, 2, 0}, []float64{1, 2, 0}, 0},
		{[]float64{1, 3, 0}, []float64{1, 2, 0}, 0.5},
		{[]float64{3, 3, 0}, []float64{2, 1, 0}, 2},
		{[]float64{1, 2, 1}, []float64{1, 2, 0}, inf},
		{[]float64{1, 0, 3}, []float64{0, 0, 2}, inf},
		{[]float64{nan, 2, 0}, []float64{nan, 2, 0}, nan},
		{[]float64{1, 2, 0}, []float64{1, nan, 0}, nan},
		{[]float64{1, 2, 0}, []float64{0, nan, 0}, nan},
	} {
		if got := largestChange(c.from, c.to); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("change from %v to %v is %v, want %v", c.from, c.to, got, c.want)
		}
	}
}
