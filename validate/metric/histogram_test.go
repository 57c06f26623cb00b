package metric_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/partwise/partwise/validate/metric"
)

// TestQuantilesOfFewValues compares quantiles with those of the sorted values. Where few values are in a class, they are
// exact: no percentile of jobs that all take 100 s is above 100 s.
func TestQuantilesOfFewValues(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 8))
	for name, values := range map[string][]float64{
		"equal values":    slices.Repeat([]float64{100}, 40),
		"mostly 1":        append(slices.Repeat([]float64{1}, 95), 1.7, 2, 3, 300, 7e9),
		"one value":       {0.3},
		"zeros":           append(slices.Repeat([]float64{0}, 7), 12, 12, 12.5),
		"far apart":       {1e-300, 1e-9, 5, 1e9, 1e300},
		"drawn far apart": far(r, 50),
	} {
		var whole, first, second metric.Histogram
		for i, x := range values {
			whole.Add(x)
			if i%2 == 0 {
				first.Add(x)
			} else {
				second.Add(x)
			}
		}
		first.Merge(&second)
		sorted := slices.Sorted(slices.Values(values))
		for _, p := range []float64{.01, .1, .5, .9, .95, .99} {
			want := sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)]
			for _, h := range []*metric.Histogram{&whole, &first} {
				if got := h.Quantile(p); got != want {
					t.Errorf("%s: the %v-quantile is %v, want %v", name, p, got, want)
				}
			}
		}
	}
}

// TestQuantilesOfManyValues: where values of a class differ, quantiles are off by the width of the class at most.
func TestQuantilesOfManyValues(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 9))
	var h metric.Histogram
	values := make([]float64, 20_000)
	for i := range values {
		values[i] = r.ExpFloat64()
		h.Add(values[i])
	}
	slices.Sort(values)
	for _, p := range []float64{.01, .1, .5, .9, .95, .99} {
		want := values[int(math.Ceil(p*float64(len(values))))-1]
		if got := h.Quantile(p); math.Abs(got/want-1) > 1./256 {
			t.Errorf("the %v-quantile is %v, want %v", p, got, want)
		}
	}
}

// far returns n values of which no two are in one class: each is larger than the one before by 1 % at least.
func far(r *rand.Rand, n int) []float64 {
	values := make([]float64, n)
	x := 1.0
	for i := range values {
		x *= 1.01 + r.Float64()
		values[i] = x
	}
	r.Shuffle(n, func(i, j int) { values[i], values[j] = values[j], values[i] })
	return values
}
