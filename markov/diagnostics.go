package markov

import (
	"fmt"
	"math"
)

// Settings steer a solver; the zero value works.
type Settings struct {
	// Method names the algorithm, "" or "auto" for the automatic choice. See [Methods].
	Method string
	// Tolerance is the largest normalised residual of πQ = 0 that is accepted, 0 for 1e-10.
	Tolerance float64
	// MaxIter bounds the iterations of a method, 0 for its own default.
	MaxIter int
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
	// ErrorBound is an estimate, from above, of the relative error of the mean and of the probabilities of the levels:
	// the residual, or the roundings that a method cannot avoid, times the condition of what is summed. That of the
	// variance is twice it.
	ErrorBound float64
	// Drift is the mean drift of the repeating part, mean down rate minus mean up rate; positive when the chain is
	// stable.
	Drift    float64
	Phases   int // of a repeating level
	States   int // below and at the first repeating level
	Seconds  float64
	Warnings []error
}

// unit is the rounding error of one operation.
const unit = 1.2e-16

// Digits returns how many decimal digits of the mean are right by the error bound, 15 at most.
func (d Diagnostics) Digits() int {
	return int(max(0, min(15, math.Floor(-math.Log10(max(d.ErrorBound, unit))))))
}

// doubtful is the relative error of the moments from which a warning is due.
const doubtful = 1e-9

// warn says how many digits are certain where they are few.
func (d *Diagnostics) warn() {
	if d.ErrorBound > doubtful {
		d.Warnings = append(d.Warnings, fmt.Errorf(
			"close to saturation or badly conditioned: about %d digits of the moments are certain", d.Digits()))
	}
}
