// This file reads the rigid jobs of a system: what they ask for.

package models

import (
	"errors"
	"fmt"

	"github.com/partwise/partwise/models/internal/rigidjobs"
)

// RigidityError tells why the jobs of a system are not rigid, so that policies of rigid jobs cannot run them.
type RigidityError struct {
	Err error // a *[SystemError] for a system whose jobs cannot be rigid
}

func (e *RigidityError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *RigidityError) Unwrap() error { return e.Err }

// rigidJobs returns the rigid jobs of the system. The error is a *[RigidityError] if a class does not say how many nodes its jobs
// ask for, or jobs cannot be rigid.
func (s *System) rigidJobs() (*rigidjobs.Jobs, error) {
	kinds, err := s.AskingClasses()
	if err != nil {
		return nil, err
	}
	var classes []rigidjobs.Class
	for _, c := range kinds {
		class := rigidjobs.Class{Name: c.Name, Share: c.Share, Nodes: c.Nodes}
		if class.Service, err = c.Demand.Scale(1 / c.Speedup.At(float64(c.Nodes))); err != nil {
			return nil, fmt.Errorf("models: run time on %d nodes: %w", c.Nodes, err)
		}
		classes = append(classes, class)
	}
	jobs, err := rigidjobs.New(s.Nodes, classes)
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	return jobs, nil
}

// AskingClasses returns the classes with a positive share of the arrivals, each with the number of nodes that its jobs ask for. All
// jobs of a system without classes are one class without a name. The error is a *[RigidityError] if a class does not say how many
// nodes its jobs ask for, or jobs cannot be rigid.
func (s *System) AskingClasses() (classes []Class, err error) {
	if classes, err = s.askingClasses(); err != nil {
		return nil, &RigidityError{err}
	}
	return classes, nil
}

// askingClasses is AskingClasses with the causes as errors.
func (s *System) askingClasses() (kinds []Class, err error) {
	switch {
	case s == nil:
		return nil, wrong("System", "is missing")
	case len(s.PhaseMap) > 0:
		return nil, wrong("PhaseMap", "belongs to jobs that are resized; rigid jobs keep their nodes and their phases")
	case len(s.Classes) == 0 && s.Speedup == nil:
		return nil, wrong("Service", "holds run times on shares of the machine; rigid jobs need a demand, a speedup and a number of nodes")
	}
	for k, c := range s.kinds() {
		if c.Share > 0 && c.Nodes == 0 {
			return nil, s.silent(k)
		}
		if c.Share > 0 {
			kinds = append(kinds, c)
		}
	}
	return kinds, nil
}

// Rigid reports whether all jobs that arrive say how many nodes they ask for, so that policies of rigid jobs can run them.
func (s *System) Rigid() bool {
	_, err := s.AskingClasses()
	return err == nil
}

// silent returns the error of a class that does not say how many nodes its jobs ask for.
func (s *System) silent(k int) error {
	if len(s.Classes) == 0 {
		return errors.New("models: the model does not say how many nodes its jobs ask for (jobs.nodes)")
	}
	name := s.Classes[k].Name
	return fmt.Errorf("models: class %s does not say how many nodes its jobs ask for (jobs.classes[%s].nodes)", name, name)
}
