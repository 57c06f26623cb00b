package decide

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/spec"
)

// subject returns the result that a goal speaks of, nil if there is none because it is unstable.
func subject(d *models.Decision, name string) *models.Solved {
	if name == spec.BestStatic {
		return d.Best
	}
	i := slices.IndexFunc(d.Results, func(r models.Solved) bool { return r.Policy.String() == name })
	if i < 0 {
		return nil
	}
	return &d.Results[i]
}

// Measured returns the measure of a goal, ok false if it does not exist.
func Measured(d *models.Decision, about spec.Subject) (float64, bool) {
	r := subject(d, about.Policy)
	if r == nil {
		return 0, false
	}
	return about.Measure.Of(&r.Measures)
}

// Require returns an error if the model's requirements are not all met.
func Require(file *spec.Model, d *models.Decision) error {
	var missed []string
	for _, goal := range file.Require {
		if text := MissedRequirement(file, d, goal); text != "" {
			at := goal.At
			missed = append(missed, fmt.Sprintf("%s:%d:%d: %s: %s", at.File, at.Line, at.Column, at.Path, text))
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
func MissedRequirement(file *spec.Model, d *models.Decision, goal spec.Requirement) string {
	name := goal.Policy + " " + goal.Measure.Name
	unit := model.UnitName(goal.Measure.Unit, file.TimeUnit.Name)
	if unit != "" {
		unit = " " + unit
	}
	v, ok := Measured(d, goal.Subject)
	found := output.Round(v, 6) + unit
	switch {
	case !ok:
		return name + " does not exist: unstable"
	case goal.AtMost != nil && v > *goal.AtMost:
		return fmt.Sprintf("%s is %s, at most %s is required", name, found, output.Shortest(*goal.AtMost))
	case goal.AtLeast != nil && v < *goal.AtLeast:
		return fmt.Sprintf("%s is %s, at least %s is required", name, found, output.Shortest(*goal.AtLeast))
	}
	return ""
}

// outcome is an expectation with what was found.
type outcome struct {
	spec.Expectation
	found    float64
	exists   bool
	relative float64 // error
	pass     bool
}

// judge compares a measure with what was expected. An expected 0 has no relative error; the absolute one is taken.
func judge(d *models.Decision, e spec.Expectation) outcome {
	o := outcome{Expectation: e}
	if o.found, o.exists = Measured(d, e.Subject); !o.exists {
		return o
	}
	o.relative = math.Abs(o.found - e.Value)
	if e.Value != 0 {
		o.relative /= math.Abs(e.Value)
	}
	o.pass = o.relative <= e.Tolerance
	return o
}
