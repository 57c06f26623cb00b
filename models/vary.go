package models

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/phasetype"
)

// The errors of quantities that a system does not have and so cannot vary.
var (
	ErrNoOverhead    = errors.New("no repartition costs anything: there is no overhead to vary")
	ErrPhaseMap      = errors.New("the phase map belongs to the phases of the service times: they cannot be refitted")
	ErrTooManyPhases = errors.New("too many phases for the number of partitions")
)

// MaxStableRate returns the arrival rate from which on neither dynamic nor any static partitioning is stable; NaN for a
// system that is wrong.
func (s *System) MaxStableRate() float64 {
	most := s.Capacity()
	if math.IsNaN(most) {
		return most
	}
	for _, k := range s.Machine().Divisors() {
		mean := s.Service[k-1].Mean() + s.Setup[k].Mean()
		most = math.Max(most, float64(k)/mean)
	}
	return most
}

// WithOverhead returns the system with all repartition overheads multiplied by a factor, 0 for no cost. The error is
// [ErrNoOverhead] if there are none.
func (s *System) WithOverhead(factor float64) (*System, error) {
	if s == nil {
		return nil, wrong("", "there is none")
	}
	if s.Free() {
		return nil, fmt.Errorf("models: %w", ErrNoOverhead)
	}
	return s.WithOverheads(factor, factor)
}

// Free reports whether repartitions cost nothing.
func (s *System) Free() bool { return allZero(s.Shrink) && allZero(s.Expand) }

func allZero(list []phasetype.Dist) bool {
	return !slices.ContainsFunc(list, func(d phasetype.Dist) bool { return !d.IsZero() })
}

// WithOverheads returns the system with the overheads after arrivals and those after departures multiplied by factors.
func (s *System) WithOverheads(shrink, expand float64) (*System, error) {
	if s == nil {
		return nil, wrong("", "there is none")
	}
	scaled := *s
	var err error
	if scaled.Shrink, err = scaleAll(s.Shrink, shrink); err != nil {
		return nil, fmt.Errorf("models: overhead of shrinking times %g: %w", shrink, err)
	}
	if scaled.Expand, err = scaleAll(s.Expand, expand); err != nil {
		return nil, fmt.Errorf("models: overhead of expanding times %g: %w", expand, err)
	}
	return &scaled, nil
}

// scaleAll multiplies distributions by a factor; 0 makes them all zero.
func scaleAll(list []phasetype.Dist, by float64) ([]phasetype.Dist, error) {
	scaled := make([]phasetype.Dist, len(list))
	if by == 0 {
		return scaled, nil
	}
	for i, d := range list {
		var err error
		if scaled[i], err = d.Scale(by); err != nil {
			return nil, err
		}
	}
	return scaled, nil
}

// WithServiceTimes returns the system with all service times, and the demand that they were made from, multiplied by a
// positive factor.
func (s *System) WithServiceTimes(factor float64) (*System, error) {
	if err := s.checkStatic(); err != nil {
		return nil, err
	}
	if !(factor > 0) {
		return nil, fmt.Errorf("models: service times times %g: the factor is not positive", factor)
	}
	scaled := *s
	var err error
	if scaled.Service, err = scaleAll(s.Service, factor); err == nil && s.Speedup != nil {
		scaled.Demand, err = s.Demand.Scale(factor)
	}
	if err == nil {
		err = scaled.setDemands(func(d phasetype.Dist) (phasetype.Dist, error) { return d.Scale(factor) })
	}
	if err != nil {
		return nil, fmt.Errorf("models: service times times %g: %w", factor, err)
	}
	return &scaled, nil
}

// setDemands gives each class the demand that change makes of its own.
func (s *System) setDemands(change func(phasetype.Dist) (phasetype.Dist, error)) (err error) {
	s.Classes = slices.Clone(s.Classes)
	for k := range s.Classes {
		if s.Classes[k].Demand, err = change(s.Classes[k].Demand); err != nil {
			return err
		}
	}
	return nil
}

// WithSetups returns the system with all set-ups of static partitioning multiplied by a factor, 0 for none.
func (s *System) WithSetups(factor float64) (*System, error) {
	if s == nil {
		return nil, wrong("", "there is none")
	}
	scaled := *s
	scaled.Setup = make(map[int]phasetype.Dist, len(s.Setup))
	for k, d := range s.Setup {
		one, err := scaleAll([]phasetype.Dist{d}, factor)
		if err != nil {
			return nil, fmt.Errorf("models: set-up times %g: %w", factor, err)
		}
		scaled.Setup[k] = one[0]
	}
	return &scaled, nil
}

// mostOccupancies bounds the states of a level that a refitted service time may lead to: blocks of the chain grow with
// the square of this number.
const mostOccupancies = 2000

// WithServiceSCV returns the system with every B_i replaced by the distribution that two moments give,
// [phasetype.TwoMoments], of its mean and the squared coefficient of variation scv; the demand likewise. One scv for
// all i: remaining work then stays comparable when a job is resized. With several classes it is the demand of each that gets
// this scv, and B_i is made of them. The error is [ErrPhaseMap] if the system re-draws
// phases, and [ErrTooManyPhases] if scv is so small that the chain would not fit.
func (s *System) WithServiceSCV(scv float64) (*System, error) {
	if err := s.checkStatic(); err != nil {
		return nil, err
	}
	if len(s.PhaseMap) > 0 {
		return nil, fmt.Errorf("models: %w", ErrPhaseMap)
	}
	refitted := *s
	if err := refitted.refit(scv); err != nil {
		return nil, fmt.Errorf("models: service times of scv %g: %w", scv, err)
	}
	if m := refitted.Service[0].Phases(); occupancies(s.Partitions(), m) > mostOccupancies {
		return nil, fmt.Errorf("models: service times of scv %g have %d phases, %d partitions: %w", scv, m,
			s.Partitions(), ErrTooManyPhases)
	}
	return &refitted, nil
}

// refit replaces service times, and the demands that they are made from, by those that two moments give.
func (s *System) refit(scv float64) (err error) {
	moments := func(d phasetype.Dist) (phasetype.Dist, error) { return phasetype.TwoMoments(d.Mean(), scv) }
	if err = s.setDemands(moments); err != nil {
		return err
	}
	if len(s.Classes) > 1 {
		s.Service, err = ServiceTimesOfClasses(s.Machine(), s.Classes)
		return err
	}
	s.Service = slices.Clone(s.Service)
	for i, b := range s.Service {
		if s.Service[i], err = moments(b); err != nil {
			return err
		}
	}
	if s.Speedup != nil {
		s.Demand, err = moments(s.Demand)
	}
	return err
}

// occupancies returns C(n+m−1, m−1), the ways in which n jobs can be in m phases.
func occupancies(n, m int) float64 {
	ways := 1.0
	for i := 1; i < m; i++ {
		ways = ways * float64(n+i) / float64(i)
	}
	return math.Round(ways)
}
