package markov

import (
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
	// far out. It is the residual, or the rounding errors that a method cannot avoid, times the condition of the sums over the
	// levels, also those of the variance. The given rates are taken as exact. The bound for the variance is twice as large.
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
// Level b is the first that repeats, and k is levels; for k ≤ 0 the bound is ErrorBound, also if ErrorPerLevel is infinite.
func (d Diagnostics) BoundAt(levels int) float64 {
	if levels <= 0 {
		return d.ErrorBound
	}
	return d.ErrorBound + float64(levels)*d.ErrorPerLevel
}

// Digits returns the number of correct decimal digits of the mean according to the error bound, at most 15.
func (d Diagnostics) Digits() int {
	return int(max(0, min(15, math.Floor(-math.Log10(max(d.ErrorBound, block.UnitRoundoff))))))
}
