// This file reads the rigid jobs of a system: what they ask for, in the units and groups in which their chain counts them.

package models

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/models/internal/counts"
	"github.com/partwise/partwise/models/internal/jobtimes"
	"github.com/partwise/partwise/phasetype"
)

// rigidSize is a group of jobs that ask for the same number of nodes. The class of a waiting job matters only when the job
// starts. So the run time of the group is the mixture of the run times of its classes.
type rigidSize struct {
	nodes   int            // in units of the common divisor of all sizes
	share   float64        // share of the arrivals
	service phasetype.Dist // run time
	from    int            // the first of its phases among the phases of all sizes
}

// rigidClass is a class of jobs with the index of its size.
type rigidClass struct {
	name           string
	share          float64 // share of the arrivals
	size           int
	service, alone phasetype.Dist // run time on its nodes, and on the most nodes that a job of the class can use
}

// rigidJobs are the rigid jobs of a system. All numbers of nodes are divided by their common divisor.
type rigidJobs struct {
	machine int          // nodes of the machine
	unit    int          // the common divisor of all sizes
	nodes   int          // of the machine, in units; a rest that is smaller than a unit is of no use
	sizes   []rigidSize  // from the smallest to the largest
	classes []rigidClass // the classes that arrive, in the order of the system
	atLeast []float64    // by size, and for none: share of the arrivals that ask for this size or a larger one
	phases  int          // of all sizes
	sizeOf  []int        // by phase
	exit    []float64    // by phase: the rate at which a job ends
}

// RigidityError tells why the jobs of a system are not rigid, so that policies of rigid jobs cannot run them.
type RigidityError struct {
	Err error // a *[SystemError] for a system whose jobs cannot be rigid
}

func (e *RigidityError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *RigidityError) Unwrap() error { return e.Err }

// rigidJobs returns the rigid jobs of the system. The error is a *[RigidityError] if a class does not say how many nodes its jobs
// ask for, or jobs cannot be rigid.
func (s *System) rigidJobs() (*rigidJobs, error) {
	kinds, err := s.AskingClasses()
	if err != nil {
		return nil, err
	}
	r, total := &rigidJobs{machine: s.Nodes}, 0.0
	for _, c := range kinds {
		total += c.Share
		r.unit = commonDivisor(r.unit, c.Nodes)
	}
	r.nodes = s.Nodes / r.unit
	r.findSizes(kinds)
	for _, c := range kinds {
		class := rigidClass{name: c.Name, share: c.Share / total}
		if class.service, err = c.Demand.Scale(1 / c.Speedup.At(float64(c.Nodes))); err == nil {
			class.alone, err = c.Demand.Scale(1 / c.Speedup.At(c.most(s.Machine())))
		}
		if err != nil {
			return nil, fmt.Errorf("models: run time on %d nodes: %w", c.Nodes, err)
		}
		class.size = r.sizeAt(c.Nodes / r.unit)
		r.classes = append(r.classes, class)
	}
	return r, r.mix()
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

// commonDivisor returns the greatest common divisor of two numbers that are not negative.
func commonDivisor(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// findSizes sets the sizes for which classes of jobs ask.
func (r *rigidJobs) findSizes(kinds []Class) {
	var nodes []int
	for _, c := range kinds {
		nodes = append(nodes, c.Nodes/r.unit)
	}
	slices.Sort(nodes)
	for _, n := range slices.Compact(nodes) {
		r.sizes = append(r.sizes, rigidSize{nodes: n})
	}
}

// sizeAt returns the index of the size of so many units.
func (r *rigidJobs) sizeAt(nodes int) int {
	return slices.IndexFunc(r.sizes, func(z rigidSize) bool { return z.nodes == nodes })
}

// mix makes the run times of the sizes from the run times of their classes, and numbers the phases of all sizes.
func (r *rigidJobs) mix() error {
	for i := range r.sizes {
		z := &r.sizes[i]
		var shares []float64
		var times []phasetype.Dist
		for _, c := range r.classes {
			if c.size == i {
				shares, times = append(shares, c.share), append(times, c.service)
			}
		}
		z.share = floats.Sum(shares)
		var err error
		if z.service, err = jobtimes.Mixture(shares, times); err != nil {
			return fmt.Errorf("models: jobs of %d nodes: %w", z.nodes*r.unit, err)
		}
		z.from = r.phases
		r.phases += z.service.Phases()
		r.exit = append(r.exit, z.service.Exit()...)
		for range z.service.Phases() {
			r.sizeOf = append(r.sizeOf, i)
		}
	}
	r.atLeast = make([]float64, len(r.sizes)+1)
	for i, z := range slices.Backward(r.sizes) {
		r.atLeast[i] = r.atLeast[i+1] + z.share
	}
	return nil
}

// named returns the classes of jobs, none if all jobs are alike.
func (r *rigidJobs) named() []rigidClass {
	if len(r.classes) == 1 && r.classes[0].name == "" {
		return nil
	}
	return r.classes
}

// most returns the largest number of jobs that run at a time.
func (r *rigidJobs) most() int { return r.nodes / r.sizes[0].nodes }

// fitting returns the number of sizes that fit beside so many used units. These are the smallest sizes.
func (r *rigidJobs) fitting(used int) int {
	n := 0
	for n < len(r.sizes) && used+r.sizes[n].nodes <= r.nodes {
		n++
	}
	return n
}

// likely returns the probability that a job which asks for the size least or a larger one asks for a size.
func (r *rigidJobs) likely(size, least int) float64 {
	if size < least {
		return 0
	}
	return r.sizes[size].share / r.atLeast[least]
}

// used returns the units that running jobs hold. Running jobs are counted by phase.
func (r *rigidJobs) used(jobs string) int {
	used := 0
	for j := range counts.Phases(jobs) {
		used += counts.At(jobs, j) * r.sizes[r.sizeOf[j]].nodes
	}
	return used
}

// work returns Σ p_k·n_k·E[S_k], the mean node-time of a job, in nodes of the machine.
func (r *rigidJobs) work() float64 {
	work := 0.0
	for _, z := range r.sizes {
		work += z.share * float64(z.nodes*r.unit) * z.service.Mean()
	}
	return work
}
