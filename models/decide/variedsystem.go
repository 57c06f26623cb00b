package decide

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/combin"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// The errors of parameters that a system does not have or that cannot be varied.
var (
	ErrNoOverhead    = errors.New("no repartition costs anything: there is no overhead to vary")
	ErrPhaseMap      = errors.New("the phase map belongs to the phases of the service times: they cannot be refitted")
	ErrTooManyPhases = errors.New("too many phases for the number of partitions")
	ErrNoSerialShare = errors.New("jobs have no serial share: their speedup is not Amdahl's")
)

// maxStableRate returns the supremum of the arrival rates at which dynamic partitioning or some static partitioning is
// stable. With K static partitions, the limit is K/(E[B_K] + E[set-up]); dynamic partitioning has the capacity N·μ_N.
func maxStableRate(s *models.System) float64 {
	most := s.Capacity()
	for _, k := range s.Machine().Divisors() {
		most = max(most, float64(k)/(s.Service[k-1].Mean()+s.Setup[k].Mean()))
	}
	return most
}

// withOverhead returns the system with all repartition overheads multiplied by factor ≥ 0. The error wraps
// [ErrNoOverhead] if the system has no overheads.
func withOverhead(s *models.System, factor float64) (*models.System, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if s.Free() {
		return nil, fmt.Errorf("models: %w", ErrNoOverhead)
	}
	return s.With(models.Changes{Shrink: models.Times(factor), Expand: models.Times(factor)})
}

// mostOccupancies bounds the number of occupancies of a level in [withServiceSCV]: the ways to distribute N jobs over the
// phases of the service time. The size of the blocks of the chain grows with the square of this number.
const mostOccupancies = 2000

// withServiceSCV returns the system with every service time B_i replaced by the distribution of [phasetype.TwoMoments]
// with the mean of B_i and the given scv. The demand is replaced likewise. One scv for all i keeps the remaining work
// comparable when a job is resized. With several classes, the demand of each class gets the scv, and the B_i are made of
// the demands anew, see [models.System.ServiceTimes].
//
// The error wraps [ErrPhaseMap] if repartitions re-draw the phases of jobs. It wraps [ErrTooManyPhases] if the scv is so
// small that the chain would have more than mostOccupancies occupancies in a level.
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

// withSerialShare returns the system in which all jobs have the speedup of Amdahl's law with the given serial share, at
// the same relative load. The error wraps [ErrNoSerialShare] if any jobs have a speedup of another form, or if service
// times were measured.
func withSerialShare(s *models.System, serial float64) (*models.System, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if !(serial >= 0 && serial <= 1) {
		return nil, fmt.Errorf("models: serial share %g is not between 0 and 1", serial)
	}
	amdahl := workload.Amdahl{Serial: serial}
	changed := *s
	changed.Classes = slices.Clone(s.Classes)
	for k := range changed.Classes {
		if !hasSerialShare(s.Classes[k].Speedup) {
			return nil, fmt.Errorf("models: class %s: %w", s.Classes[k].Name, ErrNoSerialShare)
		}
		changed.Classes[k].Speedup = amdahl
	}
	if len(s.Classes) == 0 {
		if !hasSerialShare(s.Speedup) {
			return nil, fmt.Errorf("models: %w", ErrNoSerialShare)
		}
		changed.Speedup = amdahl
	}
	var err error
	if changed.Service, err = changed.ServiceTimes(); err != nil {
		return nil, err
	}
	return changed.WithLoad(s.Load())
}

// hasSerialShare reports whether a speedup follows Amdahl's law. Linear speedup does, without a serial share.
func hasSerialShare(s workload.Speedup) bool {
	switch s.(type) {
	case workload.Amdahl, workload.Linear:
		return true
	}
	return false
}

// OverheadRange returns the smallest and the largest mean time of a repartition, in the time unit of the system.
// Arrivals and departures begin repartitions. Both means are 0 if repartitions cost nothing, or if the system has no
// partition.
func OverheadRange(s *models.System) (least, most float64) {
	if s == nil || s.Partitions() < 1 {
		return 0, 0
	}
	least = math.Inf(1)
	see := func(d phasetype.Dist) { least, most = min(least, d.Mean()), max(most, d.Mean()) }
	for i := 1; i <= s.Partitions(); i++ {
		see(s.ShrinkTo(i))
		if i < s.Partitions() {
			see(s.ExpandTo(i))
		}
	}
	return least, most
}
