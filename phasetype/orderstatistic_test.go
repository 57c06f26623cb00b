package phasetype_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/phasetype/phtest"
	"pgregory.net/rapid"
)

// TestOrderStatisticOfExponentials: the k-th of n has mean Σ_{j=n−k+1..n} 1/j and variance Σ 1/j², by Rényi's
// representation.
func TestOrderStatisticOfExponentials(t *testing.T) {
	exp := must(t)(phasetype.Exponential(1))
	for n := 1; n <= 100; n += 11 {
		for _, k := range []int{1, (n + 1) / 2, n} {
			d := must(t)(phasetype.OrderStatistic(exp, k, n))
			var mean, variance float64
			for j := n - k + 1; j <= n; j++ {
				mean += 1 / float64(j)
				variance += 1 / float64(j) / float64(j)
			}
			approx(t, "mean", d.Mean(), mean, ulps)
			approx(t, "variance", d.Variance(), variance, ulps)
			if d.Phases() != k {
				t.Errorf("%d phases for the %d-th of %d", d.Phases(), k, n)
			}
		}
	}
}

// TestOrderStatisticProperty: P(X_(k) > x) is a binomial sum over the survival function, and the order statistics share
// out the sum of the variables. Smallest and largest are Minimum and Maximum.
func TestOrderStatisticProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := phtest.Draw(t, 3)
		n := rapid.IntRange(2, 4).Draw(t, "n")
		l := phasetype.NewLaw(d)
		var sum float64
		for k := 1; k <= n; k++ {
			o, err := phasetype.OrderStatistic(d, k, n)
			if err != nil {
				t.Fatal(err)
			}
			sum += o.Mean()
			for _, x := range []float64{0, d.Mean() / 3, d.Mean(), 4 * d.Mean()} {
				s := l.Survival(x)
				want, binomial := 0.0, 1.0
				for j := range k { // j have ended
					want += binomial * math.Pow(1-s, float64(j)) * math.Pow(s, float64(n-j))
					binomial *= float64(n-j) / float64(j+1)
				}
				if got := o.Survival(x); math.Abs(got-want) > 2e-9 { // where an atom is below 1e-9 it is spread
					t.Fatalf("%d-th of %d: P(X > %g) = %g, binomial sum %g", k, n, x, got, want)
				}
			}
		}
		if want := float64(n) * d.Mean(); math.Abs(sum-want) > 4e-9*want {
			t.Fatalf("means of the order statistics add up to %g, those of the variables to %g", sum, want)
		}
		for k, extreme := range map[int]func(a, b phasetype.Dist) (phasetype.Dist, error){
			1: phasetype.Minimum, 2: phasetype.Maximum,
		} {
			a, err := phasetype.OrderStatistic(d, k, 2)
			if err != nil {
				t.Fatal(err)
			}
			b, err := extreme(d, d)
			if err != nil {
				t.Fatal(err)
			}
			if !phasetype.Equivalent(a, b, 2e-9) {
				t.Fatalf("%d-th of 2: %+v", k, phasetype.Compare(a, b))
			}
		}
	})
}
