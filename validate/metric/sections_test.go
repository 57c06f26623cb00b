package metric_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/validate/metric"
)

// TestSectionQuantileOfZeros: the quantile of values that are mostly 0, such as waiting times, is 0 with a lower end of 0. The upper
// end is positive if the share of positive values may exceed 1 − p.
func TestSectionQuantileOfZeros(t *testing.T) {
	sections := func(positive ...int) (all []*metric.Histogram) {
		for _, n := range positive {
			h := &metric.Histogram{}
			for i := range 1000 {
				x := 0.0
				if i < n {
					x = float64(1 + i)
				}
				h.Add(x)
			}
			all = append(all, h)
		}
		return all
	}
	for _, c := range []struct {
		positive []int
		high     bool // the upper end is positive
	}{
		{[]int{0, 0, 0, 0}, false}, {[]int{1, 2, 1, 2}, false}, {[]int{40, 50, 40, 50}, true}, {[]int{0, 0, 0, 190}, true},
	} {
		i := metric.SectionQuantile(sections(c.positive...), 0.95, 0.95)
		if i.Mean != 0 || i.Low != 0 || i.High > 0 != c.high || math.IsNaN(i.HalfWidth) {
			t.Errorf("positive values %v: %+v", c.positive, i)
		}
	}
	if i := metric.SectionQuantile(sections(60, 70, 60, 70), 0.95, 0.95); !(i.Mean > 0 && i.Low > 0 && i.Low < i.Mean && i.High > i.Mean) {
		t.Errorf("quantile of which an eighth of the positive values is larger: %+v", i)
	}
}
