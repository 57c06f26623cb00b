package markov

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/markov/internal/block"
)

// Settings steer a solver; the zero value works.
type Settings struct {
	// Method names the algorithm, "" or "auto" for the automatic choice. See [Methods].
	Method string
	// Tolerance is the largest normalised residual of πQ = 0 that is accepted, 0 for 1e-10.
	Tolerance float64
	// Memory limits what the solve takes, together with others that have the same limit; nil for [DefaultMemory]. What
	// needs more is refused with a *[MemoryError] before it is begun.
	Memory *Memory
	// Shared, if not nil, lets queues with the same repeating part solve it once.
	Shared *Shared
}

// Diagnostics says how a solution was obtained and how far it can be trusted.
type Diagnostics struct {
	Method     string
	Iterations int
	// Residual is the largest imbalance of a level, ‖(πQ)_l‖₁ relative to the probability flow through that level, so
	// that levels of small probability count as much as others.
	Residual float64
	// ErrorBound is an estimate, from above, of the relative error of every measure that is a mean, a rate or a
	// probability, that of a level far out excepted: the residual, or the roundings that a method cannot avoid, times the
	// condition of what is summed, the rates as given being exact. That of the variance is twice it.
	ErrorBound float64
	// ErrorPerLevel is what the relative error of the probability of a level, and of a tail, may grow by from one level
	// to the next once levels repeat: level c+k is a power of a matrix.
	ErrorPerLevel float64
	// Drift is the mean drift of the repeating part, mean down rate minus mean up rate; positive when the chain is
	// stable.
	Drift    float64
	Phases   int // of a repeating level
	States   int // below and at the first repeating level
	Seconds  float64
	Warnings []error
}

// BoundAt returns the estimate from above of the relative error of the probability of the level that is so many levels
// after the first that repeats, and of the tail from there on.
func (d Diagnostics) BoundAt(levels int) float64 {
	return d.ErrorBound + float64(max(0, levels))*d.ErrorPerLevel
}

// Digits returns how many decimal digits of the mean are right by the error bound, 15 at most.
func (d Diagnostics) Digits() int {
	return int(max(0, min(15, math.Floor(-math.Log10(max(d.ErrorBound, block.UnitRoundoff))))))
}

// doubtful is the relative error of the moments from which a warning is due.
const doubtful = 1e-9

// defaultTolerance is a residual that a solution with ten good digits stays well below.
const defaultTolerance = 1e-10

// Check returns ErrInaccurate if the residual is above a tolerance, 0 standing for 1e-10, or if no digit of the moments is certain,
// and otherwise warns of moments of which few digits are certain. It is for solvers, which put the name of their package before the error.
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
