package reduction

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// Geometric computes sums Σ_k x·M^k = x·(I − M)⁻¹ for a nonnegative matrix M of spectral radius below one.
type Geometric interface {
	// SolveLeft overwrites x with the sum.
	SolveLeft(x []float64)
}

// factors holds M, the factors of I − M, and v = (I − M)⁻¹·1. With v the error of a sum is bounded.
type factors struct {
	ctx context.Context // for sums by doubling
	m   block.Matrix
	lu  block.LU
	v   []float64 // nil if the factors do not give v
}

// ByFactors factors I − M and keeps M. A sum that the factors do not give to the accuracy of rounding is computed by
// doubling.
func ByFactors(ctx context.Context, m block.Matrix) Geometric {
	f := factors{ctx, m, block.FactorIMinus(ctx, m), nil}
	v := block.Ones(m.Rows)
	f.lu.SolveVec(v)
	// The error of v is (I − M)⁻¹·left with left = 1 − (I − M)·v. As (I − M)⁻¹ is nonnegative, the relative error is at most max|left|.
	const known = 1e-3
	largest := 0.0
	for i, x := range v {
		largest = math.Max(largest, math.Abs(floats.Dot(m.Row(i), v)+(1-x))) // NaN stays
	}
	if largest <= known {
		f.v = v
	}
	return f
}

// SolveLeft overwrites x with x·(I − M)⁻¹, corrected once by its residual. Where entries of M are far apart, row
// exchanges leave errors of many roundings in the direction in which the sum is largest.
func (f factors) SolveLeft(x []float64) {
	room := block.NewRaw(2, len(x))
	defer room.Release()
	sum, left := room.Row(0), room.Row(1)
	copy(sum, x)
	f.lu.SolveLeft(sum)
	f.setLeft(left, x, sum)
	f.lu.SolveLeft(left)
	floats.Add(sum, left)
	f.setLeft(left, x, sum)
	if !f.known(sum, left) {
		f.double(x)
		return
	}
	copy(x, sum)
}

// setLeft overwrites left with the residual x − sum·(I − M).
func (f factors) setLeft(left, x, sum []float64) {
	floats.SubTo(left, x, sum)
	block.VecMulAdd(left, sum, f.m)
}

// known reports whether a sum with the residual left is accurate up to rounding of its terms. The error of the sum is
// left·(I − M)⁻¹, and its entries sum to left·v. So ‖error‖₁ ≤ |left|·v, which is compared with |sum|·v, the effect of
// rounding each entry of the sum. Each entry of left must also be a few roundings of the entry of the sum. Otherwise a
// small entry has no digits, and its row of M may be so large that the next level depends on it.
func (f factors) known(sum, left []float64) bool {
	if f.v == nil {
		return false
	}
	const few = 16 * block.UnitRoundoff // for products with columns of M
	off, most := 0.0, 0.0
	for i, l := range left {
		if !(math.Abs(l) <= few*sum[i]) {
			return false
		}
		off += math.Abs(l) * f.v[i]
		most += sum[i] * f.v[i]
	}
	return off <= few*most
}

// double overwrites x with the sum by doubling. It holds at most two powers of M at a time.
func (f factors) double(x []float64) {
	eachPower(f.ctx, f.m, func(power block.Matrix) { floats.Add(x, block.VecMul(x, power)) })
}

// eachPower calls f for M, M², M⁴, … until further powers would add less than a rounding error to each entry of a sum. If
// P² ≤ c·P for a power P, then P⁴ ≤ c²·P². So P⁴ and all powers beyond add less than a share c² to what P² and the powers
// from there have added. A norm of P would not tell this: small entries of a sum may come from powers of small norm.
func eachPower(ctx context.Context, m block.Matrix, f func(power block.Matrix)) {
	const doublings = 60
	last := false
	for k := 0; k < doublings && ctx.Err() == nil; k++ {
		f(m)
		if last {
			return
		}
		square := block.Mul(ctx, m, m)
		last = atMostTimes(square, math.Sqrt(EntryTol), m)
		m = square
	}
}

// atMostTimes reports whether each entry of p is at most c times the entry of m.
func atMostTimes(p block.Matrix, c float64, m block.Matrix) bool {
	for i, v := range p.Data {
		if v > c*m.Data[i] {
			return false
		}
	}
	return true
}

// doubling holds M, M², M⁴, …. The sum is x·(I + M)·(I + M²)·(I + M⁴)⋯, without a subtraction.
type doubling []block.Matrix

// byDoubling squares M until further powers would add less than a rounding error to each entry.
func byDoubling(ctx context.Context, m block.Matrix) Geometric {
	var d doubling
	eachPower(ctx, m, func(power block.Matrix) { d = append(d, power) })
	return d
}

func (d doubling) SolveLeft(x []float64) {
	for _, m := range d {
		floats.Add(x, block.VecMul(x, m))
	}
}
