package batches_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/partwise/partwise/testdata/phtest"
	"github.com/partwise/partwise/validate/internal/batches"
	"github.com/partwise/partwise/validate/metric"
)

func TestSeriesKeepsSumsInBoundedMemory(t *testing.T) {
	s := batches.NewSeries(2, 5)
	var total float64
	n := 0
	for s.Observations() < 1_000_000 {
		var sum float64
		for range s.Size() {
			sum += float64(n)
			n++
		}
		s.Append([]float64{sum, float64(s.Size())})
		total += sum
	}
	if s.Batches() >= 1024 || s.Observations() != n {
		t.Errorf("%d batches of %d for %d observations", s.Batches(), s.Size(), n)
	}
	if got := s.Sum(0, s.Batches()); got[0] != total || got[1] != float64(n) { // sums of integers are exact
		t.Errorf("sums %v, want %v and %v", got, total, n)
	}
	means := s.Ratio(0, 1)
	for b, m := range means {
		if want := float64(b*s.Size()) + float64(s.Size()-1)/2; m != want {
			t.Fatalf("mean of batch %d: %v, want %v", b, m, want)
		}
	}
}

func TestMSERFindsTheEndOfATransient(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, 1000)
	for i := range x {
		x[i] = r.NormFloat64()
		if i < 100 {
			x[i] += 20
		}
	}
	if d := batches.MSER(x); d < 100 || d > 110 {
		t.Errorf("truncated at %d, want 100 or a little more", d)
	}
	if d := batches.MSER([]float64{3, 3, 3, 3}); d != 0 {
		t.Errorf("a constant is truncated at %d", d)
	}
}

// MSER minimises what its definition says, computed straight from the definition.
func TestMSERMinimises(t *testing.T) {
	marginal := func(x []float64) float64 {
		var mean, squares float64
		n := float64(len(x))
		for _, v := range x {
			mean += v / n
		}
		for _, v := range x {
			squares += (v - mean) * (v - mean)
		}
		return squares / (n * n)
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-10, 10), 2, 60).Draw(t, "x")
		d := batches.MSER(x)
		least := marginal(x[d:])
		for k := 0; k <= len(x)/2; k++ {
			// 1e-12: rounding of sums of 60 numbers up to 100.
			if marginal(x[k:]) < least-1e-12 {
				t.Fatalf("truncated at %d (%v), %d is better (%v)", d, least, k, marginal(x[k:]))
			}
		}
	})
}

// Batch means of an autoregressive process x_{k+1} = .9·x_k + e cover its mean 0: naive intervals from single values
// would cover it in 35 % of cases, for they are 1/√19 of what they ought to be.
func TestGroupsOfADependentSeries(t *testing.T) {
	const trials = 400
	r := rand.New(rand.NewPCG(5, 6))
	covered := 0
	for range trials {
		s := batches.NewSeries(2, 5)
		x := r.NormFloat64() / math.Sqrt(1-0.81)
		for s.Observations() < 20_000 {
			var sum float64
			for range s.Size() {
				sum += x
				x = 0.9*x + r.NormFloat64()
			}
			s.Append([]float64{sum, float64(s.Size())})
		}
		groups := metric.Independent(s.Groups(3, 64), 0, 1)
		i := metric.Jackknife(groups, func(t []float64) float64 { return t[0] / t[1] }, 0.95)
		if i.Low <= 0 && 0 <= i.High {
			covered++
		}
	}
	if share := float64(covered) / trials; share < 0.91 { // four standard errors of .011 below
		t.Errorf("coverage %.3f", share)
	}
	if g := batches.NewSeries(2, 5).Groups(0, 64); g != nil {
		t.Errorf("groups of nothing: %v", g)
	}
}

func TestLengthen(t *testing.T) {
	for _, c := range []struct {
		half float64
		want int
	}{
		{0.015, 2475},  // 1.1·1.5²
		{0.0101, 1250}, // at least a quarter
		{0.5, 4000},    // at most four times
		{math.NaN(), 4000},
	} {
		if got := batches.Lengthen(1000, c.half, 0.01); math.Abs(float64(got-c.want)) > 1 { // rounding up
			t.Errorf("half width %v: %d, want %d", c.half, got, c.want)
		}
	}
}

// p-values .01, .04, .03, .005 at 5 %: .005 ≤ .05/4, .01 ≤ .05/3, .03 > .05/2, so the first and the last are rejected.
func TestHolm(t *testing.T) {
	got := batches.Holm([]float64{0.01, 0.04, 0.03, 0.005}, 0.05)
	for i, want := range []bool{true, false, false, true} {
		if got[i] != want {
			t.Errorf("hypothesis %d: rejected %v", i, got[i])
		}
	}
	// A p-value that is not known is not rejected, and does not keep the others from being rejected.
	if got := batches.Holm([]float64{math.NaN(), 0.02}, 0.05); got[0] || !got[1] {
		t.Errorf("of NaN and 0.02 are rejected: %v", got)
	}
}

// Means of twenty exponential values: Student's test at 1 % in each tail rejects too often on the left; transformed, it
// is nearer to 1 % there. 40,000 trials have a standard error of .0005.
func TestUnskew(t *testing.T) {
	const trials = 40_000
	r := rand.New(rand.NewPCG(7, 8))
	var plain, unskewed int
	x := make([]float64, 20)
	quantile := metric.Quantile(len(x)-1, 0.99)
	for range trials {
		for i := range x {
			x[i] = r.ExpFloat64()
		}
		i := metric.Student(x, 0.95)
		z := (i.Mean - 1) / i.StdErr
		if z < -quantile {
			plain++
		}
		if batches.Unskew(z, i.Skewness, len(x)) < -quantile {
			unskewed++
		}
	}
	if plain < 3*trials/100 || unskewed > plain/2+trials/200 {
		t.Errorf("rejected: %d as they are, %d transformed, of %d", plain, unskewed, trials)
	}
	if got := batches.Unskew(-2, 0, 10); got != -2 {
		t.Errorf("no skewness: %v", got)
	}
}
