package multiserver

import (
	"context"

	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// DecayRate returns the limit of P(level = i+1)/P(level = i) for large i, a number below 1. The limit depends only on
// levels c and above. It is the root of a scalar equation, and the queue is not solved. The error is a
// *[markov.BlockError] if the queue is invalid, a *[parallel.LimitError] if its matrices are too large, ErrUnstable, or
// the error of ctx.
func (q *Queue) DecayRate(ctx context.Context) (float64, error) {
	decay, err := q.decayRate(ctx)
	return statespace.Finished(ctx, decay, err)
}

// decayRate returns the decay rate of the level, the result of [Queue.DecayRate], with the same errors but without
// their prefix. If ctx ends after the checks, the number is meaningless without an error, and [Queue.DecayRate] drops
// it.
func (q *Queue) decayRate(ctx context.Context) (float64, error) {
	s, _, err := q.checkStable(ctx, nil)
	if err != nil {
		return 0, err
	}
	return s.decay(ctx), nil
}

// decay returns the decay rate of the level: the larger of two rates, without a unit. The first is the caudal
// characteristic of the MAP/PH/c queue. The second is the decay rate of the number of arrivals during a switch-over at
// level c. If the switch-over ends at rate θ in the long run, the second rate is the spectral radius of D1·(θI − D0)⁻¹.
// It is the z for which θ is the Perron eigenvalue of D0 + D1/z. The queue must be stable. The station stores the first
// rate. The number is meaningless if ctx ends.
//
// Reference: M. F. Neuts, Y. Takahashi, Asymptotic behavior of the stationary distributions in the GI/PH/c queue with
// heterogeneous servers, Z. Wahrscheinlichkeitstheorie verw. Gebiete 57 (1981) 441–452.
func (s *system) decay(ctx context.Context) float64 {
	eta := s.station.QueueDecay(ctx)
	if g := s.up[s.c]; g.Phases > 0 {
		eta = max(eta, s.station.SwitchOverDecay(ctx, g.Slowest))
	}
	return eta
}
