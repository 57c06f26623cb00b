package solution

import (
	"errors"
	"fmt"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
)

// Require returns an error if the model's requirements are not all met.
func Require(file *modelfile.Model, d *decide.Decision) error {
	var missed []string
	for _, goal := range file.Require {
		if text := MissedRequirement(file, d, goal); text != "" {
			missed = append(missed, goal.At+": "+text)
		}
	}
	if len(missed) == 0 {
		return nil
	}
	return &cli.Error{
		Code: cli.ExitFailed,
		Err:  errors.New("requirement not met: " + strings.Join(missed, "\nerror: requirement not met: ")),
	}
}

// MissedRequirement says how a requirement is missed, "" if it is met.
func MissedRequirement(file *modelfile.Model, d *decide.Decision, goal modelfile.Requirement) string {
	name := goal.PolicyName() + " " + goal.Measure.Name
	unit := goal.Measure.Unit.In(file.TimeUnit.Name)
	if unit != "" {
		unit = " " + unit
	}
	v, exists, met := d.Meets(&goal.Requirement)
	found := output.Round(v, 6) + unit
	switch {
	case met:
		return ""
	case !exists:
		return name + " does not exist: unstable"
	case goal.AtMost != nil && v > *goal.AtMost:
		return fmt.Sprintf("%s is %s, at most %s is required", name, found, output.Shortest(*goal.AtMost))
	}
	return fmt.Sprintf("%s is %s, at least %s is required", name, found, output.Shortest(*goal.AtLeast))
}
