package phasetype_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
)

// sound fails if a function of d is not a number or out of range, or if its representation is not that of d again.
func sound(t *testing.T, d phasetype.Dist) {
	t.Helper()
	if d.Phases() > 0 {
		if again, err := phasetype.FromRates(d.Alpha(), d.T(), d.Exit()); err != nil || !same(d, again) {
			t.Fatalf("%v is another distribution when it is made again: %v", d, err)
		}
	}
	l := phasetype.NewLaw(d)
	for _, x := range []float64{0, 1e-300, d.Mean() / 10, d.Mean(), 10 * d.Mean(), math.MaxFloat64, math.Inf(1)} {
		s, f, pdf, log := l.Survival(x), l.CDF(x), l.PDF(x), l.LogSurvival(x)
		if !(s >= 0 && s <= 1 && f >= 0 && f <= 1 && pdf >= 0 && log <= 0) || math.IsNaN(l.LogProb(x)) {
			t.Fatalf("at %g: survival %g, cdf %g, pdf %g, log-survival %g", x, s, f, pdf, log)
		}
	}
	for _, p := range []float64{0, 1e-300, 0.3, 0.5, 0.999, 1} {
		if q := l.Quantile(p); !(q >= 0) {
			t.Fatalf("quantile(%g) is %g", p, q)
		}
		if q := l.InverseSurvival(p); !(q >= 0) {
			t.Fatalf("inverse survival of %g is %g", p, q)
		}
	}
	if d.String() == "" {
		t.Fatal("an empty description")
	}
	if m, v, c := d.Mean(), d.Variance(), d.SCV(); !(m >= 0 && v >= 0 && c >= 0) || math.IsNaN(d.Skewness()) {
		t.Fatalf("mean %g, variance %g, scv %g, skewness %g", m, v, c, d.Skewness())
	}
}

func FuzzNew(f *testing.F) {
	f.Add(1.0, 0.0, -1.0, 1.0, 0.0, -2.0)
	f.Add(0.5, 0.25, -1e90, 1.0, 1e-300, -1e-90)
	f.Add(1e-300, 1.0, -1.0, 0.999999999999, 5e-324, -1e-12)
	f.Fuzz(func(t *testing.T, a, b, t00, t01, t10, t11 float64) {
		if d, err := phasetype.New([]float64{a, b}, mat.NewDense(2, 2, []float64{t00, t01, t10, t11})); err == nil {
			sound(t, d)
			operate(t, d)
		}
	})
}

func FuzzThreeMoments(f *testing.F) {
	f.Add(1.0, 2.0, 6.0)
	f.Add(1.0, 1.5, 2.2)
	f.Add(1e-90, 1e-150, 1e300)
	f.Fuzz(func(t *testing.T, m1, m2, m3 float64) { threeMoments(t, m1, m2, m3) })
}

// same compares representations bit by bit.
func same(a, b phasetype.Dist) bool {
	if a.Phases() != b.Phases() || a.Atom() != b.Atom() || a.Mean() != b.Mean() {
		return false
	}
	for i := range a.Phases() {
		if a.Alpha()[i] != b.Alpha()[i] || a.Exit()[i] != b.Exit()[i] {
			return false
		}
		for j := range a.Phases() {
			if a.Rate(i, j) != b.Rate(i, j) {
				return false
			}
		}
	}
	return true
}

// operate checks the distributions that operations make of d, unless they are refused.
func operate(t *testing.T, d phasetype.Dist) {
	t.Helper()
	made := func(o phasetype.Dist, err error) {
		t.Helper()
		var known *phasetype.Error
		switch {
		case err == nil && o.Phases() <= 12:
			sound(t, o)
		case err != nil && !errors.As(err, &known) && !errors.Is(err, phasetype.ErrCyclic):
			t.Fatalf("an error of another kind: %v", err)
		}
	}
	made(phasetype.Sum(d, d))
	made(phasetype.Mixture([]float64{1, 2}, []phasetype.Dist{d, d}))
	made(d.Canonical())
	made(d.Scale(1e3))
	v := d.With(rand.NewPCG(1, 2))
	for range 3 {
		if x := v.Rand(); !(x >= 0) {
			t.Fatalf("drew %g", x)
		}
	}
	if m, err := phasetype.Renewal(d); err == nil && m.Phases() > 0 {
		soundMAP(t, m)
	}
}

func soundMAP(t *testing.T, m phasetype.MAP) {
	t.Helper()
	if rho := m.LagCorrelation(1); !(m.Rate() > 0) || !(m.SCV() >= 0) || math.IsNaN(rho) || math.Abs(rho) > 1+1e-9 {
		t.Fatalf("rate %g, scv %g, lag-1 correlation %g", m.Rate(), m.SCV(), rho)
	}
	if v, j := m.Dispersion(), m.JointMoment(1, 0, 2); math.IsNaN(v) || math.IsNaN(j) || !(j >= 0) {
		t.Fatalf("dispersion %g, joint moment %g", v, j)
	}
}

// threeMoments matches three moments or checks the nearest feasible ones in the error.
func threeMoments(t *testing.T, m1, m2, m3 float64) {
	t.Helper()
	d, err := phasetype.ThreeMoments(m1, m2, m3)
	var known *phasetype.Error
	var infeasible *phasetype.MomentsError
	switch {
	case err == nil:
		for k, m := range []float64{m1, m2, m3} {
			if got := d.Moment(k + 1); !(math.Abs(got-m) <= 1e-9*m) {
				t.Fatalf("moment %d is %g, want %g", k+1, got, m)
			}
		}
	case errors.As(err, &infeasible):
		near := infeasible.Nearest
		if !(near[0] > 0 && near[1] > 0 && near[2] > 0) {
			t.Fatalf("nearest to %g, %g, %g is %v", m1, m2, m3, near)
		}
	case !errors.As(err, &known):
		t.Fatalf("an error of another kind: %v", err)
	}
}

// nasty draws mostly ordinary numbers and sometimes extreme ones.
type nasty struct{ *rand.Rand }

func (r nasty) number() float64 {
	extremes := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 5e-324, 1e-308, 1e-300, 1e-100,
		1e-99, 1e-16, 1 - 0x1p-53, 1 + 0x1p-52, 1e16, 1e99, 1e100, 1e300, math.MaxFloat64, -1, -1e-300}
	switch r.IntN(12) {
	case 0:
		return extremes[r.IntN(len(extremes))]
	case 1:
		return math.Ldexp(1+r.Float64(), r.IntN(2000)-1000)
	case 2:
		return math.Pow(10, 60*r.Float64()-30)
	case 3, 4:
		return float64(r.IntN(4))
	}
	return math.Pow(10, 4*r.Float64()-2)
}

func (r nasty) numbers(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.number()
	}
	return v
}

// probabilities are, more often than not, nonnegative and sum to one.
func (r nasty) probabilities(n int) []float64 {
	v := r.numbers(n)
	var sum float64
	for i := range v {
		if r.IntN(20) > 0 {
			v[i] = math.Abs(v[i])
		}
		sum += v[i]
	}
	for i := range v {
		if sum > 0 && !math.IsInf(sum, 0) && r.IntN(50) > 0 {
			v[i] /= sum
		}
	}
	return v
}

// TestTenThousandInputs: no constructor panics, and no result is NaN or negative, for 10,000 inputs with -long and 1,500
// without, some of them extreme.
func TestTenThousandInputs(t *testing.T) {
	inputs := 1500
	if needs.IsLong() {
		inputs = 10_000
	}
	r := nasty{rand.New(rand.NewPCG(1998, 2005))}
	accepted := 0
	accept := func(d phasetype.Dist, err error) {
		t.Helper()
		var known *phasetype.Error
		switch {
		case err == nil:
			accepted++
			sound(t, d)
			if accepted%12 == 0 && d.Phases() <= 6 {
				operate(t, d)
			}
		case !errors.As(err, &known):
			t.Fatalf("an error of another kind: %v", err)
		}
	}
	for i := range inputs {
		n := 1 + r.IntN(4)
		switch i % 10 {
		case 0, 1, 2:
			accept(phasetype.FromRates(r.probabilities(n), mat.NewDense(n, n, r.numbers(n*n)), r.numbers(n)))
		case 3:
			m := mat.NewDense(n, n, r.numbers(n*n))
			for i := range n {
				m.Set(i, i, 0)
				m.Set(i, i, -mat.Sum(m.RowView(i))-float64(r.IntN(2)))
			}
			accept(phasetype.New(r.probabilities(n), m))
		case 4:
			accept(phasetype.Hyperexponential(r.numbers(n), r.numbers(n)))
		case 5:
			accept(phasetype.Coxian(r.numbers(n), r.probabilities(n-1)))
		case 6:
			accept(phasetype.TwoMoments(r.number(), r.number()))
		case 7:
			m1 := r.number()
			n2 := 1 + r.number()
			threeMoments(t, m1, n2*m1*m1, n2*m1*m1*m1*(n2+r.number()))
		case 8:
			d0, d1 := mat.NewDense(n, n, r.numbers(n*n)), mat.NewDense(n, n, r.numbers(n*n))
			for i := range n {
				d0.Set(i, i, 0)
				d0.Set(i, i, -mat.Sum(d0.RowView(i))-mat.Sum(d1.RowView(i)))
			}
			if m, err := phasetype.NewMAP(d0, d1); err == nil {
				accepted++
				soundMAP(t, m)
				sound(t, m.Interarrival())
			}
		case 9:
			t0 := mat.NewDense(1, 1, []float64{-r.number()})
			accept(phasetype.FromRates(r.probabilities(1), t0, r.numbers(1)))
		}
	}
	t.Logf("%d of %d inputs were accepted", accepted, inputs)
	if accepted < inputs/5 {
		t.Errorf("only %d of %d inputs were accepted", accepted, inputs)
	}
}
