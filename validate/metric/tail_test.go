package metric

import "testing"

// TestTailOfEqualValues counts the values above numbers of their class. If all values of the class are equal, all or
// none exceed a number, as [Histogram.Quantile] takes them. Other values are spread evenly over the class.
func TestTailOfEqualValues(t *testing.T) {
	var equal, mixed Histogram
	for range 10 {
		equal.Add(149.25)
		mixed.Add(149)
	}
	mixed.Add(149.25)
	for _, c := range []struct {
		q    float64
		want float64
	}{{1, 10}, {148.9, 10}, {149, 10}, {149.1, 10}, {149.25, 0}, {149.3, 0}, {1000, 0}} {
		all := tailOf(&equal)
		if got := all.above(c.q); got != c.want {
			t.Errorf("%v of 10 values of 149.25 exceed %v, want %v", got, c.q, c.want)
		}
	}
	spread := tailOf(&mixed)
	if got := spread.above(149.25); got != 5.5 { // the class is [149, 149.5)
		t.Errorf("%v of 11 values in [149, 149.5) exceed 149.25, want 5.5", got)
	}
}
