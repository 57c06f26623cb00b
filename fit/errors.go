package fit

import (
	"errors"
	"fmt"
)

// ErrNoConvergence says that the likelihood was still growing when the last iteration that was allowed was done. It is
// a warning, found among the warnings of a candidate by errors.Is.
var ErrNoConvergence = errors.New("did not converge")

// ErrImpossible says that a distribution gives the data the probability 0 in floating-point numbers.
var ErrImpossible = errors.New("the data have probability zero")

// ErrZeros says that zeros were left out of a fit because they have no density. It is a warning.
var ErrZeros = errors.New("zeros were left out; give the resolution of the clock to use them")

// ErrNotApplicable says that a family does not apply to the data. [Entry].Fit returns it, or an error that wraps it, to have a
// candidate left out. It is then a warning.
var ErrNotApplicable = errors.New("the family does not apply to the data")

// CandidateError says what is wrong with one fit of several.
type CandidateError struct {
	Family Family // or the form of an arrival process
	Phases int
	Err    error
}

func (e *CandidateError) Error() string {
	return fmt.Sprintf("fit: %s with %s: %v", e.Family, phasesOf(e.Phases), e.Err)
}

func (e *CandidateError) Unwrap() error { return e.Err }

// notConverged is the warning that a fit did not converge in so many iterations, 0 if their number is not known.
func notConverged(family Family, phases, iterations int) error {
	err := ErrNoConvergence
	if iterations > 0 {
		err = fmt.Errorf("%w in %d iterations", err, iterations)
	}
	return &CandidateError{family, phases, err}
}
