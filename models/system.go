package models

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// System is a parallel machine with its workload. Chains and the simulator are built from it, and share nothing else.
// Times are in one unit, and rates are in its reciprocal. Functions that compute something from a System check it and
// return a *[SystemError] if it is not valid; [System.Check] does only that. A System is not changed after it is made.
type System struct {
	Nodes    int // P, the nodes of the machine
	MinNodes int // M, the nodes of the smallest partition; divides P
	Arrivals phasetype.MAP

	// Service[i-1] is B_i, the run time of a job while i jobs share the machine, i = 1..N with N = P/M. All have the same
	// number of phases.
	Service []phasetype.Dist
	// Service is made from Demand and Speedup: B_i = Demand/S(P/i). Speedup is nil if Service was measured.
	Demand  phasetype.Dist
	Speedup workload.Speedup
	// JobNodes is the number of nodes that every job asks for if jobs are rigid, a multiple of M; 0 if that is not known. Its run time
	// is then Demand/S(JobNodes). Classes have Nodes of their own.
	JobNodes int
	// Classes, if there are any, replace Demand and Speedup; see [System.ServiceTimes].
	Classes []Class
	// PhaseMap holds, by the change i→j of the number of running jobs, the stochastic matrix by which running jobs draw new
	// phases. If a change is missing, jobs keep their phases.
	PhaseMap map[Change]*mat.Dense

	// Shrink[i-1] is C_i after an arrival that brings the number of jobs to i, i = 1..N. Expand[i-1] is C_i after a departure
	// that leaves i jobs, i = 1..N-1. A distribution that is zero or missing costs nothing.
	Shrink, Expand []phasetype.Dist
	// Stops tells which jobs stand still during a repartition; empty means all. With ResizedStop partitions have whole nodes.
	Stops Stops

	// Setup[K] is the set-up of a job under static partitioning into K partitions. If it is missing, there is no set-up.
	Setup map[int]phasetype.Dist
}

// Change is a change of the number of running jobs.
type Change struct{ From, To int }

// orEmpty returns the system, or a system without nodes if it is nil. Methods without an error take nil for such a system.
func (s *System) orEmpty() *System {
	if s == nil {
		return &System{}
	}
	return s
}

// Machine returns the size of the machine.
func (s *System) Machine() policy.Machine {
	s = s.orEmpty()
	return policy.Machine{Nodes: s.Nodes, Unit: s.MinNodes}
}

// Partitions returns N = P/M, the largest number of partitions.
func (s *System) Partitions() int { return s.Machine().Partitions() }

// Capacity returns N/E[B_N], the rate of departures of N running jobs. It is NaN if there is no B_N.
func (s *System) Capacity() float64 {
	n := s.Partitions()
	if n < 1 || n > len(s.Service) {
		return math.NaN()
	}
	return float64(n) / s.Service[n-1].Mean()
}

// Load returns the relative load Û = λ/capacity. It is NaN if the capacity is.
func (s *System) Load() float64 {
	capacity := s.Capacity()
	if math.IsNaN(capacity) {
		return capacity
	}
	return s.Arrivals.Rate() / capacity
}

// WithArrivalRate returns the system with the time of its arrival process rescaled so that jobs arrive at rate lambda. The error is a
// *[RescalingError] if lambda is too low or too high.
func (s *System) WithArrivalRate(lambda float64) (*System, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if !(lambda > 0) {
		return nil, fmt.Errorf("models: arrival rate %g is not positive", lambda)
	}
	if err := s.checkRescaling("arrival rate", lambda, 1); err != nil {
		return nil, err
	}
	arrivals, err := s.Arrivals.Speedup(lambda / s.Arrivals.Rate())
	if err != nil {
		return nil, fmt.Errorf("models: arrival rate %g: %w", lambda, err)
	}
	scaled := *s
	scaled.Arrivals = arrivals
	return &scaled, nil
}

// WithLoad returns the system with its arrivals rescaled to the relative load u. The error is a *[RescalingError] if u is too low
// or too high.
func (s *System) WithLoad(u float64) (*System, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if !(u > 0) {
		return nil, fmt.Errorf("models: load %g is not positive", u)
	}
	if err := s.checkRescaling("load", u, s.Capacity()); err != nil {
		return nil, err
	}
	return s.WithArrivalRate(u * s.Capacity())
}

// checkRescaling returns a *[RescalingError] if rates would be out of range when jobs arrive at the given value of a quantity
// times unit.
func (s *System) checkRescaling(quantity string, value, unit float64) error {
	least, most := s.Arrivals.SpeedupRange()
	now := s.Arrivals.Rate() / unit
	if value >= least*now && value <= most*now {
		return nil
	}
	return &RescalingError{Quantity: quantity, Value: value, Least: least * now, Most: most * now}
}

// ShrinkTo returns C_i of a repartition that an arrival begins. It is zero if the repartition costs nothing.
func (s *System) ShrinkTo(i int) phasetype.Dist { return at(s.orEmpty().Shrink, i) }

// ExpandTo returns C_i of a repartition that a departure begins. It is zero if the repartition costs nothing.
func (s *System) ExpandTo(i int) phasetype.Dist { return at(s.orEmpty().Expand, i) }

func at(list []phasetype.Dist, i int) phasetype.Dist {
	if i < 1 || i > len(list) {
		return phasetype.Dist{}
	}
	return list[i-1]
}
