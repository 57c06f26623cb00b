package phasetype_test

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// process is a stationary arrival process with phases.
type process interface {
	Rate() float64                     // arrivals per unit of time
	Stationary() []float64             // the phase at any time
	AfterArrival() []float64           // the phase just after an arrival
	SCV() float64                      // of an interarrival time
	InterarrivalMoment(k int) float64  // E[X^k]
	JointMoment(powers ...int) float64 // E[X_0^k0·X_1^k1·…]
	LagCorrelation(k int) float64      // of X_0 and X_k
	Dispersion() float64               // lim Var[N(t)]/E[N(t)]
	Interarrival() phasetype.Dist      // X
	D0() *mat.Dense                    // moves without an arrival
	D1() *mat.Dense                    // moves with one
}

// checkMAP returns an error that names a law that m violates, nil if there is none. The laws are those of checkDist for the
// interarrival time, and
//
//   - the stationary vectors are probabilities, π·(D0 + D1) = 0, φ·(−D0)⁻¹·D1 = φ, and the rate is π·D1·1 = 1/E[X];
//   - moments, SCV and correlations are those of the joint moments;
//   - the correlations are between −1 and 1; if they vanish within 200 lags, they sum up to the dispersion;
//   - twice as fast, it has twice the rate and the same SCV and correlations.
func checkMAP(m phasetype.MAP) error {
	if m.Phases() == 0 {
		return checkNoProcess(m)
	}
	if err := checkProcess(m); err != nil {
		return err
	}
	if err := checkDist(m.Interarrival()); err != nil {
		return err
	}
	twice, err := m.Speedup(2)
	if err != nil {
		return fmt.Errorf("speedup: %w", err)
	}
	if err := checkTwice(m, twice); err != nil {
		return err
	}
	return nil
}

func checkNoProcess(m phasetype.MAP) error {
	if m.Rate() != 0 || m.D0() != nil || m.D1() != nil || m.Dispersion() != 0 {
		return fmt.Errorf("a process without phases has rate %g", m.Rate())
	}
	return nil
}

// checkProcess returns an error that names a law of a process that m violates; see checkMAP.
func checkProcess(m process) error {
	for _, law := range []struct {
		name string
		hold func(process) error
	}{{"stationary", checkStationary}, {"joint moments", checkJoint}, {"correlations", checkCorrelations}} {
		if err := law.hold(m); err != nil {
			return fmt.Errorf("%s: %w", law.name, err)
		}
	}
	return nil
}

func checkStationary(m process) error {
	pi, phi := m.Stationary(), m.AfterArrival()
	d0, d1 := m.D0(), m.D1()
	var sum, rate, after float64
	for j := range pi {
		if !(pi[j] >= 0 && phi[j] >= 0) {
			return fmt.Errorf("phase %d has probabilities %g and, after an arrival, %g", j, pi[j], phi[j])
		}
		sum += pi[j]
		after += phi[j]
		var in, arrivals, flow float64
		for i := range pi {
			in += pi[i] * (d0.At(i, j) + d1.At(i, j))
			flow += pi[i] * (math.Abs(d0.At(i, j)) + d1.At(i, j))
			arrivals += pi[i] * d1.At(i, j)
		}
		rate += arrivals
		if !(math.Abs(in) <= 1e-12*flow) {
			return fmt.Errorf("in phase %d π·(D0 + D1) is %g", j, in)
		}
		if !close(arrivals, m.Rate()*phi[j], 1e-12, 0) {
			return fmt.Errorf("arrivals lead to phase %d with rate %g, expected %g", j, arrivals, m.Rate()*phi[j])
		}
	}
	switch {
	case !close(sum, 1, 1e-13, 0) || !close(after, 1, 1e-12, 0):
		return fmt.Errorf("the probabilities of the phases add up to %.15g and %.15g", sum, after)
	case !close(rate, m.Rate(), 1e-12, 0) || !close(rate*m.InterarrivalMoment(1), 1, 1e-10, 0):
		return fmt.Errorf("π·D1·1 is %g, the rate %g, the mean interarrival time %g",
			rate, m.Rate(), m.InterarrivalMoment(1))
	}
	return nil
}

func checkJoint(m process) error {
	for k := 1; k <= 3; k++ {
		// The second interval is distributed as the first if φ is stationary at arrivals.
		a, b, c := m.InterarrivalMoment(k), m.JointMoment(k), m.JointMoment(0, k)
		if !close(a, b, 1e-11, 0) || !close(a, c, 1e-10, 0) {
			return fmt.Errorf("moment %d is %g, as a joint moment %g, of the second interval %g", k, a, b, c)
		}
	}
	mean, second := m.JointMoment(1), m.JointMoment(2)
	// Subtracting the squared mean leaves the digits of the variance relative to the second moment.
	if scv := second/mean/mean - 1; !close(m.SCV(), scv, 1e-11, 1) {
		return fmt.Errorf("scv is %g, by joint moments %g", m.SCV(), scv)
	}
	for lag := 1; lag <= 3; lag++ {
		powers := make([]int, lag+1)
		powers[0], powers[lag] = 1, 1
		covariance := m.JointMoment(powers...)/mean/mean - 1
		if got := m.LagCorrelation(lag) * m.SCV(); !close(got, covariance, 1e-10, 1) {
			return fmt.Errorf("covariance at lag %d is %g, by joint moments %g", lag, got, covariance)
		}
	}
	return nil
}

func checkCorrelations(m process) error {
	const lags = 200
	sum, last := 1.0, 0.0
	for k := 1; k <= lags; k++ {
		last = m.LagCorrelation(k)
		if !(math.Abs(last) <= 1+1e-9) || last != m.LagCorrelation(-k) {
			return fmt.Errorf("at lag %d %g", k, last)
		}
		sum += 2 * last
	}
	if math.Abs(last) < 1e-14 && !close(m.SCV()*sum, m.Dispersion(), 1e-8, 1) {
		return fmt.Errorf("scv·(1 + 2·Σρ) is %g, the dispersion %g", m.SCV()*sum, m.Dispersion())
	}
	if !(m.Dispersion() >= 0) {
		return fmt.Errorf("the dispersion is %g", m.Dispersion())
	}
	return nil
}

// checkTwice compares the process that runs twice as fast with m.
func checkTwice(m, twice process) error {
	if !close(twice.Rate(), 2*m.Rate(), 1e-13, 0) || !close(twice.SCV(), m.SCV(), 1e-11, 0) ||
		!close(twice.LagCorrelation(1), m.LagCorrelation(1), 1e-9, 1) {
		return fmt.Errorf("speedup: twice as fast the rate is %g, the scv %g; before %g, %g",
			twice.Rate(), twice.SCV(), m.Rate(), m.SCV())
	}
	return nil
}
