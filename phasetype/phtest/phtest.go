// Package phtest checks the laws that any phase-type distribution and arrival process must satisfy.
//
// [Check] and [CheckMAP] compare the functions, moments, samples and operations of a distribution or an arrival process
// with each other. Each of them is computed in its own way, so that they disagree if one is wrong. [CheckFunctions]
// does the same for any distribution of nonnegative values, and [CheckProcess] for any arrival process. Package phdraw
// draws random distributions and processes to check.
package phtest

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/partwise/partwise/phasetype"
)

// Check returns an error that names a law that d violates, nil if there is none. The laws are those of [CheckFunctions]
// and
//
//   - by·X has the scaled functions, X + X' twice the mean and variance, and conversions to canonical form 1 and to
//     fewer phases do not change the distribution;
//   - JSON gives the same distribution back, bit by bit.
func Check(d phasetype.Dist) error {
	if d.IsZero() {
		return checkZero(d)
	}
	s := d.With(rand.NewPCG(1, 2))
	if err := CheckFunctions(s, s.Rand); err != nil {
		return err
	}
	if err := checkOperations(d, s); err != nil {
		return fmt.Errorf("phtest: operations: %w", err)
	}
	return checkJSON(d)
}

func checkZero(d phasetype.Dist) error {
	switch {
	case d.Mean() != 0 || d.Variance() != 0 || d.SCV() != 0 || d.Moment(3) != 0:
		return fmt.Errorf("phtest: the zero distribution has mean %g, variance %g", d.Mean(), d.Variance())
	case d.Atom() != 1 || d.Survival(0) != 0 || d.CDF(0) != 1 || d.Quantile(0.5) != 0 || d.PDF(0) != 0:
		return fmt.Errorf("phtest: the zero distribution is not all at 0")
	}
	return checkJSON(d)
}

// close reports whether a and b agree relatively, or absolutely if both are below the scale.
func close(a, b, tol, scale float64) bool {
	return math.Abs(a-b) <= tol*math.Max(scale, math.Max(math.Abs(a), math.Abs(b)))
}

func checkOperations(d phasetype.Dist, s Distribution) error {
	const by = 3.7
	scaled, err := d.Scale(by)
	if err != nil {
		return err
	}
	if err := checkScaled(s, scaled, by); err != nil {
		return err
	}
	if c, err := d.Canonical(); err == nil {
		if err := checkSame("canonical form", d, c); err != nil {
			return err
		}
	}
	reduced, err := d.Reduce(context.Background(), 0)
	if err != nil {
		return err
	}
	if err := checkSame("reduction", d, reduced); err != nil {
		return err
	}
	if 2*d.Phases() > phasetype.MaxPhases {
		return nil
	}
	sum, err := phasetype.Sum(d, d)
	if err != nil {
		return err
	}
	return checkSum(s, sum)
}

// checkScaled compares the distribution scaled of by·X with that of X.
func checkScaled(x, scaled Distribution, by float64) error {
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
func checkSum(x, sum Distribution) error {
	if !close(sum.Mean(), 2*x.Mean(), 1e-9, 0) || !close(sum.Variance(), 2*x.Variance(), 3e-9, x.Mean()*x.Mean()) {
		return fmt.Errorf("the sum X + X has mean %g and variance %g, X %g and %g",
			sum.Mean(), sum.Variance(), x.Mean(), x.Variance())
	}
	if sum.Atom() > 0 && !close(sum.Atom(), x.Atom()*x.Atom(), 1e-12, 1) {
		return fmt.Errorf("the sum X + X has atom %g, X %g", sum.Atom(), x.Atom())
	}
	return nil
}

// checkSame compares two representations. An atom below 1e-9 may be missing in one of them.
func checkSame(what string, d, other phasetype.Dist) error {
	diff, err := phasetype.Compare(context.Background(), d, other)
	if err != nil {
		return err
	}
	if !diff.Within(1e-9) {
		return fmt.Errorf("%s changes the distribution by %.2g at %g, its tail by %.2g", what, diff.CDF, diff.At, diff.Tail)
	}
	return nil
}

func checkJSON(d phasetype.Dist) error {
	data, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("phtest: json: %w", err)
	}
	var again phasetype.Dist
	if err := json.Unmarshal(data, &again); err != nil {
		return fmt.Errorf("phtest: json: %s is refused: %w", data, err)
	}
	if !identical(d, again) {
		return fmt.Errorf("phtest: json: %s is read back as another distribution", data)
	}
	return nil
}

// identical compares representations bit by bit.
func identical(d, other phasetype.Dist) bool {
	same := other.Phases() == d.Phases() && other.Atom() == d.Atom() && other.Mean() == d.Mean()
	a, b, ea, eb := other.Alpha(), d.Alpha(), other.Exit(), d.Exit()
	for i := 0; same && i < d.Phases(); i++ {
		same = a[i] == b[i] && ea[i] == eb[i]
		for j := range d.Phases() {
			same = same && other.Rate(i, j) == d.Rate(i, j)
		}
	}
	return same
}
