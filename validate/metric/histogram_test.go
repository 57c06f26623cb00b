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

// TestMergedHistograms: a histogram that was merged from two has the quantiles of one that got all values itself, whether
// the values of either were few enough to be kept as they are or not.
func TestMergedHistograms(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	sizes := []int{0, 3, 300, 512, 513, 5000}
	for _, n := range sizes {
		for _, m := range sizes {
			var whole, first, second metric.Histogram
			for i := range n + m {
				x := math.Round(100*r.ExpFloat64()) / 16 // some are 0, and some classes have equal values only
				whole.Add(x)
				if i < n {
					first.Add(x)
				} else {
					second.Add(x)
				}
			}
			first.Merge(&second)
			if first.N() != whole.N() || second.N() != uint64(m) {
				t.Errorf("%d values and %d merged are %d, and leave %d", n, m, first.N(), second.N())
			}
			for _, p := range []float64{.01, .1, .5, .9, .99} {
				if got, want := first.Quantile(p), whole.Quantile(p); got != want && n+m > 0 {
					t.Errorf("%d and %d values: the %v-quantile is %v merged, %v of all", n, m, p, got, want)
				}
			}
		}
	}
}

// TestSectionsKeepAllValues: sections that were merged and used again hold each value once.
func TestSectionsKeepAllValues(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	var whole, joined metric.Histogram
	var s metric.Sections
	for range 200_000 {
		x := r.ExpFloat64()
		whole.Add(x)
		s.Add(x)
	}
	for _, h := range s.Split(16) {
		joined.Merge(h)
	}
	for _, p := range []float64{.01, .5, .99} {
		if got, want := joined.Quantile(p), whole.Quantile(p); got != want {
			t.Errorf("the %v-quantile is %v in sections, %v in one", p, got, want)
		}
	}
}
