package fit

import (
	"errors"
	"fmt"
)

// ErrNoConvergence says that the likelihood was still growing at the last iteration that was allowed. It is a warning:
// errors.Is finds it among the warnings of a candidate.
var ErrNoConvergence = errors.New("did not converge")

// ErrImpossible says that the data have probability 0 under a distribution, in floating-point numbers.
var ErrImpossible = errors.New("the data have probability zero")

// ErrZeros says that zeros were left out of a fit because they have no density. It is a warning.
var ErrZeros = errors.New("zeros were left out; give the resolution of the clock to use them")

// ErrConstant says that all values of a fit are equal. The SCV of the fit then follows from its phases, and not from the
// data. It is a warning.
var ErrConstant = errors.New("the scv of the fit follows from its phases, 1 / phases at least; measure more runs, or more precisely")

// ErrFewValues says that a fit is to fewer than ten observations, which tell little of how times vary: the mean of ten
// observations with the SCV of an exponential distribution has a standard error of 32 %. It is a warning.
var ErrFewValues = errors.New("other measurements may give another fit; measure ten or more")

// ErrNotApplicable says that a family does not apply to the data. [Entry].Fit returns it, or an error that wraps it, so
// that the candidate is left out. It is then a warning.
var ErrNotApplicable = errors.New("the family does not apply to the data")

// CandidateError is the error of one fit of several.
type CandidateError struct {
	Family Family // or the form of an arrival process
	Phases int
	Err    error
}

// Error returns the family, the order and what is wrong.
func (e *CandidateError) Error() string {
	return fmt.Sprintf("fit: %s with %s: %v", e.Family, phasesOf(e.Phases), e.Err)
}

// Unwrap returns Err, so that errors.Is finds [ErrNoConvergence] and others.
func (e *CandidateError) Unwrap() error { return e.Err }

// notConverged returns the warning that a fit did not converge in so many iterations: a *[CandidateError] that wraps
// [ErrNoConvergence]. With 0 iterations it does not name their number, because the number is not known.
func notConverged(family Family, phases, iterations int) error {
	err := ErrNoConvergence
	if iterations > 0 {
		err = fmt.Errorf("%w in %d iterations", err, iterations)
	}
	return &CandidateError{family, phases, err}
}
