package phasetype_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/phasetype/phtest"
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

func TestSuperpose(t *testing.T) {
	a, err := phasetype.Renewal(phasetype.Must(phasetype.Erlang(2, 1)))
	if err != nil {
		t.Fatal(err)
	}
	b, err := phasetype.MMPP(mat.NewDense(2, 2, []float64{-1, 1, 2, -2}), []float64{4, 0})
	if err != nil {
		t.Fatal(err)
	}
	m, err := phasetype.Superpose(a, b)
	if err != nil {
		t.Fatal(err)
	}
	approx(t, "rate", m.Rate(), a.Rate()+b.Rate(), ulps)
	if alone, err := phasetype.Superpose(phasetype.MAP{}, a); err != nil || alone.Rate() != a.Rate() {
		t.Errorf("with nothing: rate %g, %v", alone.Rate(), err)
	}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var again phasetype.MAP
	if err := json.Unmarshal(data, &again); err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(m.D0(), again.D0()) || !mat.Equal(m.D1(), again.D1()) || m.Rate() != again.Rate() {
		t.Error("JSON gives another process")
	}
}

// TestThin: a thinned Poisson process is a Poisson process; the intervals of a thinned renewal process are geometric
// sums of the original ones.
func TestThin(t *testing.T) {
	poisson, err := phasetype.Renewal(phasetype.Must(phasetype.Exponential(3)))
	if err != nil {
		t.Fatal(err)
	}
	erlang, err := phasetype.Renewal(phasetype.Must(phasetype.Erlang(2, 1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []float64{1, 0.3, 1e-9} {
		few, err := poisson.Thin(p)
		if err != nil {
			t.Fatal(err)
		}
		approx(t, "rate", few.Rate(), 3*p, ulps)
		approx(t, "SCV", few.SCV(), 1, ulps)
		// A geometric number, of mean 1/p, of intervals with SCV c² has the SCV 1 + p·(c²−1).
		if few, err = erlang.Thin(p); err != nil {
			t.Fatal(err)
		}
		approx(t, "SCV of thinned Erlang", few.SCV(), 1-p/2, 1e-12) // cancels in the variance as p grows
		approx(t, "correlation", 1+few.LagCorrelation(1), 1, 1e-12)
	}
	for _, p := range []float64{0, -1, 1.5, math.NaN()} {
		if _, err := poisson.Thin(p); err == nil {
			t.Errorf("kept with probability %v", p)
		}
	}
}

// TestPath: over a path of n arrivals the mean interarrival time is within 5 standard errors, by the correlated
// series' own variance: n·Var·(1 + 2·Σρ_k).
func TestPath(t *testing.T) {
	m, err := phasetype.MMPP(mat.NewDense(2, 2, []float64{-1, 1, 2, -2}), []float64{4, 0})
	if err != nil {
		t.Fatal(err)
	}
	const n = 400000
	spread := 1.0
	for k := 1; k < 50; k++ {
		spread += 2 * m.LagCorrelation(k)
	}
	p, err := m.With(rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	var total float64
	for range n {
		total += p.Next()
	}
	mean := 1 / m.Rate()
	se := math.Sqrt(m.SCV() * mean * mean * spread / n)
	if got := total / n; math.Abs(got-mean) > 5*se {
		t.Errorf("mean interarrival time is %g ± %g, want %g", got, se, mean)
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
