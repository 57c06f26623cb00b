package phasetype_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// sampled returns distributions for each of the ways in which values are drawn.
func sampled() []struct {
	name string
	d    phasetype.Dist
} {
	return []struct {
		name string
		d    phasetype.Dist
	}{
		{"exponential", phasetype.Must(phasetype.Exponential(2))},
		{"hyperexponential", phasetype.Must(phasetype.TwoMoments(1, 4))},
		{"erlang-3", phasetype.Must(phasetype.Erlang(3, 1))},
		{"erlang-50", phasetype.Must(phasetype.Erlang(50, 1))},
		{"mixed erlang", phasetype.Must(phasetype.TwoMoments(1, 0.15))},
		{"coxian", phasetype.Must(phasetype.Coxian([]float64{3, 2, 1}, []float64{0.5, 0.3}))},
		{"ladder", ladder(8)},
		{"atom", phasetype.Must(phasetype.New([]float64{0.2, 0.5}, mat.NewDense(2, 2, []float64{-1, 1, 2, -3})))},
		{"long walk", busy(4)},
	}
}

// TestSampleMoments: the first two moments of 20,000 values are within 4 standard errors of those of the distribution;
// the errors follow from its moments up to the fourth.
func TestSampleMoments(t *testing.T) {
	const count = 20_000
	var worst float64
	for _, c := range sampled() {
		v := c.d.With(rand.NewPCG(3, 4))
		var sum [3]float64
		for range count {
			x := v.Rand()
			sum[1] += x
			sum[2] += x * x
		}
		for k := 1; k <= 2; k++ {
			m := c.d.Moment(k)
			se := math.Sqrt((c.d.Moment(2*k) - m*m) / count)
			z := math.Abs(sum[k]/count-m) / se
			worst = math.Max(worst, z)
			if !(z <= 4) {
				t.Errorf("%s: moment %d of the sample is %g, want %g: %.2g standard errors", c.name, k, sum[k]/count, m, z)
			}
		}
	}
	t.Logf("largest deviation %.2f standard errors", worst)
}

// TestSampleDistribution: the greatest distance of the empirical distribution function at 19 quantiles is below what
// the law of Kolmogorov exceeds once in 10⁵ samples; the fixed stream is not such a one.
func TestSampleDistribution(t *testing.T) {
	const count = 10_000
	for _, c := range sampled() {
		l := phasetype.NewLaw(c.d)
		v := c.d.With(rand.NewPCG(5, 6))
		var below [20]int
		var at [20]float64
		for i := range at {
			at[i] = l.Quantile(float64(i) / 20)
		}
		for range count {
			x := v.Rand()
			for i, q := range at {
				if x <= q {
					below[i]++
				}
			}
		}
		for i, q := range at {
			p := l.CDF(q)
			if d := math.Abs(float64(below[i])/count - p); d > 2.47/math.Sqrt(count) {
				t.Errorf("%s: a share of %g is below %g, want %g", c.name, float64(below[i])/count, q, p)
			}
		}
	}
}

// TestStreams pins the values of a seed, which make a simulation repeatable: do not change them. Digits beyond the
// eighth may differ on processors that fuse multiplications and additions.
func TestStreams(t *testing.T) {
	want := map[string][3]float64{
		"exponential":      {0.034001729440392148, 0.78961501042099513, 0.27568160232522965},
		"hyperexponential": {0.038320515337071516, 0.88990926682906557, 0.31069775696475793},
		"erlang-3":         {1.1477630228222007, 0.88534280800591492, 0.84760936844916179},
		"erlang-50":        {0.88898119521982488, 1.0851135231582016, 0.89249077901301255},
		"mixed erlang":     {0.9110453091286661, 0.55029321385907781, 0.27724804810440662},
		"coxian":           {0.022667819626928098, 0.74372705967503561, 0.41116417108772679},
		"ladder":           {0.18566774077181974, 0.64604912686093763, 0.16299823105243988},
		"atom":             {2.7879866625857863, 1.4803622361395428, 0.36757762042710768},
		"long walk":        {1177.8185284412998, 645.85527934492825, 741.49802702026864},
	}
	check := func(name string, draw func() float64) {
		t.Helper()
		var got [3]float64
		for i := range got {
			got[i] = draw()
		}
		for i := range got {
			if math.Abs(got[i]-want[name][i]) > 1e-8*math.Abs(got[i]) {
				t.Errorf("%q: {%s},", name, fmt.Sprintf("%.17g, %.17g, %.17g", got[0], got[1], got[2]))
				break
			}
		}
	}
	for _, c := range sampled() {
		check(c.name, c.d.With(rand.NewPCG(1, 2)).Rand)
	}
}

// TestWith: sources are independent of one another, and a source given again gives the same values.
func TestWith(t *testing.T) {
	var _ interface {
		distuv.RandLogProber
		distuv.Quantiler
	} = new(phasetype.Random)
	for _, c := range sampled() {
		v := c.d.With(rand.NewPCG(1, 2))
		again := c.d.With(rand.NewPCG(1, 2))
		for range 10 {
			if a, b := v.Rand(), again.Rand(); a != b {
				t.Errorf("%s: %g, with the same source %g", c.name, a, b)
			}
		}
		law := phasetype.NewLaw(c.d)
		for _, x := range []float64{-1, 0, 0.3, 2} {
			for name, pair := range map[string][2]float64{
				"survival": {v.Survival(x), c.d.Survival(x)}, "log-survival": {v.LogSurvival(x), law.LogSurvival(x)},
				"cdf": {v.CDF(x), law.CDF(x)}, "pdf": {v.PDF(x), law.PDF(x)}, "log-density": {v.LogProb(x), c.d.LogProb(x)},
				"quantile":         {v.Quantile(x / 3), c.d.Quantile(x / 3)},
				"inverse survival": {v.InverseSurvival(x / 3), law.InverseSurvival(x / 3)},
			} {
				if pair[0] != pair[1] {
					t.Errorf("%s: %s at %g is %g, of the distribution %g", c.name, name, x, pair[0], pair[1])
				}
			}
		}
		if x := c.d.With(nil).Rand(); !(x >= 0) {
			t.Errorf("%s: drew %g without a source", c.name, x)
		}
	}
}

// TestLogProb: the logarithm of the density, also where that underflows.
func TestLogProb(t *testing.T) {
	d := phasetype.Must(phasetype.Exponential(2))
	for _, x := range []float64{0, 1e-3, 1, 300, 1e6} {
		approx(t, "log-density", d.LogProb(x), math.Ln2-2*x, ulps)
	}
	for _, x := range []float64{-1, math.Inf(1)} {
		if v := d.LogProb(x); !math.IsInf(v, -1) {
			t.Errorf("log-density at %g is %g", x, v)
		}
	}
	if v := (phasetype.Dist{}).LogProb(1); !math.IsInf(v, -1) || !math.IsNaN(d.LogProb(math.NaN())) {
		t.Errorf("log-density of zero is %g, at NaN %g", v, d.LogProb(math.NaN()))
	}
}
