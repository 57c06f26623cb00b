package metric_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/partwise/partwise/testdata/phtest"
	"github.com/partwise/partwise/validate/internal/batches"
	"github.com/partwise/partwise/validate/metric"
)

// Student's data on sleep (Biometrika 6, 1908): the differences of two drugs, mean 1.58, sd 1.230, n = 10; the 95 %
// interval is 1.58 ± 2.262·1.230/√10 = 1.58 ± 0.880.
func TestStudentOnSleep(t *testing.T) {
	got := metric.Student([]float64{1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4}, 0.95)
	if math.Abs(got.Mean-1.58) > 1e-12 || math.Abs(got.HalfWidth-0.880) > 5e-4 || got.DF != 9 {
		t.Errorf("%+v", got)
	}
	// t = 1.58/.38896 = 4.062 on 9 degrees of freedom: p = .002833 (R, t.test).
	if p := batches.PValue(9, got.Mean/got.StdErr); math.Abs(p-0.002833) > 1e-6 {
		t.Errorf("p = %v", p)
	}
	if one := metric.Student([]float64{7}, 0.95); one.Mean != 7 || !math.IsInf(one.HalfWidth, 1) {
		t.Errorf("one value: %+v", one)
	}
}

// For a mean, the pseudo-values of the jackknife are the values.
func TestJackknifeOfAMeanIsTheMean(t *testing.T) {
	sums := [][]float64{{3, 1}, {5, 1}, {10, 1}}
	mean := func(t []float64) float64 { return t[0] / t[1] }
	for r, v := range metric.PseudoValues(sums, mean) {
		if math.Abs(v-sums[r][0]) > 1e-12 {
			t.Errorf("pseudo-value %v, want %v", v, sums[r][0])
		}
	}
}

// The jackknife removes the bias of E[X]² as estimated by the square of the mean, exactly.
func TestJackknifeRemovesBias(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-5, 5), 3, 20).Draw(t, "x")
		sums := make([][]float64, len(x))
		var mean, squares float64
		n := float64(len(x))
		for i, v := range x {
			sums[i] = []float64{v, 1}
			mean += v / n
		}
		for _, v := range x {
			squares += (v - mean) * (v - mean)
		}
		square := func(t []float64) float64 { return t[0] * t[0] / (t[1] * t[1]) }
		got := metric.Jackknife(sums, square, 0.95).Mean
		if want := mean*mean - squares/(n-1)/n; math.Abs(got-want) > 1e-10 { // rounding, pseudo-values up to 20·25
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// 95 % intervals of the ratio of the sums of two dependent variables, eight replications of 50 observations: they cover
// the truth in 95 % of cases. 4000 trials have a standard error of .0034; four of them.
func TestJackknifeCovers(t *testing.T) {
	const trials = 4000
	r := rand.New(rand.NewPCG(3, 4))
	covered := 0
	for range trials {
		sums := make([][]float64, 8)
		for k := range sums {
			sums[k] = make([]float64, 2)
			for range 50 {
				y := r.ExpFloat64()
				sums[k][0] += y * r.ExpFloat64()
				sums[k][1] += y
			}
		}
		i := metric.Jackknife(sums, func(t []float64) float64 { return t[0] / t[1] }, 0.95)
		if i.Low <= 1 && 1 <= i.High {
			covered++
		}
	}
	if share := float64(covered) / trials; math.Abs(share-0.95) > 0.014 {
		t.Errorf("coverage %.4f", share)
	}
}

// What is not known, or cannot be, has no finite interval.
func TestUnknownValuesHaveNoInterval(t *testing.T) {
	nan := math.NaN()
	if i := metric.Student([]float64{1, nan, 3}, 0.9); !math.IsNaN(i.HalfWidth) || !math.IsNaN(i.Low) {
		t.Errorf("Student: %+v", i)
	}
	ratio := func(x []float64) float64 { return x[0] / x[1] }
	if i := metric.Jackknife([][]float64{{1, 2}, {nan, 2}, {3, 2}}, ratio, 0.9); !math.IsNaN(i.HalfWidth) {
		t.Errorf("Jackknife: %+v", i)
	}
	for _, c := range []struct{ value, p float64 }{{1, -1}, {1, 0}, {1, 1}, {1, 2}, {1, nan}, {-1, 0.5}, {nan, 0.5}} {
		h, other := &metric.Histogram{}, &metric.Histogram{}
		h.Add(1)
		h.Add(c.value)
		other.Merge(h)
		i := metric.SectionQuantile([]*metric.Histogram{h, other}, c.p, 0.9)
		if !math.IsNaN(other.Quantile(c.p)) || !math.IsNaN(i.Mean) || !math.IsNaN(i.HalfWidth) {
			t.Errorf("value %v, p %v: %v, %+v", c.value, c.p, other.Quantile(c.p), i)
		}
	}
}
