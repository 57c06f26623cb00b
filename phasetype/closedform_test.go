package phasetype_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// ulps is the relative accuracy expected of sums and products of a few positive numbers.
const ulps = 1e-14

func approx(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Abs(want)) {
		t.Errorf("%s is %.17g, want %.17g (relative error %.2g)", what, got, want, got/want-1)
	}
}

func must(t *testing.T) func(phasetype.Dist, error) phasetype.Dist {
	return func(d phasetype.Dist, err error) phasetype.Dist {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
}

func TestExponential(t *testing.T) {
	d := phasetype.NewLaw(must(t)(phasetype.Exponential(4)))
	approx(t, "mean", d.Mean(), 0.25, 0)
	approx(t, "scv", d.SCV(), 1, ulps)
	approx(t, "skewness", d.Skewness(), 2, ulps)
	for _, x := range []float64{1e-20, 1e-3, 1, 30, 170} {
		// The rounding of log S, relative to it, is the rounding of S, absolute in its logarithm.
		approx(t, "survival", d.Survival(x), math.Exp(-4*x), ulps*(1+4*x))
		approx(t, "log-survival", d.LogSurvival(x), -4*x, ulps)
		approx(t, "cdf", d.CDF(x), -math.Expm1(-4*x), ulps)
		approx(t, "pdf", d.PDF(x), 4*math.Exp(-4*x), ulps*(1+4*x))
	}
	for _, p := range []float64{1e-300, 1e-10, 0.1, 0.5, 0.9, 0.999999} {
		approx(t, "quantile", d.Quantile(p), -math.Log1p(-p)/4, 1e-13)
	}
	approx(t, "inverse survival", d.InverseSurvival(1e-300), 300*math.Ln10/4, 1e-13)
	approx(t, "log-survival far out", d.LogSurvival(1e250), -4e250, 1e-12)
}

// TestErlangTail compares with S(x) = e^(−y)·Σ_{k<n} y^k/k!, y = n·x/mean: in logarithms, down to 1e-300.
func TestErlangTail(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 50} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			d := must(t)(phasetype.Erlang(n, 2))
			approx(t, "mean", d.Mean(), 2, ulps)
			approx(t, "scv", d.SCV(), 1/float64(n), 1e-13)
			approx(t, "skewness", d.Skewness(), 2/math.Sqrt(float64(n)), 1e-12)
			l := phasetype.NewLaw(d)
			for _, y := range []float64{0.01, 1, 10, 100, 400, 690, 800} {
				x := y * 2 / float64(n)
				sum, term := 0.0, 1.0
				for k := range n {
					if k > 0 {
						term *= y / float64(k)
					}
					sum += term
				}
				want := -y + math.Log(sum)
				if want < -1e-3 { // above, the closed form itself cancels
					// Each of the ~10 doublings and n additions rounds the logarithm's increments.
					approx(t, fmt.Sprint("log-survival at y=", y), l.LogSurvival(x), want, 1e-12)
				}
			}
			// F(x) = y^n/n!·(1 − n·y/(n+1) + …); at y = 1e-6 the next term is 1e-12.
			y := 1e-6
			lg, _ := math.Lgamma(float64(n + 1))
			if want := float64(n)*math.Log(y) - lg; want > -650 {
				got := math.Log(l.CDF(y * 2 / float64(n)))
				if math.Abs(got-want) > 1e-6 { // the neglected n·y/(n+1)
					t.Errorf("log cdf at y=1e-6 is %g, want %g", got, want)
				}
			}
		})
	}
}

// TestHyperexponentialStiff has rates 12 decades apart; all formulas are sums over the two components.
func TestHyperexponentialStiff(t *testing.T) {
	d := must(t)(phasetype.Hyperexponential([]float64{3, 1}, []float64{1e-6, 1e6}))
	approx(t, "mean", d.Mean(), .75e-6+.25e6, ulps)
	approx(t, "second moment", d.Moment(2), 2*(.75e-12+.25e12), ulps)
	l := phasetype.NewLaw(d)
	for _, x := range []float64{1e-9, 1e-6, 1e-3, 1, 1e6, 1e8, 6.8e8} {
		want := .75*math.Exp(-x/1e-6) + .25*math.Exp(-x/1e6)
		approx(t, "survival", l.Survival(x), want, ulps*(2+x/1e6)) // see TestExponential
		pdf := .75e6*math.Exp(-x/1e-6) + .25e-6*math.Exp(-x/1e6)
		approx(t, "pdf", l.PDF(x), pdf, 1e-13*(1+x/1e6))
	}
}

// TestStiffCycle: a phase pair that turns a million times per unit of time and leaks at the rate 1e-6 from one of the
// two. The eigenvalues of [−a, a; b, −b−c] give the survival function; the slow one is computed without cancellation.
func TestStiffCycle(t *testing.T) {
	const a, b, c = 1e6, 2e6, 1e-6
	d := phasetype.NewLaw(must(t)(phasetype.FromRates([]float64{1, 0}, mat.NewDense(2, 2, []float64{0, a, b, 0}), []float64{0, c})))
	approx(t, "mean", d.Mean(), 1/a+(1+b/a)/c, ulps)
	root := math.Sqrt((a+b+c)*(a+b+c) - 4*a*c)
	slow := 2 * a * c / (a + b + c + root)
	fast := (a + b + c + root) / 2
	for _, x := range []float64{1, 1e3, 1e6, 1e8, 1e9} {
		// S = (fast·e^(−slow·x) − slow·e^(−fast·x))/(fast − slow) from phase 0; the second term is gone at x ≥ 1.
		want := math.Log1p(slow/(fast-slow)) - slow*x
		approx(t, fmt.Sprint("log-survival at ", x), d.LogSurvival(x), want, 1e-12) // 50 doublings of a few ulps
	}
}

func TestCoxian(t *testing.T) {
	d := must(t)(phasetype.Coxian([]float64{2, 3}, []float64{0.25}))
	// X = E(2) + I·E(3): moments by the binomial formula.
	approx(t, "mean", d.Mean(), 0.5+0.25/3, ulps)
	approx(t, "second moment", d.Moment(2), 2./4+2*.5*.25/3+.25*2/9, ulps)
	// S(x) = e^(−2x) + ¼·2·(e^(−2x) − e^(−3x))
	x := 1.5
	approx(t, "survival", d.Survival(x), math.Exp(-2*x)+.5*(math.Exp(-2*x)-math.Exp(-3*x)), 1e-13)
}

func TestTwoMoments(t *testing.T) {
	for _, scv := range []float64{0.001, 0.01, 0.1, 0.2, 1. / 3, 0.4, 0.4999, 0.5, 0.75, 0.99, 1, 1.0001, 4, 1e3, 1e9} {
		d := must(t)(phasetype.TwoMoments(30, scv))
		approx(t, "mean", d.Mean(), 30, 1e-12) // up to 1000 additions
		approx(t, fmt.Sprintf("scv of %d phases", d.Phases()), d.SCV(), scv, 1e-12)
		if scv >= 0.01 {
			if err := checkDist(d); err != nil && scv < 1e6 {
				t.Errorf("scv %g: %v", scv, err)
			}
		}
	}
	d := must(t)(phasetype.TwoMoments(2, 0.8))
	want := []float64{-1, 1 / 1.6, 0, -1 / 1.6}
	for k, w := range want {
		approx(t, fmt.Sprint("T", k), d.Rate(k/2, k%2), w, ulps)
	}
	h := must(t)(phasetype.BalancedHyperexponential(2, 3))
	p := (1 + math.Sqrt(.5)) / 2
	approx(t, "p", h.Alpha()[0], p, ulps)
	approx(t, "1-p", h.Alpha()[1], 1-p, ulps)
	approx(t, "rate", h.Exit()[1], 1-p, ulps)
}

func TestClosure(t *testing.T) {
	ok := must(t)
	a, b := ok(phasetype.Exponential(2)), ok(phasetype.Exponential(3))
	atom := ok(phasetype.Mixture([]float64{1, 3}, []phasetype.Dist{a, {}}))
	approx(t, "atom", atom.Atom(), 0.75, ulps)
	approx(t, "mean", atom.Mean(), 0.125, ulps)
	approx(t, "scv", atom.SCV(), (.25*.5-.125*.125)/(.125*.125), ulps)
	sum := ok(phasetype.Sum(atom, atom, phasetype.Dist{}, b))
	approx(t, "E sum", sum.Mean(), 0.25+1./3, ulps)
	approx(t, "Var sum", sum.Variance(), 2*atom.Variance()+1./9, 1e-13)
	if got := sum.Atom(); got != 0 {
		t.Errorf("sum has atom %g", got)
	}
	twice := ok(phasetype.Sum(atom, atom))
	approx(t, "atom of the sum", twice.Atom(), 0.75*0.75, ulps)
	for _, d := range []phasetype.Dist{atom, sum, twice} {
		if err := checkDist(d); err != nil {
			t.Error(err)
		}
	}
	for name, d := range map[string]phasetype.Dist{
		"sum of nothing":   ok(phasetype.Sum()),
		"mixture of zeros": ok(phasetype.Mixture([]float64{1}, []phasetype.Dist{{}})),
		"2·0":              ok(phasetype.Dist{}.Scale(2)),
	} {
		if !d.IsZero() {
			t.Errorf("%s is not zero", name)
		}
	}
}

// TestLogSurvivalFarOut: log P(X > x) keeps its relative accuracy where P(X > x) is far below the smallest number. For an
// Erlang distribution of k phases it is −x + log Σ_{j<k} x^j/j!, in which the last terms of the sum dominate.
func TestLogSurvivalFarOut(t *testing.T) {
	for _, k := range []int{2, 3, 10} {
		l := phasetype.NewLaw(must(t)(phasetype.Erlang(k, float64(k)))) // rate 1
		for _, x := range []float64{1e3, 1e5, 1e7, 1e9, 1e12, 1e17, 1e19, 1e30, 1e300} {
			sum, term := 0.0, 1.0 // of x^(j−k+1)·(k−1)!/j!
			for j := k - 1; j >= 0; j-- {
				sum += term
				term *= float64(j) / x
			}
			factorial, _ := math.Lgamma(float64(k))
			want := -x + float64(k-1)*math.Log(x) - factorial + math.Log(sum)
			approx(t, "log survival", l.LogSurvival(x), want, 1e-14)
		}
	}
	// Two phases whose rates differ in the ninth digit: the faster one matters up to 1e10.
	const fast, slow = 1.000000001, 1.0
	l := phasetype.NewLaw(must(t)(phasetype.Hyperexponential([]float64{0.999999, 1e-6}, []float64{1 / fast, 1 / slow})))
	for _, x := range []float64{1e6, 1e8, 1e10, 1e11, 1e13} {
		want := -slow*x + math.Log(1e-6+0.999999*math.Exp((slow-fast)*x))
		approx(t, "log survival", l.LogSurvival(x), want, 1e-14)
	}
}

// TestLogSurvivalOfDeepChains: log P(X > x) keeps its digits where phases of nearly equal rates follow each other, although
// the probabilities of the early phases given survival are far below the smallest number. The phases have the rates
// 1 + i·2⁻²⁰. The values are Σ_i e^(−r_i·x)·Π_{j≠i} r_j/(r_j−r_i) by mpmath, with 60 + 14·n digits.
func TestLogSurvivalOfDeepChains(t *testing.T) {
	for _, c := range []struct {
		phases  int
		x, want float64
	}{
		{20, 1e12, -999999999775.9437743774234},
		{50, 1e4, -9693.48647389884306180626},
		{120, 2e3, -1548.562914055299326315},
		{120, 1e6, -998861.2399971390810256261},
	} {
		rates := make([]float64, c.phases)
		parts := make([]phasetype.Dist, c.phases)
		for i := range rates {
			rates[i] = 1 + math.Ldexp(float64(i), -20)
			parts[i] = must(t)(phasetype.Exponential(rates[i]))
		}
		l := phasetype.NewLaw(must(t)(phasetype.Sum(parts...)))
		approx(t, fmt.Sprintf("log survival of %d phases at %g", c.phases, c.x), l.LogSurvival(c.x), c.want, 1e-13)
	}
}
