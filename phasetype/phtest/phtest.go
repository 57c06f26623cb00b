// Package phtest holds what any phase-type distribution must satisfy, and a source of distributions to try it on.
//
// [Check] holds the functions, moments, samples and operations of a distribution against each other: each is computed
// in its own way, so that a mistake in one shows. [Draw] makes random distributions for property tests.
package phtest

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/partwise/partwise/phasetype"
)

// Check returns an error that says which law d breaks, nil if it keeps all of them:
//
//   - Survival(0) = 1 − atom; survival falls, and CDF + Survival = 1, −dS/dx = PDF;
//   - Quantile and InverseSurvival undo CDF and Survival to 1e-10;
//   - the first three moments are those of the survival function, integrated numerically, to 1e-8;
//   - the mean of 1 − exp(−X/E[X]) over 5,000 samples of a fixed stream is within 5 standard errors;
//   - by·X has the scaled functions, X + X twice the mean and variance;
//   - JSON gives the same distribution back.
func Check(d phasetype.Dist) error {
	if d.IsZero() {
		return checkZero(d)
	}
	l := phasetype.NewLaw(d)
	for _, law := range []struct {
		name string
		hold func(phasetype.Dist, *phasetype.Law) error
	}{
		{"functions", checkFunctions},
		{"inverses", checkInverses},
		{"moments", checkMoments},
		{"samples", checkSamples},
		{"operations", checkOperations},
		{"json", checkJSON},
	} {
		if err := law.hold(d, l); err != nil {
			return fmt.Errorf("phtest: %s: %w", law.name, err)
		}
	}
	return nil
}

func checkZero(d phasetype.Dist) error {
	switch {
	case d.Mean() != 0 || d.Variance() != 0 || d.SCV() != 0 || d.Moment(3) != 0:
		return fmt.Errorf("phtest: the zero distribution has mean %g, variance %g", d.Mean(), d.Variance())
	case d.Atom() != 1 || d.Survival(0) != 0 || d.CDF(0) != 1 || d.Quantile(0.5) != 0 || d.PDF(0) != 0:
		return fmt.Errorf("phtest: the zero distribution is not all at 0")
	}
	return checkJSON(d, nil)
}

// close tells whether a and b agree relatively, or absolutely where both are below the scale.
func close(a, b, tol, scale float64) bool {
	return math.Abs(a-b) <= tol*math.Max(scale, math.Max(math.Abs(a), math.Abs(b)))
}

// points are times from far below the fastest phase to the far tail.
func points(d phasetype.Dist, l *phasetype.Law) []float64 {
	var fastest float64
	for i := range d.Phases() {
		fastest = math.Max(fastest, -d.Rate(i, i))
	}
	low, high := 1e-3/fastest, l.InverseSurvival(1e-100)
	const count = 60
	xs := make([]float64, count)
	for i := range xs {
		xs[i] = low * math.Pow(high/low, float64(i)/(count-1))
	}
	return xs
}

func checkFunctions(d phasetype.Dist, l *phasetype.Law) error {
	if s := l.Survival(0); !close(s, 1-d.Atom(), 1e-14, 0) {
		return fmt.Errorf("survival(0) is %g, the atom is %g", s, d.Atom())
	}
	last := math.Log1p(-d.Atom())
	for _, x := range points(d, l) {
		s, f, pdf, log := l.Survival(x), l.CDF(x), l.PDF(x), l.LogSurvival(x)
		switch {
		case !(s >= 0 && s <= 1 && f >= 0 && f <= 1 && pdf >= 0):
			return fmt.Errorf("at %g: survival %g, cdf %g, pdf %g", x, s, f, pdf)
		case log > last+1e-14*math.Abs(last): // rounding of the larger logarithm
			return fmt.Errorf("log-survival rises to %g at %g", log, x)
		case !close(s+f, 1, 1e-14, 1):
			return fmt.Errorf("at %g: survival %g and cdf %g add up to %g", x, s, f, s+f)
		case !close(math.Log(s), log, 1e-13, 1):
			return fmt.Errorf("at %g: survival %g, its logarithm %g", x, s, log)
		}
		last = log
		// Central difference of the logarithm: error h²·f‴/3 and rounding 1e-15/h, both below 1e-5 at h = 1e-5·x unless
		// the density changes faster than that, which it cannot where x is no more than its time scale.
		h := 1e-5 * x
		low, high := l.LogSurvival(x-h), l.LogSurvival(x+h)
		slope := (low - high) / (2 * h)
		rounding := 1e-14 * (math.Abs(low) + 1e-300) / h
		if hazard := pdf / s; math.Abs(slope-hazard) > 1e-4*hazard+rounding {
			return fmt.Errorf("at %g: pdf/survival is %g, the slope of -log survival %g", x, hazard, slope)
		}
	}
	return nil
}

func checkInverses(d phasetype.Dist, l *phasetype.Law) error {
	for _, x := range points(d, l) {
		f, s, pdf := l.CDF(x), l.Survival(x), l.PDF(x)
		// An ulp of the probability is an ulp/pdf of x: where the function is flat, x is not determined better.
		if slack := 4e-16 * f / (pdf * x); slack < 1e-11 && f < 1 && f > 1e-290 { // below, float64 loses digits
			if y := l.Quantile(f); !close(y, x, 1e-10, 0) {
				return fmt.Errorf("quantile(cdf(%g) = %g) is %g", x, f, y)
			}
		}
		if slack := 4e-16 * s / (pdf * x); slack < 1e-11 {
			if y := l.InverseSurvival(s); !close(y, x, 1e-10, 0) {
				return fmt.Errorf("inverse survival of survival(%g) = %g is %g", x, s, y)
			}
		}
	}
	if a := d.Atom(); a > 0 && (l.Quantile(a) != 0 || l.Quantile(a/2) != 0) {
		return fmt.Errorf("quantiles below the atom %g are not 0", a)
	}
	return nil
}

// checkMoments integrates k·x^(k−1)·S(x) over log x by the trapezoidal rule, which for a smooth integrand that vanishes
// at both ends converges faster than any power of the step.
func checkMoments(d phasetype.Dist, l *phasetype.Law) error {
	const step = 1. / 16
	var sum [4]float64
	top := math.Log(l.InverseSurvival(1e-40))
	var fastest float64
	for i := range d.Phases() {
		fastest = math.Max(fastest, -d.Rate(i, i))
	}
	// From 0 to low the survival is almost 1 − atom; that part of the mean is below 1e-12 of it.
	for y := math.Log(1e-12 / fastest); y < top; y += step {
		x := math.Exp(y)
		s := l.Survival(x) * step
		for k := 1; k <= 3; k++ {
			s *= x
			sum[k] += float64(k) * s
		}
	}
	for k := 1; k <= 3; k++ {
		if m := d.Moment(k); !close(m, sum[k], 1e-8, 0) {
			return fmt.Errorf("moment %d is %g, the integral of the survival function %g", k, m, sum[k])
		}
	}
	variance := d.Moment(2) - d.Mean()*d.Mean()
	if !close(d.Variance(), variance, 1e-12, d.Moment(2)) {
		return fmt.Errorf("variance is %g, by raw moments %g", d.Variance(), variance)
	}
	if !close(d.SCV()*d.Mean()*d.Mean(), d.Variance(), 1e-13, 0) {
		return fmt.Errorf("scv is %g, variance %g, mean %g", d.SCV(), d.Variance(), d.Mean())
	}
	third := d.Moment(3) - 3*d.Mean()*d.Moment(2) + 2*math.Pow(d.Mean(), 3)
	if !close(d.Skewness()*math.Pow(d.Variance(), 1.5), third, 1e-12, d.Moment(3)) {
		return fmt.Errorf("skewness is %g, the third central moment by raw moments %g", d.Skewness(), third)
	}
	return nil
}

func checkSamples(d phasetype.Dist, _ *phasetype.Law) error {
	const count = 5000
	s, r := phasetype.NewSampler(d), rand.New(rand.NewPCG(1, 2))
	// A heavy tail makes 5,000 values of X no normal mean; 1 − exp(−X/mean) is bounded and has a known expectation.
	mean := d.Mean()
	var sum, squares float64
	for range count {
		x := s.Draw(r)
		if !(x >= 0) || math.IsInf(x, 1) {
			return fmt.Errorf("drew %g", x)
		}
		v := -math.Expm1(-x / mean)
		sum += v
		squares += v * v
	}
	got := sum / count
	want, err := transform(d, 1/mean)
	if err != nil {
		return err
	}
	if se := math.Sqrt(math.Max(squares/count-got*got, 0) / count); math.Abs(got-want) > 5*se+1e-12 {
		return fmt.Errorf("mean of 1 − exp(−X/E[X]) over %d samples is %g ± %g, expected %g", count, got, se, want)
	}
	return nil
}

// transform returns 1 − E[exp(−s·X)] = P(an exponential time of rate s ends before X), which is s·E[min(X, that)].
func transform(d phasetype.Dist, s float64) (float64, error) {
	e, err := phasetype.Exponential(s)
	if err != nil {
		return 0, err
	}
	m, err := phasetype.Minimum(d, e)
	return s * m.Mean(), err
}

func checkOperations(d phasetype.Dist, l *phasetype.Law) error {
	const by = 3.7
	scaled, err := d.Scale(by)
	if err != nil {
		return err
	}
	if !close(scaled.Mean(), by*d.Mean(), 1e-12, 0) || !close(scaled.SCV(), d.SCV(), 1e-11, 0) {
		return fmt.Errorf("%g·X has mean %g and scv %g, X %g and %g", by, scaled.Mean(), scaled.SCV(), d.Mean(), d.SCV())
	}
	x := d.Mean()
	// Rounding of the rates moves the log-survival by its own size times an ulp, times the order for the additions.
	if a, b := scaled.LogSurvival(by*x), l.LogSurvival(x); !close(a, b, 1e-12, 1) {
		return fmt.Errorf("log-survival of %g·X at %g is %g, of X at %g %g", by, by*x, a, x, b)
	}
	if 2*d.Phases() > phasetype.MaxPhases {
		return nil
	}
	sum, err := phasetype.Sum(d, d)
	if err != nil {
		return err
	}
	if !close(sum.Mean(), 2*d.Mean(), 1e-9, 0) || !close(sum.Variance(), 2*d.Variance(), 3e-9, d.Mean()*d.Mean()) {
		return fmt.Errorf("the sum X + X has mean %g and variance %g, X %g and %g",
			sum.Mean(), sum.Variance(), d.Mean(), d.Variance())
	}
	if sum.Atom() > 0 && !close(sum.Atom(), d.Atom()*d.Atom(), 1e-12, 1) {
		return fmt.Errorf("the sum X + X has atom %g, X %g", sum.Atom(), d.Atom())
	}
	return nil
}

func checkJSON(d phasetype.Dist, _ *phasetype.Law) error {
	data, err := json.Marshal(d)
	if err != nil {
		return err
	}
	var again phasetype.Dist
	if err := json.Unmarshal(data, &again); err != nil {
		return fmt.Errorf("%s is refused: %w", data, err)
	}
	same := again.Phases() == d.Phases() && again.Atom() == d.Atom() && again.Mean() == d.Mean()
	a, b, ea, eb := again.Alpha(), d.Alpha(), again.Exit(), d.Exit()
	for i := 0; same && i < d.Phases(); i++ {
		same = a[i] == b[i] && ea[i] == eb[i]
		for j := range d.Phases() {
			same = same && again.Rate(i, j) == d.Rate(i, j)
		}
	}
	if !same {
		return fmt.Errorf("%s is read back as another distribution", data)
	}
	return nil
}
