package models

import (
	"cmp"
	"fmt"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/policy"
)

// UnstableError tells that the policy is not stable at the arrival rate, or so close to saturation that roundings decide. It wraps [markov.ErrUnstable].
type UnstableError struct {
	Policy           policy.Policy // nil if the context names the policy
	TrafficIntensity float64
	MaxArrivalRate   float64 // the arrival rate at which the traffic intensity is 1
	TimeUnit         string  // of the times of the system, for the text; "" if it is not known
}

func (e *UnstableError) Error() string {
	text := fmt.Sprintf("unstable: traffic intensity %.6g", e.TrafficIntensity)
	if room := 1 - e.TrafficIntensity; room > 0 {
		text = fmt.Sprintf("too close to saturation: 1 minus the traffic intensity is %.3g, as little as its rounding error", room)
	}
	text += fmt.Sprintf("; the largest stable arrival rate is %.6g per %s", e.MaxArrivalRate, cmp.Or(e.TimeUnit, "time unit"))
	if e.Policy != nil {
		return fmt.Sprintf("%s is %s", e.Policy, text)
	}
	return text
}

// Unwrap returns markov.ErrUnstable.
func (e *UnstableError) Unwrap() error { return markov.ErrUnstable }

// CheckStable returns an *[UnstableError] if the policy is not stable at an arrival rate, where it is stable at all rates below
// maxArrivalRate; see [markov.Stable].
func CheckStable(p policy.Policy, rate, maxArrivalRate float64) error {
	intensity := rate / maxArrivalRate
	if markov.Stable(intensity) {
		return nil
	}
	return &UnstableError{Policy: p, TrafficIntensity: intensity, MaxArrivalRate: maxArrivalRate}
}

// Unstable returns the warning of measures of an unstable policy, nil if there are no measures.
func (m *Measures) Unstable() *UnstableError {
	if m == nil {
		return nil
	}
	return &UnstableError{TrafficIntensity: m.TrafficIntensity, MaxArrivalRate: m.MaxArrivalRate}
}
