package input

import (
	"errors"
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/machine"
)

// GivenUp adds a remedy to the error of a simulation that was given up. Its jobs may not fit into memory. It may have
// so many alarms and scheduling points, or so long jobs, that it would hardly end. Or the policy cannot run these jobs,
// or not at this fidelity. Other errors are returned as they are.
func GivenUp(err error) error {
	switch {
	case errors.Is(err, parallel.ErrTooLarge):
		return tooLarge(err, err, "check the units of the times in the model; otherwise lower the load, or raise --memory")
	case errors.Is(err, validate.ErrMachineFidelity):
		return fault.Hint(fault.ExitUsage, "partwise simulate --fidelity machine", err)
	case errors.As(err, new(*machine.PolicyError)):
		return fault.Hint(fault.ExitUsage,
			"choose a policy that keeps the smallest and largest numbers of nodes of the jobs, or change these", err)
	}
	return err
}

// tooLarge returns said as an error with exit code 8 and a remedy. err says what the simulation lacks: memory, time or events. The
// remedy depends on it; ofMemory is the remedy where memory is lacking.
func tooLarge(err, said error, ofMemory string) error {
	hint := "simulate fewer or shorter jobs that come at a higher load"
	switch {
	case parallel.IsShortOf(err, parallel.Memory):
		hint, said = ofMemory, fmt.Errorf("%s: no more fit into the memory allowed", fault.Plain(said))
	case parallel.IsShortOf(err, parallel.Events):
		hint = "give --resize-at or the policy a longer time, as in equi:1h, or lower --resize-cost"
	}
	return fault.Hint(fault.ExitTooLarge, hint, said)
}
