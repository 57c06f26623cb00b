package markov

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/markov/internal/block"
)

// Diagnostics tell how a solution was found and how accurate it is.
type Diagnostics struct {
	Method     string
	Iterations int
	// Residual is the largest imbalance of a level, ‖(πQ)_l‖₁ relative to the probability flow through that level, so
	// that levels of small probability count as much as others.
	Residual float64
	// ErrorBound estimates from above the relative error of each mean, rate and probability, except probabilities of levels
	// far out. It is the residual, or the rounding errors that a method cannot avoid, times the condition of the sum over the
	// levels. The given rates are taken as exact. The bound for the variance is twice as large.
	ErrorBound float64
	// ErrorPerLevel is the growth of the bound on the relative error, of a probability or a tail, from one repeating level to
	// the next.
	ErrorPerLevel float64
	// Drift is the mean rate down minus the mean rate up in the repeating part; it is positive if the chain is stable.
	Drift    float64
	Phases   int // of a repeating level
	States   int // below and at the first repeating level
	Seconds  float64
	Warnings []error
}

// BoundAt returns ErrorBound + k·ErrorPerLevel: the bound on the relative error of P(level = b+k) and P(level ≥ b+k).
// Level b is the first that repeats, and k is levels.
func (d Diagnostics) BoundAt(levels int) float64 {
	return d.ErrorBound + float64(max(0, levels))*d.ErrorPerLevel
}

// Digits returns the number of correct decimal digits of the mean according to the error bound, at most 15.
func (d Diagnostics) Digits() int {
	return int(max(0, min(15, math.Floor(-math.Log10(max(d.ErrorBound, block.UnitRoundoff))))))
}

// doubtful is the relative error of the moments above which a warning is given.
const doubtful = 1e-9

// Check returns ErrInaccurate if the residual is above the tolerance (0 means 1e-10), or if no digit of the moments is
// certain. If few digits are certain, it adds a warning. Solvers call it and prefix the error with the name of their
// package.
func (d *Diagnostics) Check(tolerance float64) error {
	if tolerance <= 0 {
		tolerance = defaultTolerance
	}
	if d == nil {
		return fmt.Errorf("there are no diagnostics: %w", ErrInaccurate)
	}
	if !(d.Residual <= tolerance) {
		return fmt.Errorf("residual %.2g is above %.2g: %w", d.Residual, tolerance, ErrInaccurate)
	}
	if !(d.ErrorBound < 1) {
		return fmt.Errorf("no digit of the moments is certain: rates are too far apart, or the chain is too close to saturation: %w", ErrInaccurate)
	}
	if d.ErrorBound > doubtful {
		d.Warnings = append(d.Warnings, fmt.Errorf(
			"close to saturation or badly conditioned: about %d digits of the moments are certain", d.Digits()))
	}
	return nil
}
