package input

import (
	"errors"
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/validate/des"
)

// TooManyJobs adds to the error of a simulation with more jobs than fit into memory what can be done about it. It returns other
// errors as they are.
func TooManyJobs(err error) error {
	if !errors.As(err, new(*des.TooManyError)) {
		return err
	}
	return fault.Hint(fault.ExitTooLarge, "check the units of the times in the model; otherwise lower the load, or raise --memory",
		fmt.Errorf("%s: no more fit into the memory allowed", fault.Plain(err)))
}
