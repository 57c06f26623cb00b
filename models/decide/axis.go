package models

import (
	"errors"
	"fmt"
	"math"

	"github.com/partwise/partwise/phasetype"
)

// Axis is a quantity of a system that a question varies while all else stays as it is.
type Axis struct {
	Name string
	Unit Unit
	// At returns the system with the quantity at x.
	At func(s *System, x float64) (*System, error)
	// Value returns what x means to people, given the measures of dynamic partitioning there; nil if that is x itself.
	Value func(x float64, m *Measures) float64
	// OnlyDynamic says that static partitioning does not depend on x.
	OnlyDynamic bool
	// Range is where to look if nobody says: from the first to the second; Geometric steps or equal ones.
	Range     [2]float64
	Geometric bool
	// Grows says that the end of the range is doubled while dynamic partitioning still pays there.
	Grows bool
	// Limit returns the x from which on no policy is stable; nil if stability does not depend on x.
	Limit func(s *System) float64
}

// The errors of an axis that a system does not have.
var (
	ErrNoOverhead    = errors.New("no repartition costs anything: there is no overhead to vary")
	ErrPhaseMap      = errors.New("the phase map belongs to the phases of the service times: they cannot be refitted")
	ErrTooManyPhases = errors.New("too many phases for the number of partitions")
)

// OverLoad varies the relative load Û = λ/(N·μ_N): the time of the arrival process is rescaled.
func OverLoad() Axis {
	return Axis{
		Name:  "load",
		At:    (*System).WithLoad,
		Range: [2]float64{0.01, 0.99},
		Limit: func(s *System) float64 { return s.maxStableRate() / s.Capacity() },
	}
}

// maxStableRate returns the arrival rate from which on no policy is stable.
func (s *System) maxStableRate() float64 {
	most := s.Capacity()
	for _, k := range s.Divisors() {
		mean := s.Service[k-1].Mean() + s.Setup[k].Mean()
		most = math.Max(most, float64(k)/mean)
	}
	return most
}

// OverOverhead multiplies all repartition overheads by a factor x ≥ 0. What it means to people is the mean overhead,
//
//	Σ_i (a_i·E[C_i shrink] + d_i·E[C_i expand]) / Σ_i (rates of those that cost something),
//
// each repartition weighted by the rate at which it is started at that x, see [Repartitions.MeanOverhead].
func OverOverhead() Axis {
	return Axis{
		Name: "overhead",
		Unit: Time,
		At:   (*System).WithOverhead,
		Value: func(_ float64, m *Measures) float64 {
			if m.Repartitions == nil {
				return 0
			}
			return m.Repartitions.MeanOverhead
		},
		OnlyDynamic: true,
		Range:       [2]float64{0, 2},
		Grows:       true,
	}
}

// WithOverhead returns the system with all repartition overheads multiplied by a factor, 0 for no cost. The error is
// [ErrNoOverhead] if there are none.
func (s *System) WithOverhead(factor float64) (*System, error) {
	if s.free() {
		return nil, fmt.Errorf("models: %w", ErrNoOverhead)
	}
	return s.withOverheads(factor, factor)
}

// free tells of a system whose repartitions cost nothing.
func (s *System) free() bool {
	for _, list := range [][]phasetype.Dist{s.Shrink, s.Expand} {
		for _, c := range list {
			if !c.IsZero() {
				return false
			}
		}
	}
	return true
}

func (s *System) withOverheads(shrink, expand float64) (*System, error) {
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

// OverSCV sets the squared coefficient of variation of all service times to x, their means staying what they are, see
// [System.WithServiceSCV].
func OverSCV() Axis {
	return Axis{
		Name:      "scv",
		At:        (*System).WithServiceSCV,
		Range:     [2]float64{0.5, 25},
		Geometric: true,
	}
}

// mostOccupancies bounds the states of a level that a refitted service time may lead to: blocks of the chain grow with
// the square of this number.
const mostOccupancies = 2000

// WithServiceSCV returns the system with every B_i replaced by the distribution that two moments give,
// [phasetype.TwoMoments], of its mean and the squared coefficient of variation scv; the demand likewise. One scv for
// all i: remaining work then stays comparable when a job is resized. The error is [ErrPhaseMap] if the system re-draws
// phases, and [ErrTooManyPhases] if scv is so small that the chain would not fit.
func (s *System) WithServiceSCV(scv float64) (*System, error) {
	if len(s.PhaseMap) > 0 {
		return nil, fmt.Errorf("models: %w", ErrPhaseMap)
	}
	refitted := *s
	refitted.Service = make([]phasetype.Dist, len(s.Service))
	for i, b := range s.Service {
		var err error
		if refitted.Service[i], err = phasetype.TwoMoments(b.Mean(), scv); err != nil {
			return nil, fmt.Errorf("models: service times of scv %g: %w", scv, err)
		}
	}
	if m := refitted.Service[0].Phases(); occupancies(s.Partitions(), m) > mostOccupancies {
		return nil, fmt.Errorf("models: service times of scv %g have %d phases, %d partitions: %w", scv, m,
			s.Partitions(), ErrTooManyPhases)
	}
	if s.Speedup != nil {
		var err error
		if refitted.Demand, err = phasetype.TwoMoments(s.Demand.Mean(), scv); err != nil {
			return nil, fmt.Errorf("models: demand of scv %g: %w", scv, err)
		}
	}
	return &refitted, nil
}

// occupancies returns C(n+m−1, m−1), the ways in which n jobs can be in m phases.
func occupancies(n, m int) float64 {
	ways := 1.0
	for i := 1; i < m; i++ {
		ways = ways * float64(n+i) / float64(i)
	}
	return math.Round(ways)
}

// grid returns n points of the range, both ends included.
func (a *Axis) grid(from, to float64, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		share := float64(i) / float64(n-1)
		if a.Geometric {
			xs[i] = from * math.Pow(to/from, share)
		} else {
			xs[i] = from + share*(to-from)
		}
	}
	xs[0], xs[n-1] = from, to
	return xs
}
