package phasetype_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/phasetype/phtest"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// TestNewAgain: what New made is made again, bit by bit, from its own representation.
func TestNewAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawn := phtest.Draw(t, 12)
		d, err := phasetype.New(drawn.Alpha(), drawn.T())
		if err != nil {
			t.Skip("an exit rate below 1e-12 of its row counts as none")
		}
		again, err := phasetype.New(d.Alpha(), d.T())
		if err != nil {
			t.Fatal(err)
		}
		alpha, exit := again.Alpha(), again.Exit()
		for i, a := range d.Alpha() {
			if a != alpha[i] || d.Exit()[i] != exit[i] {
				t.Fatalf("phase %d: alpha %v, exit %v; again %v, %v", i, a, d.Exit()[i], alpha[i], exit[i])
			}
		}
		if !mat.Equal(d.T(), again.T()) || d.Atom() != again.Atom() || d.Mean() != again.Mean() {
			t.Fatal("T, atom or mean differ")
		}
	})
}

// TestMinMaxProperty: min + max = sum, in the mean.
func TestMinMaxProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := phtest.Draw(t, 4), phtest.Draw(t, 4)
		low, err := phasetype.Minimum(a, b)
		if err != nil {
			t.Fatal(err)
		}
		high, err := phasetype.Maximum(a, b)
		if err != nil {
			t.Fatal(err)
		}
		got, want := low.Mean()+high.Mean(), a.Mean()+b.Mean()
		if math.Abs(got-want) > 2e-9*want { // alpha renormalised where an atom is below 1e-9
			t.Errorf("E min + E max = %g, E a + E b = %g", got, want)
		}
		x := (a.Mean() + b.Mean()) / 2
		if got, want := low.Survival(x), a.Survival(x)*b.Survival(x); math.Abs(got-want) > 2e-9 {
			t.Errorf("P(min > x) = %g, product %g", got, want)
		}
	})
}

// TestThreeMomentsOfAcyclic: moments of a chain with n phases are matched by n phases or fewer.
func TestThreeMomentsOfAcyclic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "phases")
		alpha, moves, exit := make([]float64, n), mat.NewDense(n, n, nil), make([]float64, n)
		var total float64
		for i := range n {
			alpha[i] = rapid.Float64Range(0.01, 1).Draw(t, "alpha")
			total += alpha[i]
			rate := math.Exp(rapid.Float64Range(-3, 3).Draw(t, "log rate"))
			if i == n-1 {
				exit[i] = rate
			} else {
				moves.Set(i, i+1, rate)
			}
		}
		for i := range alpha {
			alpha[i] /= total
		}
		d, err := phasetype.FromRates(alpha, moves, exit)
		if err != nil {
			t.Fatal(err)
		}
		e, err := phasetype.ThreeMoments(d.Mean(), d.Moment(2), d.Moment(3))
		if err != nil {
			t.Fatal(err)
		}
		if e.Phases() > n {
			t.Errorf("%d phases for moments that %d have", e.Phases(), n)
		}
		for k := 1; k <= 3; k++ {
			if math.Abs(e.Moment(k)/d.Moment(k)-1) > 1e-9 { // what ThreeMoments promises, and Scale's rounding
				t.Errorf("moment %d is %g, want %g", k, e.Moment(k), d.Moment(k))
			}
		}
	})
}

func TestThreeMoments(t *testing.T) {
	for _, c := range []struct {
		m      [3]float64
		phases int
	}{
		{[3]float64{1, 2, 6}, 1}, {[3]float64{1, 1.5, 3}, 2}, {[3]float64{2, 5, 1e9}, 6},
		{[3]float64{1, 2, 5.5}, 3}, {[3]float64{1, 2, 1e6}, 3}, {[3]float64{1, 1000, 2e6}, 2},
	} {
		d, err := phasetype.ThreeMoments(c.m[0], c.m[1], c.m[2])
		if err != nil || d.Phases() != c.phases {
			t.Errorf("%v: %d phases, want %d; %v", c.m, d.Phases(), c.phases, err)
		}
		for k, m := range c.m {
			approx(t, "moment", d.Moment(k+1), m, 1e-9)
		}
	}
	for _, m := range [][3]float64{{1, 3, 8}, {1, 1.5, 2.2}, {1, 0.5, 1}, {1, 1.0001, 1.1}, {1, 1.2, 1}} {
		_, err := phasetype.ThreeMoments(m[0], m[1], m[2])
		var e *phasetype.MomentsError
		if !errors.As(err, &e) {
			t.Errorf("%v: %v", m, err)
			continue
		}
		d, err := phasetype.ThreeMoments(e.Nearest[0], e.Nearest[1], e.Nearest[2])
		if err != nil || d.Phases() != e.Needed {
			t.Errorf("%v: nearest %v, said to need %d phases: %d, %v", m, e.Nearest, e.Needed, d.Phases(), err)
		}
	}
}

// sound fails if a function of a distribution that was accepted is not a number or out of range.
func sound(t *testing.T, d phasetype.Dist) {
	t.Helper()
	l := phasetype.NewLaw(d)
	for _, x := range []float64{0, 1e-300, d.Mean() / 10, d.Mean(), 10 * d.Mean(), math.MaxFloat64, math.Inf(1)} {
		s, f, pdf, log := l.Survival(x), l.CDF(x), l.PDF(x), l.LogSurvival(x)
		if !(s >= 0 && s <= 1 && f >= 0 && f <= 1 && pdf >= 0 && log <= 0) {
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
		}
	})
}

func FuzzDistJSON(f *testing.F) {
	f.Add([]byte(`{"alpha":[0.4,0.6],"T":[[-1,1],[0,-2]]}`))
	f.Add([]byte(`{"alpha":[],"T":[]}`))
	f.Add([]byte(`{"alpha":[0.5],"T":[[-1]],"exit":[1]}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var d phasetype.Dist
		if json.Unmarshal(data, &d) != nil || d.Phases() > 10 {
			return
		}
		sound(t, d)
		out, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		var again phasetype.Dist
		if err := json.Unmarshal(out, &again); err != nil || again.Mean() != d.Mean() {
			t.Fatalf("%s: mean %g instead of %g, %v", out, again.Mean(), d.Mean(), err)
		}
	})
}

func FuzzMAPJSON(f *testing.F) {
	f.Add([]byte(`{"D0":[[-2,1],[0,-3]],"D1":[[1,0],[1,2]]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var m phasetype.MAP
		if json.Unmarshal(data, &m) != nil || m.Phases() == 0 || m.Phases() > 10 {
			return
		}
		if rho := m.LagCorrelation(1); !(m.Rate() > 0) || math.IsNaN(m.SCV()) || !(math.Abs(rho) <= 1+1e-9) {
			t.Fatalf("rate %g, scv %g, lag-1 correlation %g", m.Rate(), m.SCV(), rho)
		}
	})
}
