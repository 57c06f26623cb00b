package metric_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/partwise/partwise/validate/metric"
	"pgregory.net/rapid"
)

// 95 % intervals of a ratio from 400 cycles cover the truth in 95 % of cases: 1000 trials have a standard error of
// .0069.
func TestCyclesCover(t *testing.T) {
	const trials = 1000
	r := rand.New(rand.NewPCG(9, 10))
	ratio := func(x []float64) float64 { return x[0] / x[1] }
	covered := 0
	for range trials {
		c := metric.NewCycles(2)
		for range 400 {
			y := r.ExpFloat64()
			c.Add([]float64{y * 2 * r.ExpFloat64(), y})
		}
		if i := c.Estimate(ratio, 0.95); i.Low <= 2 && 2 <= i.High {
			covered++
		}
	}
	if share := float64(covered) / trials; math.Abs(share-0.95) > 0.028 {
		t.Errorf("coverage %.4f", share)
	}
}

// For a ratio the method is the textbook's: variance of y − r·x over n·(mean x)².
func TestCyclesOfARatio(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 30).Draw(t, "n")
		x := rapid.SliceOfN(rapid.Float64Range(0.1, 10), n, n).Draw(t, "x")
		y := rapid.SliceOfN(rapid.Float64Range(0.1, 10), n, n).Draw(t, "y")
		a, b := metric.NewCycles(2), metric.NewCycles(2)
		var sx, sy float64
		for i := range n {
			[]*metric.Cycles{a, b}[i%2].Add([]float64{y[i], x[i]})
			sx += x[i]
			sy += y[i]
		}
		a.Merge(b)
		r := sy / sx
		var squares float64
		for i := range n {
			squares += (y[i] - r*x[i]) * (y[i] - r*x[i])
		}
		want := math.Sqrt(squares/float64(n-1)*float64(n)) / sx
		got := a.Estimate(func(s []float64) float64 { return s[0] / s[1] }, 0.95)
		// 1e-6: the gradient is a difference quotient; the squares of what is nearly 0 lose half of their digits.
		if math.Abs(got.Mean-r) > 1e-12*r || math.Abs(got.StdErr-want) > 1e-6*(want+r) || a.N() != n {
			t.Fatalf("%+v, want %v ± %v", got, r, want)
		}
	})
}

func TestOneCycleSaysNothing(t *testing.T) {
	c := metric.NewCycles(1)
	c.Add([]float64{3})
	if i := c.Estimate(func(s []float64) float64 { return 1 }, 0.95); !math.IsInf(i.HalfWidth, 1) {
		t.Errorf("%+v", i)
	}
}

// A class is at most 1/256 wide, so that a quantile of the histogram is that of the values within that.
func TestHistogramQuantile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(0, 1e6), 1, 300).Draw(t, "x")
		scale := math.Exp(rapid.Float64Range(-30, 30).Draw(t, "log scale"))
		var one, two metric.Histogram
		for i := range x {
			x[i] *= scale
			[]*metric.Histogram{&one, &two}[i%2].Add(x[i])
		}
		one.Merge(&two)
		slices.Sort(x)
		p := rapid.Float64Range(0.01, 0.99).Draw(t, "p")
		want := x[min(len(x)-1, max(0, int(math.Ceil(p*float64(len(x))))-1))]
		const denormal = 0x1p-1022 // counts as zero
		if got := one.Quantile(p); math.Abs(got-want) > want/256+denormal || one.N() != uint64(len(x)) {
			t.Fatalf("%v-quantile %v, want %v", p, got, want)
		}
	})
}

// The intervals of quantiles of exponential values in 20 sections cover the truth: 200 trials have a standard error of
// .015, and a section has 500 values, ten of them beyond the .98-quantile.
func TestSectionQuantileCovers(t *testing.T) {
	const trials = 200
	r := rand.New(rand.NewPCG(11, 12))
	for _, p := range []float64{0.5, 0.95} {
		covered := 0
		for range trials {
			sections := make([]*metric.Histogram, 20)
			for k := range sections {
				sections[k] = &metric.Histogram{}
				for range 500 {
					sections[k].Add(r.ExpFloat64())
				}
			}
			i := metric.SectionQuantile(sections, p, 0.95)
			if want := -math.Log(1 - p); i.Low <= want && want <= i.High {
				covered++
			}
		}
		if share := float64(covered) / trials; math.Abs(share-0.95) > 0.06 {
			t.Errorf("p = %v: coverage %.3f", p, share)
		}
	}
}

// However long the run, there are at most 64 sections, of the same length but for the last, and nothing is lost.
func TestSectionsAreBounded(t *testing.T) {
	var s metric.Sections
	const n = 1_000_000
	for i := range n {
		s.Add(float64(i%1000) + 1)
	}
	parts := s.Split(16)
	var sum uint64
	for _, h := range parts {
		sum += h.N()
		if h.N() < n/32 || h.N() > n/8 {
			t.Errorf("a section of %d values", h.N())
		}
	}
	if len(parts) != 16 || sum != n {
		t.Errorf("%d sections of %d values", len(parts), sum)
	}
	if i := metric.SectionQuantile(parts, 0.5, 0.95); math.Abs(i.Mean-500) > 2 { // a class at 500 is 2 wide
		t.Errorf("median %v", i.Mean)
	}
}

func TestIndependentMergesWhatDepends(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	var free, bound [][]float64
	x := 0.0
	for range 32 {
		x = 0.95*x + r.NormFloat64()
		free = append(free, []float64{r.NormFloat64(), 1})
		bound = append(bound, []float64{x, 1})
	}
	if n := len(metric.Independent(free, 0, 1)); n != 32 {
		t.Errorf("%d independent parts of 32", n)
	}
	merged := metric.Independent(bound, 0, 1)
	var weight float64
	for _, p := range merged {
		weight += p[1]
	}
	if len(merged) != 8 || weight != 32 {
		t.Errorf("%d parts, %v in all", len(merged), weight)
	}
}
