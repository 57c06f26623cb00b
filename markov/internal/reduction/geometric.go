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

// factors holds M and the factors of I − M.
type factors struct {
	m  block.Matrix
	lu block.LU
}

// ByFactors factors I − M; it keeps M.
func ByFactors(ctx context.Context, m block.Matrix) Geometric {
	return factors{m, block.FactorIMinus(ctx, m)}
}

// SolveLeft corrects the sum once by what it leaves of x. Where elements of M are far apart, row exchanges leave errors of many
// roundings in the direction in which the sum is largest.
func (f factors) SolveLeft(x []float64) {
	left := append([]float64(nil), x...)
	f.lu.SolveLeft(x)
	floats.Sub(left, x)
	block.VecMulAdd(left, x, f.m)
	f.lu.SolveLeft(left)
	floats.Add(x, left)
}

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
