package policy

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// parameterError returns an error of New or Check as a *ParameterError of the policy that the text names.
func parameterError(text string, err error) error {
	var own *ParameterError
	if errors.As(err, &own) {
		return err
	}
	return &ParameterError{Policy: text, Problem: err.Error()}
}

// UnknownError says that a table has no such policy.
type UnknownError struct {
	Text  string
	Known []string
}

// Error names the text, and the policies of the table.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("unknown policy %q; there are %s", e.Text, cmp.Or(strings.Join(e.Known, ", "), "none"))
}

// ParameterError says what is wrong with the parameter of a policy, or with its parameter on a machine.
type ParameterError struct {
	Policy, Problem string
	Example         string // the nearest such policy that the machine can run, if only the machine forbids this one
}

// Error names the policy and what is wrong.
func (e *ParameterError) Error() string { return fmt.Sprintf("policy %s: %s", e.Policy, e.Problem) }

// RunnerError says that a policy cannot be run in the way that was asked for, and why.
type RunnerError struct {
	Policy string
	RunsOn Runner // what can run it
	Reason string
}

// Error names the policy and the reason.
func (e *RunnerError) Error() string { return e.Policy + " " + e.Reason }
