package timesharing

import (
	"errors"

	"github.com/partwise/partwise/models"
)

// ClassOf returns the class of the jobs of a system: its arrivals, and its run times and set-ups on one of so many equal
// partitions of the machine. The caller sets Quantum and SwitchOver. The error is that of [models.SP.Service].
func ClassOf(s *models.System, partitions int) (Class, error) {
	service, err := (&models.SP{System: s, Partitions: partitions}).Service()
	if err != nil {
		return Class{}, err
	}
	return Class{Partitions: partitions, Arrivals: s.Arrivals, Service: service}, nil
}

// Rescale changes the arrival rates of all classes by one factor, such that [Machine.Load] is the given load.
func (m *Machine) Rescale(load float64) error {
	if m == nil {
		return errors.New("timesharing: there is no machine")
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
