package models

import "fmt"

// RescalingError tells that arrivals cannot be rescaled to a load or to an arrival rate: a rate of the arrival process would
// leave the range of package phasetype, see [phasetype.MAP.SpeedupRange].
type RescalingError struct {
	Quantity    string // load or arrival rate
	Value       float64
	Least, Most float64 // values to which the arrivals can be rescaled
}

func (e *RescalingError) Error() string {
	return fmt.Sprintf("models: %s %s; %s", e.Quantity, e.Problem(), e.Remedy())
}

// Problem says that the value is too low or too high.
func (e *RescalingError) Problem() string {
	if e.Value < e.Least {
		return fmt.Sprintf("%g is too low", e.Value)
	}
	return fmt.Sprintf("%g is too high", e.Value)
}

// Remedy says which values are possible. The values are rounded into the range: rounding to two digits changes a number by less than
// the factor inward.
func (e *RescalingError) Remedy() string {
	const inward = 1.05
	if e.Value < e.Least {
		return fmt.Sprintf("use %.2g or more, so that all rates of the arrivals are at least 1e-100", inward*e.Least)
	}
	return fmt.Sprintf("use %.2g or less, so that all rates of the arrivals are at most 1e+100", e.Most/inward)
}
