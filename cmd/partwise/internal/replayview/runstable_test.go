package replayview

import (
	"math"
	"testing"

	"github.com/partwise/partwise/validate/metric"
)

// TestRatioWords: a ratio is written with ± where its mean is in the middle of the interval, and with both ends where it is not.
func TestRatioWords(t *testing.T) {
	for want, e := range map[string]metric.Interval{
		"1.21 ± 0.12":       {Mean: 1.21, Low: 1.096, High: 1.335, HalfWidth: 0.1195},
		"8.41 (1.02–34.90)": {Mean: 8.41, Low: 1.02, High: 34.9, HalfWidth: 16.94},
		"1.00":              {Mean: 1, Low: 1, High: 1},
		"2.00":              {Mean: 2, Low: math.NaN(), High: math.NaN(), HalfWidth: math.Inf(1)},
	} {
		if got := ratioWords(e); got != want {
			t.Errorf("%v is written %q, not %q", e, got, want)
		}
	}
}
