package models

import (
	"fmt"

	"github.com/partwise/partwise/phasetype"
)

// MaxTimeSharedPartitions is the largest number of partitions: what a byte counts.
const MaxTimeSharedPartitions = 255

// MaxTimeSharedClasses is the largest number of classes: each doubles the chains of the others.
const MaxTimeSharedClasses = 16

// TimeSharedClass is a class of jobs and its part of the time. Times are in one unit for all classes.
type TimeSharedClass struct {
	Partitions int // c_p, the number of jobs that run in its slices
	Arrivals   phasetype.MAP
	Service    phasetype.Dist // time a job needs its partition
	Quantum    phasetype.Dist // length of a slice
	SwitchOver phasetype.Dist // before each slice; the zero value costs nothing
}

// TimeSharedMachine is a machine that classes of jobs share in turn.
type TimeSharedMachine struct {
	Classes []TimeSharedClass
	// HoldSlices says that a slice lasts until its quantum is over although no job of its class is left.
	HoldSlices bool
}

// TimeSharedClassError says what is wrong with a class.
type TimeSharedClassError struct {
	Class   int // from 0; −1 where it is the machine
	Field   string
	Problem string
}

func (e *TimeSharedClassError) Error() string {
	if e.Class < 0 {
		return "timesharing: " + e.Problem
	}
	return fmt.Sprintf("models: Classes[%d].%s: %s", e.Class, e.Field, e.Problem)
}

// Check returns what is wrong with the machine, a *[TimeSharedClassError], or nil.
func (m *TimeSharedMachine) Check() error {
	if m == nil || len(m.Classes) == 0 {
		return &TimeSharedClassError{Class: -1, Problem: "a machine needs at least one class of jobs"}
	}
	if len(m.Classes) > MaxTimeSharedClasses {
		return &TimeSharedClassError{Class: -1, Problem: fmt.Sprintf("%d classes; there may be %d", len(m.Classes), MaxTimeSharedClasses)}
	}
	for i, c := range m.Classes {
		wrong := func(field, problem string) error { return &TimeSharedClassError{i, field, problem} }
		switch {
		case c.Partitions < 1 || c.Partitions > MaxTimeSharedPartitions:
			return wrong("Partitions", fmt.Sprintf("%d; there must be 1 to %d", c.Partitions, MaxTimeSharedPartitions))
		case c.Arrivals.Phases() == 0:
			return wrong("Arrivals", "no job arrives")
		case c.Service.IsZero() || c.Service.Atom() > 0:
			return wrong("Service", "a job may not need a time of zero")
		case c.Quantum.IsZero() || c.Quantum.Atom() > 0:
			return wrong("Quantum", "a slice may not have a length of zero")
		}
	}
	return nil
}

// Load returns the sum over classes of λ_p·E[service]/c_p, the share of time in which slices are needed: below one if the
// machine can keep up, with switch-overs that take no time and slices in which all partitions are busy.
func (m *TimeSharedMachine) Load() float64 {
	load := 0.0
	for _, c := range m.Classes {
		load += c.Arrivals.Rate() * c.Service.Mean() / float64(c.Partitions)
	}
	return load
}
