package solution

import (
	"fmt"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/words"
)

// Require returns an error if the model's requirements are not all met.
func Require(file *modelfile.Model, d *decide.Decision) error {
	var missed []string
	for _, goal := range file.Require {
		if text, met := Requirement(file, d, goal); !met {
			missed = append(missed, goal.At+": "+text)
		}
	}
	if len(missed) == 0 {
		return nil
	}
	return fault.Failf(fault.ExitFailed, "requirement not met: %s", strings.Join(missed, "\nerror: requirement not met: "))
}

// Requirement says what a requirement demands and what there is, and whether it is met.
func Requirement(file *modelfile.Model, d *decide.Decision, goal modelfile.Requirement) (text string, met bool) {
	name := goal.PolicyName() + " " + goal.Measure.Name
	v, exists, met := d.Meets(&goal.Requirement)
	unit := goal.Measure.Unit.In(file.TimeUnit.Name)
	says := func(than string, limit float64) string {
		return fmt.Sprintf("%s is %s, at %s %s is required", name, strings.TrimSpace(words.Round(v, 6)+" "+unit), than,
			strings.TrimSpace(words.Shortest(limit)+" "+unit))
	}
	switch {
	case !exists:
		return name + " does not exist: unstable", met
	case goal.AtMost != nil && (met || v > *goal.AtMost):
		return says("most", *goal.AtMost), met
	}
	return says("least", *goal.AtLeast), met
}
