package spectrum

import (
	"context"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// Station is the queue while all of its c servers are busy: arrivals, and service that does not depend on the level.
// Its methods find the roots, the eigenvectors and the decay rate. They store results in the Station, so it is not safe
// for concurrent use.
type Station struct {
	ar          transforms
	c, m        int                    // servers, and phases of service
	alpha       []float64              // initial probabilities of service
	t           block.Matrix           // rates between phases of service, m×m, zero diagonal
	exit        []float64              // rates at which service ends, by phase
	Index       *statespace.StateIndex // numbers the occupancies; must be set before [Station.Modes]
	caudal      [3]float64             // results of Caudal: s, η and 1 − η; zeros before
	intensity   float64                // result of Intensity; 0 before
	gapEstimate float64                // estimate of 1 − η, see [Station.EstimateDecay]; 0 without one
	family      serviceFamily          // result of [Station.service], nil if no family fits; set once familyKnown is true
	familyKnown bool
}

// NewStation returns the station with c servers, each with m phases of service. alpha, t and exit are the initial
// probabilities, the rates between phases (m×m, zero diagonal) and the rates of absorption of the service time. The
// station refers to them and does not change them. The caller sets Index before it calls [Station.Modes].
func NewStation(ar *statespace.Arrivals, c int, alpha []float64, t block.Matrix, exit []float64) *Station {
	return &Station{ar: transforms{ar}, c: c, m: len(alpha), alpha: alpha, t: t, exit: exit}
}

// transforms evaluates the Laplace transforms of the times between arrivals.
type transforms struct{ *statespace.Arrivals }

// Intensity returns the traffic intensity λ·E[B]/c, below 1 for a stable queue. λ is the arrival rate, and E[B] the
// mean service time. Without an error the station stores the result. The error comes from ctx, or is ErrReducible if
// service never ends from some phase.
func (s *Station) Intensity(ctx context.Context) (float64, error) {
	if s.intensity > 0 {
		return s.intensity, nil
	}
	mean, err := statespace.MeanTime(ctx, s.alpha, s.t, s.exit)
	if err != nil {
		return 0, err
	}
	s.intensity = s.ar.Rate * mean / float64(s.c)
	return s.intensity, nil
}

// RarestPhase returns the least mean number of visits to a phase during a service time or an interarrival time. For a
// mixture of exponentials it is the least probability of a phase. Arrivals of several classes have no distribution of
// interarrival times: the least stationary probability of their phases counts instead. Error bounds of modes take more
// care where a phase is rare. The error comes from [statespace.LeastVisits].
func (s *Station) RarestPhase(ctx context.Context) (visits float64, err error) {
	if visits, err = statespace.LeastVisits(ctx, s.alpha, s.t, s.exit); err != nil || s.ar.Classes > 1 {
		return min(visits, s.ar.LeastProbability()), err
	}
	arrivals, err := statespace.LeastVisits(ctx, s.ar.A.Row(0), s.ar.D0, s.ar.PhaseRates)
	return min(visits, arrivals), err
}
