package phasetype_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/phtest"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// TestRenewalProperty: a renewal process has the interarrival time it was made of, uncorrelated.
func TestRenewalProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := phtest.Dist(t, 6)
		if d.Atom() > 0 {
			t.Skip("batches")
		}
		m, err := phasetype.Renewal(d)
		if err != nil {
			t.Fatal(err)
		}
		same := func(what string, got, want float64) {
			t.Helper()
			if math.Abs(got-want) > 1e-12*math.Abs(want) { // eliminations of order 6
				t.Errorf("%s is %.16g, want %.16g", what, got, want)
			}
		}
		same("rate", m.Rate(), 1/d.Mean())
		same("scv", m.SCV(), d.SCV())
		same("third moment", m.InterarrivalMoment(3), d.Moment(3))
		for k := 1; k <= 3; k++ {
			if rho := m.LagCorrelation(k); math.Abs(rho) > 1e-12 {
				t.Errorf("lag-%d correlation is %g", k, rho)
			}
		}
	})
}

// TestMMPP2 compares with the closed forms of the two-state process.
//
// Reference: W. Fischer, K. Meier-Hellstern, The Markov-modulated Poisson process (MMPP) cookbook, Performance
// Evaluation 18 (1993) 149–171.
func TestMMPP2(t *testing.T) {
	const s1, s2, l1, l2 = 0.1, 0.3, 5., 1.
	m, err := phasetype.MMPP(mat.NewDense(2, 2, []float64{-s1, s1, s2, -s2}), []float64{l1, l2})
	if err != nil {
		t.Fatal(err)
	}
	approx(t, "rate", m.Rate(), (l1*s2+l2*s1)/(s1+s2), ulps)
	det := l1*l2 + l1*s2 + l2*s1
	excess := 2 * s1 * s2 * (l1 - l2) * (l1 - l2) / ((s1 + s2) * (s1 + s2) * det)
	approx(t, "scv", m.SCV(), 1+excess, 1e-13)
	// Of the three coefficients only P's second eigenvalue, l1·l2/det, separates the lags.
	first := m.LagCorrelation(1)
	approx(t, "lag 1", first, 0.5*excess/(1+excess)*l1*l2/det, 1e-12)
	for k := 2; k < 30; k += 9 {
		approx(t, "lag k", m.LagCorrelation(k), first*math.Pow(l1*l2/det, float64(k-1)), 1e-12)
	}
}

// TestRenewalNearlyNever: a phase in which an interval almost never begins does not change the process.
func TestRenewalNearlyNever(t *testing.T) {
	for _, p := range []float64{1e-150, 1e-250, 1e-307, 5e-324} {
		moves := mat.NewDense(3, 3, []float64{0, 2, 0, 0, 0, 3, 0, 0, 0})
		with := must(t)(phasetype.FromRates([]float64{p, 0.5, 0.5}, moves, []float64{0, 0, 1e-1}))
		without := must(t)(phasetype.FromRates([]float64{0, 0.5, 0.5}, moves, []float64{0, 0, 1e-1}))
		m, err := phasetype.Renewal(with)
		if err != nil {
			t.Fatal(err)
		}
		less, err := phasetype.Renewal(without)
		if err != nil {
			t.Fatal(err)
		}
		approx(t, "rate", m.Rate(), less.Rate(), 1e-15)
		approx(t, "dispersion", m.Dispersion(), less.Dispersion(), 1e-14)
		approx(t, "sum of phases", floats.Sum(m.Stationary()), 1, 1e-15)
	}
}

// TestRareRenewals: products of rates and probabilities may be below the least rate of NewMAP.
func TestRareRenewals(t *testing.T) {
	d := phasetype.Must(phasetype.Hyperexponential([]float64{1, 1e-300}, []float64{1, 3}))
	m, err := phasetype.Renewal(d)
	if err != nil {
		t.Fatal(err)
	}
	both, err := phasetype.Superpose(m, m)
	if err != nil {
		t.Fatal(err)
	}
	fast, err := both.Speedup(.5)
	if err != nil {
		t.Fatal(err)
	}
	approx(t, "rate", fast.Rate(), 1, 1e-14)
	approx(t, "dispersion", fast.Dispersion(), 1, 1e-14)
}
