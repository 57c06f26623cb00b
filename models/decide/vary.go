package decide

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/stat/combin"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/phasetype"
)

// The errors of quantities that a system does not have and so cannot vary.
var (
	ErrNoOverhead    = errors.New("no repartition costs anything: there is no overhead to vary")
	ErrPhaseMap      = errors.New("the phase map belongs to the phases of the service times: they cannot be refitted")
	ErrTooManyPhases = errors.New("too many phases for the number of partitions")
)

// maxStableRate returns the arrival rate from which on neither dynamic nor any static partitioning is stable.
func maxStableRate(s *models.System) float64 {
	most := s.Capacity()
	for _, k := range s.Machine().Divisors() {
		most = max(most, float64(k)/(s.Service[k-1].Mean()+s.Setup[k].Mean()))
	}
	return most
}

// withOverhead returns the system with all repartition overheads multiplied by a factor, 0 for no cost. The error is
// [ErrNoOverhead] if there are none.
func withOverhead(s *models.System, factor float64) (*models.System, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if s.Free() {
		return nil, fmt.Errorf("models: %w", ErrNoOverhead)
	}
	return s.With(models.Changes{Shrink: models.Times(factor), Expand: models.Times(factor)})
}

// mostOccupancies bounds the states of a level that a refitted service time may lead to: blocks of the chain grow with
// the square of this number.
const mostOccupancies = 2000

// withServiceSCV returns the system with every B_i replaced by the distribution that two moments give,
// [phasetype.TwoMoments], of its mean and the squared coefficient of variation scv; the demand likewise. One scv for
// all i: remaining work then stays comparable when a job is resized. With several classes it is the demand of each that
// gets this scv, and B_i is made of them. The error is [ErrPhaseMap] if the system re-draws phases, and
// [ErrTooManyPhases] if scv is so small that the chain would not fit.
func withServiceSCV(s *models.System, scv float64) (*models.System, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if len(s.PhaseMap) > 0 {
		return nil, fmt.Errorf("models: %w", ErrPhaseMap)
	}
	refitted, err := s.With(models.Changes{Run: func(d phasetype.Dist) (phasetype.Dist, error) {
		return phasetype.TwoMoments(d.Mean(), scv)
	}})
	if err == nil && len(s.Classes) > 1 {
		refitted.Service, err = refitted.ServiceTimes()
	}
	if err != nil {
		return nil, fmt.Errorf("models: service times of scv %g: %w", scv, err)
	}
	if m := refitted.Service[0].Phases(); combin.GeneralizedBinomial(float64(s.Partitions()+m-1), float64(m-1)) > mostOccupancies {
		return nil, fmt.Errorf("models: service times of scv %g have %d phases, %d partitions: %w", scv, m,
			s.Partitions(), ErrTooManyPhases)
	}
	return refitted, nil
}
