package replay

import (
	"errors"
	"fmt"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/machine"
)

// RunError says why a policy cannot run the jobs.
type RunError struct {
	Policy policy.Policy
	Err    error // a *[parallel.LimitError] if the jobs do not fit into memory, or if the run would hardly end
	cause  error // of the machine, which names the policy, too
}

// Error returns a message that names the policy and the reason why it cannot run the jobs.
func (e *RunError) Error() string { return fmt.Sprintf("replay: policy %s: %v", e.Policy, e.Err) }

// Unwrap returns the cause: the error of the machine, of a policy or of a job. So errors.As finds a
// *[machine.PolicyError], a *[parallel.LimitError] or a *[workload.ParameterError].
func (e *RunError) Unwrap() error { return e.cause }

// runError returns err, the error of a simulation, as a *[RunError] if it says that policy p cannot run the jobs. This
// is so for a *[machine.PolicyError], jobs that do not fit into memory, a run that would hardly end, and a job with
// wrong values. Any other error, such as the error of ctx, is returned as it is; nil for nil.
func runError(p policy.Policy, err error) error {
	var own *machine.PolicyError
	switch {
	case errors.As(err, &own):
		return &RunError{p, own.Err, own}
	case errors.Is(err, parallel.ErrTooLarge), errors.As(err, new(*workload.ParameterError)):
		return &RunError{p, err, err}
	}
	return err
}
