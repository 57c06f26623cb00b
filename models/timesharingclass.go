package models

import (
	"errors"
)

// TimeSharedClassOf returns the class of the jobs of a system: its arrivals, and its run times and set-ups on one of so many equal
// partitions of the machine. The caller sets Quantum and SwitchOver. The error is that of [SP.Service].
func TimeSharedClassOf(s *System, partitions int) (TimeSharedClass, error) {
	service, err := (&sp{System: s, Partitions: partitions}).Service()
	if err != nil {
		return TimeSharedClass{}, err
	}
	return TimeSharedClass{Partitions: partitions, Arrivals: s.Arrivals, Service: service}, nil
}

// Rescale changes the arrival rates of all classes by one factor, such that [TimeSharedMachine.Load] is the given load.
func (m *TimeSharedMachine) Rescale(load float64) error {
	if m == nil {
		return errors.New("models: there is no machine")
	}
	factor := load / m.Load()
	for i := range m.Classes {
		var err error
		if m.Classes[i].Arrivals, err = m.Classes[i].Arrivals.Speedup(factor); err != nil {
			return err
		}
	}
	return nil
}
