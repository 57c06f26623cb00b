package statespace

import (
	"context"
	"math"
	"slices"

	"github.com/partwise/partwise/markov/internal/block"
)

// MeanTime returns the mean of a phase-type time, in the unit of time of its rates. alpha holds its initial
// probabilities, t the rates between phases with a zero diagonal, and exit the rates of absorption. If alpha sums to
// less than 1, the difference is the probability of the time 0. The arguments stay unchanged. With an error the result
// is 0. The error is ErrReducible if absorption cannot be reached from some phase, or comes from ctx.
func MeanTime(ctx context.Context, alpha []float64, t block.Matrix, exit []float64) (float64, error) {
	if t.IsZero() && slices.Min(exit) > 0 { // the time is a mixture of exponentials
		mean := 0.0
		for i, a := range alpha {
			mean += a / exit[i]
		}
		return mean, ctx.Err()
	}
	f, err := block.FactorGTH(ctx, t.Clone(), slices.Clone(exit))
	if err != nil {
		return 0, err
	}
	x := block.Ones(len(alpha))
	f.SolveVec(x)
	mean := 0.0
	for i, a := range alpha {
		mean += a * x[i]
	}
	return mean, nil
}

// LeastVisits returns the least mean number of visits to a phase of a phase-type time, until absorption. alpha holds
// the initial probabilities, t the rates between phases with a zero diagonal, and exit the rates of absorption. With
// the total rates out of the phases, visits are α·(diag(out) − T)⁻¹·diag(out). The arguments stay unchanged. Error
// bounds of modes take more care where a phase is rarely visited. If no phase leads to another, visits are α, and
// nothing is checked. Otherwise the error comes from ctx, or is ErrReducible if absorption cannot be reached from some
// phase.
func LeastVisits(ctx context.Context, alpha []float64, t block.Matrix, exit []float64) (least float64, err error) {
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

// LeastRate returns the rate at which a phase-type time ends in the long run: the smallest eigenvalue of −T, T being
// the subgenerator. It is 0 if the time never ends from some phase. rates holds the entries of T off the diagonal, with
// a zero diagonal, and exit the rates of absorption, minus the row sums of T. There must be at least one phase. The
// arguments stay unchanged. If ctx ends, the number is meaningless. The decay rate of the level depends on it for a
// switch-over.
func LeastRate(ctx context.Context, rates block.Matrix, exit []float64) float64 {
	if AcyclicInOrder(rates) { // the eigenvalues are on the diagonal
		least := math.Inf(1)
		for i := range rates.Rows {
			least = min(least, exit[i]+block.Sum(rates.Row(i)))
		}
		return least
	}
	return block.LeastEigenvalue(ctx, rates.Clone(), slices.Clone(exit))
}
