package multiserver

import (
	"context"
	"slices"

	"github.com/partwise/partwise/markov/internal/block"
)

// rarestPhase returns the least mean number of visits to a phase: of a service time with all servers busy, or of an
// interarrival time. For a mixture of exponentials it is the least probability of a phase. Arrivals of several classes
// have no distribution of interarrival times, and do not count. The error comes from ctx.
func (s *system) rarestPhase(ctx context.Context) (visits float64, err error) {
	top := s.c - 1
	if visits, err = leastVisits(ctx, s.alpha[top], s.t[top], s.exit[top]); err != nil || s.ar.Classes > 1 {
		return visits, err
	}
	arrivals, err := leastVisits(ctx, s.ar.A.Row(0), s.ar.D0, s.ar.PhaseRates)
	return min(visits, arrivals), err
}

// leastVisits returns the least mean number of visits to a phase of a phase-type time, until absorption. alpha holds
// the initial probabilities, t the rates between phases with a zero diagonal, and exit the rates of absorption. With
// the total rates out of the phases, visits are α·(diag(out) − T)⁻¹·diag(out). The arguments stay unchanged. The error
// comes from ctx, or is ErrReducible if some phase is never left.
func leastVisits(ctx context.Context, alpha []float64, t block.Matrix, exit []float64) (least float64, err error) {
	if t.IsZero() { // the time is a mixture of exponentials
		return slices.Min(alpha), nil
	}
	f, err := block.FactorGTH(ctx, t.Clone(), slices.Clone(exit))
	if err != nil {
		return 0, err
	}
	visits, out := slices.Clone(alpha), t.RowSums()
	f.SolveLeft(visits) // mean times in the phases
	for i, rate := range exit {
		visits[i] *= out[i] + rate
	}
	return slices.Min(visits), nil
}
