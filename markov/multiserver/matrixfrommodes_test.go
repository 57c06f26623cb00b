package multiserver

import (
	"math"
	"testing"

	"github.com/partwise/partwise/markov/internal/block"
)

// TestEntryChange: the change of an entry is relative to its new value, and an entry that is not a number is no agreement.
func TestEntryChange(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct{ from, to []float64 }{
		{[]float64{1, 2, 0}, []float64{1, 2, 0}},
		{[]float64{1, 3, 0}, []float64{1, 2, 0}},
		{[]float64{1, 2, 1}, []float64{1, 2, 0}},
		{[]float64{nan, 2, 0}, []float64{nan, 2, 0}},
		{[]float64{1, 2, 0}, []float64{1, nan, 0}},
	} {
		want := 0.0
		for i, v := range c.to {
			if v != c.from[i] {
				want = max(want, math.Abs(v-c.from[i])/v)
			}
		}
		got := entryChange(block.Over(1, 3, c.from), block.Over(1, 3, c.to))
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("change from %v to %v is %v, want %v", c.from, c.to, got, want)
		}
	}
}
