package phasetype_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/phtest"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// TestJointMoments compares the joint moments with the moments of one interval and the correlations of two.
func TestJointMoments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := phtest.MAP(t, 4)
		same := func(what string, got, want float64) {
			t.Helper()
			if !(math.Abs(got-want) <= 1e-12*math.Abs(want)) { // eliminations of order 6, a few times over
				t.Fatalf("%s is %.16g, want %.16g", what, got, want)
			}
		}
		for k := range 4 {
			same("alone", m.JointMoment(k), m.InterarrivalMoment(k))
			same("third", m.JointMoment(0, 0, k), m.InterarrivalMoment(k)) // stationary
		}
		mean, variance := m.InterarrivalMoment(1), m.InterarrivalMoment(2)
		variance -= mean * mean
		for lag := 1; lag <= 3; lag++ {
			powers := make([]int, lag+1)
			powers[0], powers[lag] = 1, 1
			// Subtracting the squared mean leaves the digits of the variance relative to the second moment.
			want := (m.JointMoment(powers...) - mean*mean) / variance
			if got := m.LagCorrelation(lag); math.Abs(got-want) > 1e-10*(1+mean*mean/variance) {
				t.Fatalf("lag-%d correlation %g, by joint moments %g", lag, got, want)
			}
		}
	})
}

// superpose returns the arrivals of two independent processes, (D0⊗I + I⊗D0', D1⊗I + I⊗D1'); a process without phases has
// no arrivals.
func superpose(t interface{ Fatal(args ...any) }, a, b phasetype.MAP) phasetype.MAP {
	if a.Phases() == 0 {
		return b
	}
	both := func(x, y *mat.Dense) *mat.Dense {
		n, m := x.RawMatrix().Rows, y.RawMatrix().Rows
		one := func(n int) mat.Matrix { return mat.NewDiagDense(n, slices.Repeat([]float64{1}, n)) }
		var left, right mat.Dense
		left.Kronecker(x, one(m))
		right.Kronecker(one(n), y)
		left.Add(&left, &right)
		return &left
	}
	all, err := phasetype.NewMAP(both(a.D0(), b.D0()), both(a.D1(), b.D1()))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestDispersion: SCV in a renewal process, one in a Poisson process, the weighted mean in a superposition, and the sum
// of the correlations.
func TestDispersion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := phtest.MAP(t, 2), phtest.MAP(t, 2)
		both := superpose(t, a, b)
		want := (a.Rate()*a.Dispersion() + b.Rate()*b.Dispersion()) / (a.Rate() + b.Rate())
		if got := both.Dispersion(); !(math.Abs(got-want) <= 1e-9*(1+want)) { // centring cancels against the largest entry
			t.Fatalf("dispersion %g, of the two %g and %g", got, a.Dispersion(), b.Dispersion())
		}
		d := phtest.Dist(t, 2)
		if d.Atom() > 0 {
			return
		}
		r, err := phasetype.Renewal(d)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := r.Dispersion(), d.SCV(); !(math.Abs(got-want) <= 1e-10*(1+want)) {
			t.Fatalf("dispersion %g of a renewal process with scv %g", got, want)
		}
	})
	const s1, s2, l1, l2 = 0.1, 0.3, 5., 1.
	m, err := phasetype.MMPP(mat.NewDense(2, 2, []float64{-s1, s1, s2, -s2}), []float64{l1, l2})
	if err != nil {
		t.Fatal(err)
	}
	// Fischer and Meier-Hellstern 1993, cited at TestMMPP2.
	approx(t, "dispersion", m.Dispersion(), 1+2*s1*s2*(l1-l2)*(l1-l2)/((s1+s2)*(s1+s2)*(l1*s2+l2*s1)), 1e-13)
	sum := 1.0
	for k := 1; k < 400; k++ {
		sum += 2 * m.LagCorrelation(k)
	}
	approx(t, "sum of correlations", m.SCV()*sum, m.Dispersion(), 1e-12)
	if v := (phasetype.MAP{}).Dispersion(); v != 0 {
		t.Errorf("dispersion of nothing is %g", v)
	}
}

// TestSuperposedIntervals: in a superposition of independent renewal processes the time between arrivals survives with
//
//	P(X > x) = Σ_i λ_i/λ·S_i(x)·Π_{j≠i} λ_j·∫_x^∞ S_j.
//
// Reference: D. R. Cox, W. L. Smith, On the superposition of renewal processes, Biometrika 41 (1954) 91–99.
func TestSuperposedIntervals(t *testing.T) {
	dists := []phasetype.Dist{
		phasetype.Must(phasetype.Erlang(3, 2)), phasetype.Must(phasetype.TwoMoments(5, 4)),
		phasetype.Must(phasetype.Exponential(0.3)),
	}
	var all phasetype.MAP
	for _, d := range dists {
		r, err := phasetype.Renewal(d)
		if err != nil {
			t.Fatal(err)
		}
		all = superpose(t, all, r)
	}
	between := phasetype.NewLaw(all.Interarrival())
	// The residual life of a renewal process is PH(alpha·(−T)⁻¹/mean, T).
	residual := make([]*phasetype.Law, len(dists))
	for i, d := range dists {
		r, err := phasetype.Renewal(d)
		if err != nil {
			t.Fatal(err)
		}
		residual[i] = phasetype.NewLaw(phasetype.Must(phasetype.FromRates(r.Stationary(), d.T(), d.Exit())))
	}
	for _, x := range []float64{0.1, 1, 3, 10, 50} {
		var want float64
		for i, d := range dists {
			p := d.Survival(x) / d.Mean() / all.Rate()
			for j := range dists {
				if j != i {
					p *= residual[j].Survival(x)
				}
			}
			want += p
		}
		approx(t, fmt.Sprint("survival at ", x), between.Survival(x), want, 1e-12) // tens of events of the fastest phase
	}
}

// TestManySuperposed: n Poisson processes make one; the superposition of many sparse copies of a bursty process comes
// near to Poisson in short stretches, while its dispersion remains.
func TestManySuperposed(t *testing.T) {
	bursty, err := phasetype.MMPP(mat.NewDense(2, 2, []float64{-1, 1, 2, -2}), []float64{4, 0})
	if err != nil {
		t.Fatal(err)
	}
	var all, poisson phasetype.MAP
	last := math.Inf(1)
	for n := 1; n <= 6; n++ {
		all = superpose(t, all, bursty)
		one, err := phasetype.MMPP(mat.NewDense(1, 1, nil), []float64{float64(n)})
		if err != nil {
			t.Fatal(err)
		}
		poisson = superpose(t, poisson, one)
		approx(t, "dispersion", all.Dispersion(), bursty.Dispersion(), 1e-12)
		if scv := all.SCV(); !(scv < last && scv > 1) {
			t.Errorf("scv of %d processes is %g, of one less %g", n, scv, last)
		} else {
			last = scv
		}
	}
	approx(t, "rate", poisson.Rate(), 21, ulps)
	approx(t, "scv", poisson.SCV(), 1, ulps)
	approx(t, "joint moment", poisson.JointMoment(1, 2, 1), 2/math.Pow(21, 4), 1e-13)
}
