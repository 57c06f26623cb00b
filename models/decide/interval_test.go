package decide

import (
	"math"
	"testing"
)

// Between values quantiles are interpolated; towards samples that are unstable they are infinite, and never NaN.
func TestQuantile(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		sorted []float64
		p      float64
		want   float64
	}{
		{[]float64{1, 2, 3}, 0.5, 2},
		{[]float64{1, 2, 3}, 0.375, 1.5},
		{[]float64{1, 2, 3}, 0.01, 1},
		{[]float64{1, 2, 3}, 0.99, 3},
		{[]float64{1, 2, inf}, 0.5, 2},
		{[]float64{1, 2, inf}, 0.6, inf},
		{[]float64{1, inf, inf}, 0.6, inf},
	} {
		if got := quantile(c.sorted, c.p); got != c.want {
			t.Errorf("%v at %v: %v, want %v", c.sorted, c.p, got, c.want)
		}
	}
}

// Samples that lie symmetrically about the value need no correction; where most lie below it, the interval moves up.
func TestCorrected(t *testing.T) {
	samples := func() []float64 {
		x := make([]float64, 999)
		for i := range x {
			x[i] = float64(i + 1)
		}
		return x
	}
	if i := corrected("", samples(), 500, 0.95); math.Abs(i.Low-25) > 1e-6 || math.Abs(i.High-975) > 1e-6 {
		t.Errorf("%+v", i)
	}
	if i := corrected("", samples(), 600, 0.95); !(i.Low > 60 && i.High > 990) {
		t.Errorf("%+v", i)
	}
}
