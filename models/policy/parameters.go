package policy

import (
	"fmt"
	"strconv"

	"github.com/partwise/partwise/models/measure"
)

// counted returns New of a policy whose parameter is a whole number from 1; what says what the number counts.
func counted(what string, of func(k int) Policy) func(string) (Policy, error) {
	return func(parameter string) (Policy, error) {
		k, ok := measure.ParseCount(parameter, 1)
		if !ok {
			return nil, fmt.Errorf("%q is not %s", parameter, what)
		}
		return of(k), nil
	}
}

// measured returns New of a policy whose parameter is a number, which the policy checks; what says what the number means.
func measured(what string, of func(x float64) Policy) func(string) (Policy, error) {
	return func(parameter string) (Policy, error) {
		x, err := strconv.ParseFloat(parameter, 64)
		if p := of(x); err == nil && p.Check(Machine{}) == nil {
			return p, nil
		}
		return nil, fmt.Errorf("%q is not %s", parameter, what)
	}
}

// notA returns the error of a parameter of a policy that is not what it should be.
func notA(name string, parameter any, what string) error {
	return &ParameterError{Policy: fmt.Sprint(name, ":", parameter), Problem: fmt.Sprintf(`"%v" is not %s`, parameter, what)}
}
