package input

import (
	"errors"
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/machine"
)

// GivenUp adds to the error of a simulation that was given up what can be done about it. The simulation has more jobs than fit into
// memory, or so many alarms and scheduling points, or so long jobs, that it would hardly end. Or the policy cannot run these jobs, or not
// at this fidelity.
// GivenUp returns other errors as they are.
func GivenUp(err error) error {
	switch {
	case errors.As(err, new(*machine.TooManyError)):
		return fault.Hint(fault.ExitTooLarge, "check the units of the times in the model; otherwise lower the load, or raise --memory",
			fmt.Errorf("%s: no more fit into the memory allowed", fault.Plain(err)))
	case errors.As(err, new(*machine.TooOftenError)):
		return fault.Hint(fault.ExitTooLarge, lessOften, err)
	case errors.As(err, new(*machine.TooLongError)):
		return fault.Hint(fault.ExitTooLarge, "simulate fewer or shorter jobs that come at a higher load", err)
	case errors.Is(err, validate.ErrMachineFidelity):
		return fault.Hint(fault.ExitUsage, "partwise simulate --fidelity machine", err)
	case errors.As(err, new(*machine.PolicyError)):
		return fault.Hint(fault.ExitUsage, "choose a policy that keeps the smallest and largest numbers of nodes of the jobs, or change these", err)
	}
	return err
}

// lessOften is what can be done about alarms and scheduling points that come too often.
const lessOften = "give --resize-at a longer time, or the policy, as in equi:60s"
