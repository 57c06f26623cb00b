package models

import (
	"errors"
	"fmt"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
)

// MaxTimeSharedPartitions is the largest number of partitions that a class of a [TimeSharedMachine] may have.
const MaxTimeSharedPartitions = 255

// MaxTimeSharedClasses is the largest number of classes of a [TimeSharedMachine]. Each further class doubles the number of states
// of the chains of the other classes.
const MaxTimeSharedClasses = 16

// TimeSharedClass is a class of jobs and its slices of time. Times are in one unit for all classes.
type TimeSharedClass struct {
	Partitions int // c_p, the largest number of jobs that run in its slices
	Arrivals   phasetype.MAP
	Service    phasetype.Dist // time during which a job needs its partition
	Quantum    phasetype.Dist // length of a slice
	SwitchOver phasetype.Dist // before each slice; the zero value costs nothing
}

// TimeSharedMachine is a machine that classes of jobs use in turn.
type TimeSharedMachine struct {
	Classes []TimeSharedClass
	// HoldSlices tells that a slice lasts until its quantum is over, even if no job of its class is left.
	HoldSlices bool
}

// check returns an error if the machine is not valid.
func (m *TimeSharedMachine) check() error {
	if m == nil || len(m.Classes) == 0 {
		return errors.New("timesharing: a machine needs at least one class of jobs")
	}
	if len(m.Classes) > MaxTimeSharedClasses {
		return fmt.Errorf("timesharing: %d classes; there may be %d", len(m.Classes), MaxTimeSharedClasses)
	}
	for i, c := range m.Classes {
		problem := ""
		switch {
		case c.Partitions < 1 || c.Partitions > MaxTimeSharedPartitions:
			problem = fmt.Sprintf("Partitions: %d; there must be 1 to %d", c.Partitions, MaxTimeSharedPartitions)
		case c.Arrivals.Phases() == 0:
			problem = "Arrivals: no job arrives"
		case timeProblem(c.Service) != "":
			problem = "Service: a job may not need a time of zero"
		case timeProblem(c.Quantum) != "":
			problem = "Quantum: a slice may not have a length of zero"
		default:
			continue
		}
		return fmt.Errorf("models: Classes[%d].%s", i, problem)
	}
	return nil
}

// Load returns the sum over classes of λ_p·E[service]/c_p, the share of time in which slices are needed. If the load is
// below one, the machine is stable with switch-overs that take no time and slices in which all partitions are busy.
func (m *TimeSharedMachine) Load() float64 {
	load := 0.0
	for _, c := range m.Classes {
		load += c.Arrivals.Rate() * c.Service.Mean() / float64(c.Partitions)
	}
	return load
}

// TimeSharedClassOf returns the class of the jobs of a system: its arrivals, and its run times and set-ups on one of so
// many equal partitions of the machine. The caller sets Quantum and SwitchOver. The error is a *[SystemError], or comes
// from [policy.Static] for the number of partitions.
func TimeSharedClassOf(s *System, partitions int) (TimeSharedClass, error) {
	model, err := s.Chain(policy.Static{Partitions: partitions})
	if err != nil {
		return TimeSharedClass{}, err
	}
	return TimeSharedClass{Partitions: partitions, Arrivals: s.Arrivals, Service: model.(*sp).service}, nil
}

// Rescale multiplies the arrival rates of all classes by one factor, so that [TimeSharedMachine.Load] is the given load.
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
