package phasetype_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/phasetype/phtest"
)

// heavyTailed is one of the distributions that are fitted.
type heavyTailed interface {
	Survival(x float64) float64
	Mean() float64
}

// TestFeldmannWhitt fits heavy tails over the times in which the survival function falls from 0.999 to 1e-6. The
// bounds, a few percent of the tail probability, are what a user may expect. The fits are deterministic; their errors
// are logged.
func TestFeldmannWhitt(t *testing.T) {
	for _, c := range []struct {
		name     string
		tail     heavyTailed
		relative float64 // a bound
	}{
		{"pareto 1.5", phasetype.Pareto{Shape: 1.5, Scale: 1}, 0.03},
		{"pareto 2.5", phasetype.Pareto{Shape: 2.5, Scale: 10}, 0.03},
		{"pareto 0.9", phasetype.Pareto{Shape: 0.9, Scale: 1}, 0.05},
		{"weibull 0.3", phasetype.Weibull{Shape: 0.3, Scale: 1}, 0.1},
		{"weibull 0.7", phasetype.Weibull{Shape: 0.7, Scale: 1}, 0.05},
		{"lognormal 2", phasetype.Lognormal{Sigma: 2}, 0.05},
		{"lognormal 1", phasetype.Lognormal{Sigma: 1}, 0.1},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, f, err := phasetype.FeldmannWhitt(c.tail.Survival, phasetype.Range{})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d phases, relative error of the tail %.3g at %.3g, of the distribution function %.3g, mean %.5g for %.5g",
				d.Phases(), f.Relative, f.At, f.CDF, d.Mean(), c.tail.Mean())
			if f.Relative > c.relative {
				t.Errorf("relative error %g", f.Relative)
			}
			var worst float64 // the claim, by the distribution itself, between the points too
			for i := range 1000 {
				x := f.From * math.Pow(f.To/f.From, float64(i)/999)
				worst = math.Max(worst, math.Abs(d.Survival(x)/c.tail.Survival(x)-1))
			}
			if math.Abs(worst-f.Relative) > 0.02*f.Relative { // a smooth error at 300 and at 1000 points
				t.Errorf("relative error %g, claimed %g", worst, f.Relative)
			}
			if err := phtest.Check(d); err != nil {
				t.Error(err)
			}
			again, _, err := phasetype.FeldmannWhitt(c.tail.Survival, f.Used)
			if err != nil || !compare(d, again).Within(1e-12) { // the same numbers
				t.Errorf("what was used does not give the same: %v", err)
			}
		})
	}
}

// TestFeldmannWhittFindsExponentials: three exponentials whose rates are four decades apart are found again. At c_i =
// 1e4·c_{i+1} the faster ones have ended, so the slowest is exact.
func TestFeldmannWhittFindsExponentials(t *testing.T) {
	p, means := []float64{0.9, 0.09, 0.01}, []float64{1, 1e4, 1e8}
	h := must(t)(phasetype.Hyperexponential(p, means))
	l := phasetype.NewLaw(h)
	d, f, err := phasetype.FeldmannWhitt(l.Survival, phasetype.Range{Phases: 3, From: 1, To: 1e8, Spacing: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		// At c_2 = 1e4 the slowest decays by 1e-4 only, and the subtraction of 0.01 from 0.04 costs a digit.
		approx(t, fmt.Sprint("p", i), d.Alpha()[2-i], p[i], 1e-12)
		approx(t, fmt.Sprint("mean", i), 1/d.Exit()[2-i], means[i], 1e-12)
	}
	if f.Relative > 1e-12 {
		t.Errorf("relative error %g", f.Relative)
	}
}

func TestFeldmannWhittRefuses(t *testing.T) {
	pareto := phasetype.Pareto{Shape: 1.5, Scale: 1}.Survival
	erlang := phasetype.NewLaw(phasetype.Must(phasetype.Erlang(4, 1))).Survival
	exponential := phasetype.NewLaw(phasetype.Must(phasetype.Exponential(1))).Survival
	fit := func(s func(float64) float64, r phasetype.Range) error {
		_, _, err := phasetype.FeldmannWhitt(s, r)
		return err
	}
	for _, c := range []struct {
		name, where string
		err         error
	}{
		{"negative", "from", fit(pareto, phasetype.Range{From: -1})},
		{"order", "from", fit(pareto, phasetype.Range{From: 2, To: 1})},
		{"infinite", "to", fit(pareto, phasetype.Range{To: math.Inf(1)})},
		{"phases", "phases", fit(pareto, phasetype.Range{Phases: 1})},
		{"spacing", "spacing", fit(pareto, phasetype.Range{Spacing: 1})},
		{"wide spacing", "spacing", fit(pareto, phasetype.Range{Phases: 3, From: 1, To: 100, Spacing: 11})},
		{"NaN", "survival", fit(phasetype.Pareto{}.Survival, phasetype.Range{})},
		{"a distribution function", "survival", fit(func(x float64) float64 { return 1 - pareto(x) },
			phasetype.Range{From: 1, To: 100})},
		{"bounded", "survival", fit(func(x float64) float64 { return math.Max(1-x, 0) }, phasetype.Range{From: .1, To: 2})},
	} {
		var e *phasetype.Error
		if !errors.As(c.err, &e) || e.Field != c.where {
			t.Errorf("%s: %v, want it at %s", c.name, c.err, c.where)
		}
	}
	for name, err := range map[string]error{
		"erlang": fit(erlang, phasetype.Range{}), "exponential": fit(exponential, phasetype.Range{Phases: 3}),
		"many": fit(pareto, phasetype.Range{Phases: 40}),
	} {
		var e *phasetype.NotMonotoneError
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
