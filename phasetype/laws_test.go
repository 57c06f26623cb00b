package phasetype_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/phtest"
)

// distribution is that of a nonnegative variable X with a density beyond its atom at 0 and finite moments.
type distribution interface {
	Atom() float64                     // P(X = 0)
	Survival(x float64) float64        // P(X > x)
	LogSurvival(x float64) float64     // its logarithm, where it is itself out of range too
	CDF(x float64) float64             // P(X ≤ x), small values with all their digits
	PDF(x float64) float64             // density, without the atom
	Quantile(p float64) float64        // least x with P(X ≤ x) ≥ p
	InverseSurvival(q float64) float64 // least x with P(X > x) ≤ q
	Mean() float64
	Variance() float64
	SCV() float64 // Variance/Mean²
	Skewness() float64
	Moment(k int) float64 // E[X^k]
}

// checkLaws returns an error that names a law of functions, moments and samples that d violates; see checkDist. A right
// distribution violates the one of samples for one stream of random numbers in a million.
func checkLaws(d distribution, draw func() float64) error {
	xs := points(d)
	for _, law := range []struct {
		name string
		hold func() error
	}{
		{"functions", func() error { return checkFunctions(d, xs) }},
		{"inverses", func() error { return checkInverses(d, xs) }},
		{"moments", func() error { return checkMoments(d, integrate(d)) }},
		{"samples", func() error { return checkSamples(d, draw) }},
	} {
		if err := law.hold(); err != nil {
			return fmt.Errorf("%s: %w", law.name, err)
		}
	}
	return nil
}

// points returns times from the lowest quantiles to the far tail.
func points(d distribution) []float64 {
	low := d.Quantile(1e-30)
	if a := d.Atom(); a > 0 { // smaller quantiles are within the rounding of the atom
		low = d.Quantile(a + 1e-12*(1-a))
	}
	low, high := math.Max(low, 1e-13*d.Mean()), d.InverseSurvival(1e-100)
	const count = 60
	xs := make([]float64, count)
	for i := range xs {
		xs[i] = low * math.Pow(high/low, float64(i)/(count-1))
	}
	return xs
}

func checkFunctions(d distribution, xs []float64) error {
	if s := d.Survival(0); !close(s, 1-d.Atom(), 1e-14, 0) {
		return fmt.Errorf("survival(0) is %g, the atom is %g", s, d.Atom())
	}
	last := math.Log1p(-d.Atom())
	for _, x := range xs {
		s, f, pdf, log := d.Survival(x), d.CDF(x), d.PDF(x), d.LogSurvival(x)
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
		low, high := d.LogSurvival(x-h), d.LogSurvival(x+h)
		slope := (low - high) / (2 * h)
		rounding := 1e-14 * (math.Abs(low) + 1e-300) / h
		if hazard := pdf / s; !(math.Abs(slope-hazard) <= 1e-4*hazard+rounding) {
			return fmt.Errorf("at %g: pdf/survival is %g, the slope of -log survival %g", x, hazard, slope)
		}
	}
	return nil
}

func checkInverses(d distribution, xs []float64) error {
	for _, x := range xs {
		f, s, pdf := d.CDF(x), d.Survival(x), d.PDF(x)
		// An ulp of the probability is an ulp/pdf of x: where the function is flat, x is not determined better.
		if slack := 4e-16 * f / (pdf * x); slack < 1e-11 && f < 1 && f > 1e-290 { // below, float64 loses digits
			if y := d.Quantile(f); !close(y, x, 1e-10, 0) {
				return fmt.Errorf("quantile(cdf(%g) = %g) is %g", x, f, y)
			}
		}
		// Survival is the power of its logarithm: an ulp of that is one of the probability times its size.
		if slack := 4e-16 * math.Max(1, -math.Log(s)) * s / (pdf * x); slack < 1e-11 {
			if y := d.InverseSurvival(s); !close(y, x, 1e-10, 0) {
				return fmt.Errorf("inverse survival of survival(%g) = %g is %g", x, s, y)
			}
		}
	}
	if a := d.Atom(); a > 0 && (d.Quantile(a) != 0 || d.Quantile(a/2) != 0) {
		return fmt.Errorf("quantiles below the atom %g are not 0", a)
	}
	return nil
}

// integrate returns ∫ k·x^(k−1)·S(x) dx for k = 1, 2, 3, over log x by the trapezoidal rule, which for a smooth
// integrand that vanishes at both ends converges faster than any power of the step.
func integrate(d distribution) (sum [4]float64) {
	const step = 1. / 16
	top := math.Log(d.InverseSurvival(1e-40))
	// What is left out between 0 and the first point is below 1e-13 of the mean.
	for y := math.Log(1e-13 * (1 - d.Atom()) * d.Mean()); y < top; y += step {
		x := math.Exp(y)
		s := d.Survival(x) * step
		for k := 1; k <= 3; k++ {
			s *= x
			sum[k] += float64(k) * s
		}
	}
	return sum
}

func checkMoments(d distribution, sum [4]float64) error {
	for k := 1; k <= 3; k++ {
		if m := d.Moment(k); !close(m, sum[k], 1e-8, 0) {
			return fmt.Errorf("moment %d is %g, the integral of the survival function %g", k, m, sum[k])
		}
	}
	if !close(d.Mean(), d.Moment(1), 1e-14, 0) {
		return fmt.Errorf("mean is %g, the first moment %g", d.Mean(), d.Moment(1))
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

// checkSamples looks at U = Survival(X), which is 1 − a with probability a, the atom, and otherwise uniform below that.
// So the expectations and variances of its powers are known, whatever the tail of X.
func checkSamples(d distribution, draw func() float64) error {
	const count = 4000
	var total [3]float64
	for range count {
		x := draw()
		if !(x >= 0) || math.IsInf(x, 1) {
			return fmt.Errorf("drew %g", x)
		}
		u := d.Survival(x)
		total[1] += u
		total[2] += u * u
	}
	a := d.Atom()
	power := func(k int) float64 { return a*math.Pow(1-a, float64(k)) + math.Pow(1-a, float64(k+1))/float64(k+1) }
	for k := 1; k <= 2; k++ {
		got, want := total[k]/count, power(k)
		se := math.Sqrt((power(2*k) - want*want) / count)
		if !(math.Abs(got-want) <= 5*se) {
			return fmt.Errorf("mean of survival(X)^%d over %d samples is %g ± %g, expected %g", k, count, got, se, want)
		}
	}
	return nil
}

// checkDist returns an error that names a law that d violates, nil if there is none:
//
//   - Survival(0) = 1 − atom, Survival decreases, CDF + Survival = 1, −dS/dx = PDF;
//   - Quantile and InverseSurvival invert CDF and Survival to 1e-10;
//   - the first three moments are those of the survival function, integrated numerically, to 1e-8, and variance, SCV
//     and skewness are those of the moments;
//   - the means of Survival(X) and its square, over 4,000 values that are drawn, are within 5 standard errors;
//   - by·X has the scaled functions, X + X' twice the mean and variance, and the conversion to canonical form 1 does not
//     change the distribution.
func checkDist(d phasetype.Dist) error {
	if d.IsZero() {
		return checkZero(d)
	}
	s := d.With(rand.NewPCG(1, 2))
	if err := checkLaws(s, s.Rand); err != nil {
		return err
	}
	if err := checkOperations(d, s); err != nil {
		return fmt.Errorf("operations: %w", err)
	}
	return nil
}

func checkZero(d phasetype.Dist) error {
	switch {
	case d.Mean() != 0 || d.Variance() != 0 || d.SCV() != 0 || d.Moment(3) != 0:
		return fmt.Errorf("the zero distribution has mean %g, variance %g", d.Mean(), d.Variance())
	case d.Atom() != 1 || d.Survival(0) != 0 || d.Quantile(0.5) != 0:
		return fmt.Errorf("the zero distribution is not all at 0")
	}
	return nil
}

// close reports whether a and b agree relatively, or absolutely if both are below the scale.
func close(a, b, tol, scale float64) bool {
	return math.Abs(a-b) <= tol*math.Max(scale, math.Max(math.Abs(a), math.Abs(b)))
}

func checkOperations(d phasetype.Dist, s distribution) error {
	const by = 3.7
	scaled, err := d.Scale(by)
	if err != nil {
		return err
	}
	if err := checkScaled(s, phasetype.NewLaw(scaled), by); err != nil {
		return err
	}
	if c, err := d.Canonical(); err == nil {
		if err := phtest.CheckSame(d, c, 1e-9); err != nil { // an atom below 1e-9 may be missing in one of them
			return fmt.Errorf("canonical form: %w", err)
		}
	}
	if 2*d.Phases() > phasetype.MaxPhases {
		return nil
	}
	sum, err := phasetype.Sum(d, d)
	if err != nil {
		return err
	}
	return checkSum(s, phasetype.NewLaw(sum))
}

// checkScaled compares the distribution scaled of by·X with that of X.
func checkScaled(x, scaled distribution, by float64) error {
	if !close(scaled.Mean(), by*x.Mean(), 1e-12, 0) || !close(scaled.SCV(), x.SCV(), 1e-11, 0) {
		return fmt.Errorf("%g·X has mean %g and scv %g, X %g and %g", by, scaled.Mean(), scaled.SCV(), x.Mean(), x.SCV())
	}
	// Rounding of the rates moves the log-survival by its own size times an ulp, times the order for the additions.
	at := x.Mean()
	if a, b := scaled.LogSurvival(by*at), x.LogSurvival(at); !close(a, b, 1e-12, 1) {
		return fmt.Errorf("log-survival of %g·X at %g is %g, of X at %g %g", by, by*at, a, at, b)
	}
	return nil
}

// checkSum compares the distribution of X + X' with that of X.
func checkSum(x, sum distribution) error {
	if !close(sum.Mean(), 2*x.Mean(), 1e-9, 0) || !close(sum.Variance(), 2*x.Variance(), 3e-9, x.Mean()*x.Mean()) {
		return fmt.Errorf("the sum X + X has mean %g and variance %g, X %g and %g",
			sum.Mean(), sum.Variance(), x.Mean(), x.Variance())
	}
	if sum.Atom() > 0 && !close(sum.Atom(), x.Atom()*x.Atom(), 1e-12, 1) {
		return fmt.Errorf("the sum X + X has atom %g, X %g", sum.Atom(), x.Atom())
	}
	return nil
}
