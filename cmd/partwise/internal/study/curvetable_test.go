package study

import (
	"testing"

	"github.com/partwise/partwise/models/decide"
)

// ratios are points at loads .1, .2, … with ratios; 0 is a point at which a policy is unstable.
func ratios(rs ...float64) []decide.Point {
	var points []decide.Point
	for i, r := range rs {
		points = append(points, decide.Point{Load: float64(i+1) / 10, Decision: decide.Decision{Ratio: r}})
	}
	return points
}

func TestCrossings(t *testing.T) {
	for _, c := range []struct {
		ratios []float64
		want   string
	}{
		{[]float64{0.9, 0.95, 1.05, 1.1}, "dynamic pays from load 0.25 on"},
		{[]float64{1.1, 1.1}, "dynamic pays at every load from 0.1 to 0.2"},
		{[]float64{0.9, 0.8}, "dynamic pays at no load from 0.1 to 0.2"},
		{[]float64{1.2, 0.8}, "dynamic pays up to load 0.15"},
		{[]float64{0.9, 1.1, 0.9}, "dynamic pays from load 0.15 to 0.25"},
		{[]float64{1.1, 0.9, 1.1}, "dynamic pays up to load 0.15, and from load 0.25 on"},
		{[]float64{0.9, 1.1, 0, 0}, "dynamic pays from load 0.15 on, as far as it is stable (0.2)"},
		{[]float64{1.25, 0}, "at load 0.1 dynamic is 25 % faster than the best static"},
		{[]float64{0, 0}, "no load at which both policies are stable"},
	} {
		if got := Crossings(ratios(c.ratios...)); got != c.want {
			t.Errorf("ratios %v: %q, want %q", c.ratios, got, c.want)
		}
	}
}
