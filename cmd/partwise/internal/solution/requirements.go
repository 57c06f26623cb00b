package solution

import (
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
)

// Require returns an error if the model's requirements are not all met.
func Require(file *modelfile.Model, d *decide.Decision) error {
	var missed []string
	for _, goal := range file.Require {
		if text, met := d.InWords(&goal.Requirement, file.TimeUnit.Name); !met {
			missed = append(missed, goal.At+": "+text)
		}
	}
	if len(missed) == 0 {
		return nil
	}
	return fault.Failf(fault.ExitFailed, "requirement not met: %s", strings.Join(missed, "\nerror: requirement not met: "))
}
