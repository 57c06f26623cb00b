package models

import (
	"fmt"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/policy"
)

// UnstableError says that a policy cannot keep up with the arrivals. It is [markov.ErrUnstable].
type UnstableError struct {
	Policy           policy.Policy // nil where the context says which
	TrafficIntensity float64
	MaxArrivalRate   float64 // at which the traffic intensity would be 1
}

func (e *UnstableError) Error() string {
	text := fmt.Sprintf("unstable: traffic intensity %.6g; the largest stable arrival rate is %.6g", e.TrafficIntensity,
		e.MaxArrivalRate)
	if e.Policy != nil {
		return fmt.Sprintf("%s is %s", e.Policy, text)
	}
	return text
}

// Unwrap returns markov.ErrUnstable.
func (e *UnstableError) Unwrap() error { return markov.ErrUnstable }

// Unstable returns the warning that measures have that are not stable.
func (m *Measures) Unstable() *UnstableError {
	return &UnstableError{TrafficIntensity: m.TrafficIntensity, MaxArrivalRate: m.MaxArrivalRate}
}
