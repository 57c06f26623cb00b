package replay

import (
	"math"
	"testing"

	"github.com/partwise/partwise/validate/metric"
)

func ratio(mean, half float64) metric.Interval {
	return metric.Interval{Mean: mean, Low: mean - half, High: mean + half, HalfWidth: half}
}

// TestResizingPays: the largest share decides, and resizing pays only from a share on after which it pays at all shares.
func TestResizingPays(t *testing.T) {
	unknown := ratio(3, math.Inf(1))
	for _, c := range []struct {
		ratios []metric.Interval
		want   Verdict
		from   int
	}{
		{[]metric.Interval{ratio(1.2, .1), ratio(1.5, .1), ratio(2, .1)}, Pays, 0},
		{[]metric.Interval{ratio(1.05, .1), ratio(1.5, .1), ratio(2, .1)}, Pays, 1},
		{[]metric.Interval{ratio(1.2, .1), ratio(1.05, .1), ratio(2, .1)}, Pays, 2},
		{[]metric.Interval{ratio(1.2, .1), ratio(1.5, .1), ratio(1.1, .2)}, NotClear, -1},
		{[]metric.Interval{ratio(1.2, .1), ratio(1, .1), ratio(.8, .1)}, PaysNot, -1},
		{[]metric.Interval{ratio(.8, .1), ratio(1.5, .1), ratio(2, .1)}, Pays, 1},
		{[]metric.Interval{ratio(1.2, .1), unknown, unknown}, NotClear, -1},
		{[]metric.Interval{unknown, unknown, ratio(2, .1)}, Pays, 2},
		{[]metric.Interval{ratio(1, 0), ratio(1, 0), ratio(1, 0)}, NotClear, -1},
		{nil, NotClear, -1},
	} {
		if got, from := judge(c.ratios); got != c.want || from != c.from {
			t.Errorf("%v: %s from %d, want %s from %d", c.ratios, got, from, c.want, c.from)
		}
	}
}
