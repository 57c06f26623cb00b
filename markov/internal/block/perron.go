package block

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// eigenvaluesTo is the order up to which all eigenvalues are computed: that takes 25·n³ operations, a hundredth of a
// second, which nothing stops.
const eigenvaluesTo = 60

// Perron returns the eigenvalue with the largest real part of a matrix with nonnegative off-diagonal; not a number if ctx
// ends.
func Perron(ctx context.Context, m Matrix) float64 {
	switch n := m.Rows; {
	case n == 0:
		return math.NaN()
	case n == 1:
		return m.At(0, 0)
	case n == 2:
		half := (m.At(0, 0) - m.At(1, 1)) / 2
		return (m.At(0, 0)+m.At(1, 1))/2 + math.Hypot(half, math.Sqrt(m.At(0, 1)*m.At(1, 0)))
	case n > eigenvaluesTo:
		return perronByPowers(ctx, m)
	}
	var e mat.Eigen
	if !e.Factorize(m.Dense(), mat.EigenNone) {
		return math.NaN()
	}
	largest := math.Inf(-1)
	for _, v := range e.Values(nil) {
		largest = max(largest, real(v))
	}
	return largest
}

// perronByPowers squares m + σ·I, which is nonnegative and aperiodic, until its powers are of rank one: then x = 1·(m +
// σ·I)^(2^k) is the left eigenvector, and what is wanted the ratio of the sums of x·m and x. Nothing cancels where m is
// nonnegative. The error squares with every step where the eigenvalue is apart from the others, and halves otherwise.
func perronByPowers(ctx context.Context, m Matrix) float64 {
	const steps, tol = 60, 1e-14
	shift := m.NormInf() / 2
	for i := range m.Rows {
		shift = max(shift, -m.At(i, i))
	}
	if shift == 0 {
		return 0
	}
	power, next := m.Clone(), New(m.Rows, m.Cols)
	for i := range m.Rows {
		power.Row(i)[i] += shift
	}
	last, value, calm := math.Inf(1), 0.0, 0
	for range steps {
		x := make([]float64, m.Cols)
		for i := range power.Rows {
			floats.Add(x, power.Row(i))
		}
		value = floats.Sum(VecMul(x, m)) / floats.Sum(x)
		if math.Abs(value-last) <= tol*max(math.Abs(value), math.Abs(shift)*tol) {
			if calm++; calm == 2 { // one more step, of which the error is the square
				break
			}
		}
		last = value
		clear(next.Data)
		MulAdd(ctx, next, power, power)
		if ctx.Err() != nil {
			return math.NaN()
		}
		floats.Scale(1/next.NormInf(), next.Data)
		power, next = next, power
	}
	return value
}

// PerronLeft returns the left eigenvector of the eigenvalue with the largest real part of a matrix with nonnegative
// off-diagonal, any two states of which lead to each other, by Noda's iteration on the transpose: (σI − mᵀ)·y = x with σ =
// max_i (mᵀx)_i/x_i is solved as an M-matrix, so that nothing cancels, and the error squares. Entries are not numbers if
// ctx ends.
//
// Reference: T. Noda, Note on the computation of the maximal eigenvalue of a non-negative irreducible matrix, Numer. Math.
// 17 (1971) 382–386.
func PerronLeft(ctx context.Context, m Matrix) []float64 {
	n := m.Rows
	x := Ones(n)
	const steps, tol = 100, 4 * UnitRoundoff
	for range steps {
		p, ratio := New(n, n), make([]float64, n) // diag(x)⁻¹·mᵀ·diag(x), and its row sums
		for i := range n {
			for j := range n {
				v := m.At(j, i) * x[j] / x[i]
				ratio[i] += v
				if j != i {
					p.Row(i)[j] = v
				}
			}
		}
		sigma := floats.Max(ratio)
		spread := sigma - floats.Min(ratio)
		if !(spread > tol*m.NormInf()) {
			return x
		}
		for i, v := range ratio {
			ratio[i] = sigma - v
		}
		f, err := FactorGTH(ctx, p, ratio)
		if err != nil {
			break
		}
		y := Ones(n)
		f.SolveVec(y)
		floats.Mul(x, y)
		floats.Scale(1/floats.Max(x), x)
	}
	if ctx.Err() != nil {
		x[0] = math.NaN()
	}
	return x
}
