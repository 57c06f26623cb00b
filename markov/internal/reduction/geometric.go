package reduction

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// Geometric sums Σ_k x·M^k = x·(I − M)⁻¹ for a nonnegative matrix M of spectral radius below one.
type Geometric interface {
	// SolveLeft overwrites x with the sum.
	SolveLeft(x []float64)
}

// ByFactors factors I − M.
func ByFactors(ctx context.Context, m block.Matrix) Geometric { return block.FactorIMinus(ctx, m) }

// doubling holds M, M², M⁴, …: x·(I + M)·(I + M²)·(I + M⁴)⋯ is the sum, without a subtraction.
type doubling []block.Matrix

// byDoubling squares M until what a further power adds is below a rounding error.
func byDoubling(ctx context.Context, m block.Matrix) Geometric {
	const doublings = 60
	d := doubling{m}
	for len(d) < doublings && ctx.Err() == nil {
		last := d[len(d)-1]
		if last.NormInf() <= EntryTol {
			break
		}
		d = append(d, block.Mul(ctx, last, last))
	}
	return d
}

func (d doubling) SolveLeft(x []float64) {
	for _, m := range d {
		floats.Add(x, block.VecMul(x, m))
	}
}
