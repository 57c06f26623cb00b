package reduction

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// TestExtrapolation: where changes fall by one factor, two steps give the limit. The weight of a difference is limited, and
// no entry falls below half of its latest value.
func TestExtrapolation(t *testing.T) {
	const ratio = 0.8
	limit := []float64{1, 2e-9, 3, 0}
	error0 := []float64{0.01, -1e-11, 0.02, 0}
	step := func(x []float64) []float64 { // errors fall by the ratio
		y := make([]float64, len(x))
		for i := range x {
			y[i] = limit[i] + ratio*(x[i]-limit[i])
		}
		return y
	}
	start := make([]float64, len(limit))
	floats.AddTo(start, limit, error0)
	first := step(start)
	second := step(first)
	extrapolated := func(mostWeight float64) []float64 {
		e := NewExtrapolation(len(limit), mostWeight)
		defer e.Release()
		e.Add(start, first)
		x := append([]float64(nil), first...)
		if e.Extrapolate(x); !floats.Equal(x, first) {
			t.Error("one step is extrapolated")
		}
		e.Add(first, second)
		e.Extrapolate(x)
		return x
	}
	for i, v := range extrapolated(10) {
		if math.Abs(v-limit[i]) > 1e-12*limit[i] {
			t.Errorf("entry %d is %v, its limit %v", i, v, limit[i])
		}
	}
	for i, v := range extrapolated(1) {
		if want := second[i] + second[i] - first[i]; math.Abs(v-want) > 1e-12*limit[i] {
			t.Errorf("with the weight 1 entry %d is %v, not %v", i, v, want)
		}
	}
	error0[0] = 100
	floats.AddTo(start, limit, error0)
	first = step(start)
	second = step(first)
	if x := extrapolated(10); x[0] < second[0]/2 {
		t.Errorf("entry 0 falls from %v to %v", second[0], x[0])
	}
}
