// Package phtest checks the laws that any phase-type distribution and arrival process must satisfy.
//
// [Check] and [CheckMAP] compare the functions, moments, samples and operations of a distribution or an arrival process
// with each other. Each of them is computed in its own way, so that they disagree if one is wrong. [Dist] and [MAP] draw
// random distributions and processes to check.
package phtest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/partwise/partwise/phasetype"
)

// Check returns an error that names a law that d violates, nil if there is none:
//
//   - Survival(0) = 1 − atom, Survival decreases, CDF + Survival = 1, −dS/dx = PDF;
//   - Quantile and InverseSurvival invert CDF and Survival to 1e-10;
//   - the first three moments are those of the survival function, integrated numerically, to 1e-8, and variance, SCV
//     and skewness are those of the moments;
//   - the means of Survival(X) and its square, over 4,000 values that are drawn, are within 5 standard errors;
//   - by·X has the scaled functions, X + X' twice the mean and variance, and the conversion to canonical form 1 does not
//     change the distribution.
func Check(d phasetype.Dist) error {
	if d.IsZero() {
		return checkZero(d)
	}
	s := d.With(rand.NewPCG(1, 2))
	if err := checkLaws(s, s.Rand); err != nil {
		return err
	}
	if err := checkOperations(d, s); err != nil {
		return fmt.Errorf("phtest: operations: %w", err)
	}
	return nil
}

func checkZero(d phasetype.Dist) error {
	switch {
	case d.Mean() != 0 || d.Variance() != 0 || d.SCV() != 0 || d.Moment(3) != 0:
		return fmt.Errorf("phtest: the zero distribution has mean %g, variance %g", d.Mean(), d.Variance())
	case d.Atom() != 1 || d.Survival(0) != 0 || d.Quantile(0.5) != 0:
		return fmt.Errorf("phtest: the zero distribution is not all at 0")
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
		if err := CheckSame(d, c, 1e-9); err != nil { // an atom below 1e-9 may be missing in one of them
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

// CheckSame returns an error if the distribution functions of a and b differ by more than tol at 0 or at one of 240 points,
// evenly spaced in the logarithm from a thousandth of the shortest mean sojourn to where both survival functions are below
// 1e-100; or if the logarithms of the survival functions, above 1e-100, differ by more than tol·max(1, |logarithm|).
// Equivalent representations differ by about 1e-15 times their orders.
//
// For distributions of n phases the difference has at most 2n − 1 zeros if all eigenvalues are real, so it cannot vanish at
// more points than that.
//
// Reference for the number of zeros: G. Pólya, G. Szegő, Problems and Theorems in Analysis II, Springer, 1976, part V, ch. 1.
func CheckSame(a, b phasetype.Dist, tol float64) error {
	const count = 240
	la, lb := phasetype.NewLaw(a), phasetype.NewLaw(b)
	xs := []float64{0}
	low, high := math.Inf(1), math.Max(la.InverseSurvival(1e-100), lb.InverseSurvival(1e-100))
	for _, d := range []phasetype.Dist{a, b} {
		for i := range d.Phases() {
			low = math.Min(low, -1e-3/d.Rate(i, i))
		}
	}
	for i := 0; i < count && high > 0; i++ {
		xs = append(xs, low*math.Pow(high/low, float64(i)/(count-1)))
	}
	floor := math.Log(1e-100)
	for _, x := range xs {
		s, r := la.LogSurvival(x), lb.LogSurvival(x)
		top := math.Max(s, r)
		if diff := -math.Expm1(math.Min(s, r)-top) * math.Exp(top); diff > tol {
			return fmt.Errorf("phtest: distribution functions differ by %.2g at %g", diff, x)
		}
		if diff := math.Abs(s - r); s > floor && r > floor && diff > tol*math.Max(1, -math.Min(s, r)) {
			return fmt.Errorf("phtest: logarithms of survival functions differ by %.2g at %g", diff, x)
		}
	}
	return nil
}
