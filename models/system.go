package models

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// System is a parallel machine with its workload: everything the chains and the simulator are built from, and the
// only thing they share. Times are in one unit, rates are its reciprocal. Whoever makes a System may ask Check what is
// wrong with it; what computes something from one returns that error, an *[SystemError], by itself. A System is not
// changed after it was made.
type System struct {
	Nodes    int // P
	MinNodes int // M, divides P
	Arrivals phasetype.MAP

	// Service[i-1] is B_i, the run time of a job while i jobs share the machine, i = 1..N; one order for all.
	Service []phasetype.Dist
	// Demand and Speedup are what Service was made from: B_i = Demand / S(P/i). Speedup is nil if Service was measured.
	Demand  phasetype.Dist
	Speedup workload.Speedup
	// Classes, if there are any, are what Service was made from in place of Demand and Speedup; see [System.ServiceTimes].
	Classes []Class
	// PhaseMap holds Φ by the change i→j of the number of running jobs; a change that is missing keeps the phases.
	PhaseMap map[Change]*mat.Dense

	// Shrink[i-1] is C_i after an arrival that makes i jobs run, i = 1..N; Expand[i-1] is C_i after a departure that
	// leaves i, i = 1..N-1. A zero distribution, or one that is missing, costs nothing.
	Shrink, Expand []phasetype.Dist
	// Stops says which jobs stand still during a repartition, all if empty. With ResizedStop partitions are of whole nodes.
	Stops Stops

	// Setup[K] is the set-up of a job under static partitioning into K partitions; a K that is missing has none.
	Setup map[int]phasetype.Dist
}

// Change is a change of the number of running jobs.
type Change struct{ From, To int }

// Machine returns the size of the machine.
func (s *System) Machine() policy.Machine { return policy.Machine{Nodes: s.Nodes, Unit: s.MinNodes} }

// Partitions returns N = P/M, the largest number of partitions.
func (s *System) Partitions() int { return s.Machine().Partitions() }

// Capacity returns N/E[B_N], the rate at which N running jobs are finished; NaN if there is no B_N.
func (s *System) Capacity() float64 {
	n := s.Partitions()
	if n < 1 || n > len(s.Service) {
		return math.NaN()
	}
	return float64(n) / s.Service[n-1].Mean()
}

// Load returns the relative load Û = λ/capacity.
func (s *System) Load() float64 { return s.Arrivals.Rate() / s.Capacity() }

// WithArrivalRate returns the system with the time of its arrival process rescaled so that they come at rate lambda.
func (s *System) WithArrivalRate(lambda float64) (*System, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if !(lambda > 0) {
		return nil, fmt.Errorf("models: arrival rate %g is not positive", lambda)
	}
	arrivals, err := s.Arrivals.Speedup(lambda / s.Arrivals.Rate())
	if err != nil {
		return nil, fmt.Errorf("models: arrival rate %g: %w", lambda, err)
	}
	scaled := *s
	scaled.Arrivals = arrivals
	return &scaled, nil
}

// WithLoad returns the system with its arrivals rescaled to the relative load u.
func (s *System) WithLoad(u float64) (*System, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if !(u > 0) {
		return nil, fmt.Errorf("models: load %g is not positive", u)
	}
	return s.WithArrivalRate(u * s.Capacity())
}

// ShrinkTo returns C_i of a repartition begun by an arrival, zero if it costs nothing.
func (s *System) ShrinkTo(i int) phasetype.Dist { return at(s.Shrink, i) }

// ExpandTo returns C_i of a repartition begun by a departure, zero if it costs nothing.
func (s *System) ExpandTo(i int) phasetype.Dist { return at(s.Expand, i) }

func at(list []phasetype.Dist, i int) phasetype.Dist {
	if i < 1 || i > len(list) {
		return phasetype.Dist{}
	}
	return list[i-1]
}
