package block

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Perron returns the spectral radius of a nonnegative matrix, its largest eigenvalue. Nothing is subtracted, so the
// result has the digits of the entries, whatever their sizes. It is NaN if ctx ends, or for a matrix of order 0.
//
// Reference: L. Elsner, I. Koltracht, M. Neumann, D. Xiao, On accurate computations of the Perron root, SIAM J. Matrix
// Anal. Appl. 14 (1993) 456–467, for its sensitivity to relative changes of the entries.
func Perron(ctx context.Context, m Matrix) float64 {
	switch m.Rows {
	case 0:
		return math.NaN()
	case 1:
		return m.At(0, 0)
	case 2:
		half := (m.At(0, 0) - m.At(1, 1)) / 2
		return (m.At(0, 0)+m.At(1, 1))/2 + math.Hypot(half, math.Sqrt(m.At(0, 1))*math.Sqrt(m.At(1, 0)))
	}
	return perronByPowers(ctx, m)
}

// PerronVector returns the right Perron vector y > 0 of a nonnegative matrix, m·y = ρ·y with ρ the spectral radius. Its
// largest entry is one. Nothing is subtracted, so all entries have digits, whatever their sizes. m + σ·I is squared until
// the vector P·1 of its powers P has settled. The iteration takes more steps than that of [Perron], whose error is the
// square of the error of the vector. The result is incomplete if ctx ends.
func PerronVector(ctx context.Context, m Matrix) []float64 {
	const steps, roundings = 60, 4
	y := Ones(m.Rows)
	shift := shiftBelow(m)
	if shift == 0 {
		return y
	}
	power := m.Clone()
	for i := range m.Rows {
		power.Row(i)[i] += shift
	}
	floats.Scale(1/power.NormInf(), power.Data)
	next := New(m.Rows, m.Cols)
	tolerance := roundings * UnitRoundoff * math.Sqrt(float64(m.Rows))
	for step, settled := 0, 0; step < steps && settled < 2; step++ {
		change := 0.0
		sums := power.RowSums()
		floats.Scale(1/floats.Max(sums), sums)
		for i, v := range sums {
			change = max(change, math.Abs(v-y[i])/v)
		}
		y = sums
		if settled++; !(change <= tolerance) {
			settled = 0
		}
		clear(next.Data)
		MulAdd(ctx, next, power, power)
		if ctx.Err() != nil {
			return y
		}
		floats.Scale(1/next.NormInf(), next.Data)
		power, next = next, power
	}
	return y
}

// perronByPowers squares m + σ·I, which is aperiodic, until its powers P have rank one. Then the column sums x = 1·P and
// the row sums y = P·1 are left and right eigenvectors. The eigenvalue is x·m·y/(x·y). Its error is the product of the
// errors of x and y. The error squares with every step if the eigenvalue is apart from the others, and halves otherwise.
// The iteration ends when two values in all have differed from the one before by rounding only.
func perronByPowers(ctx context.Context, m Matrix) float64 {
	const steps, roundings = 60, 4
	shift := shiftBelow(m)
	if shift == 0 {
		return 0
	}
	power, next := m.Clone(), New(m.Rows, m.Cols)
	for i := range m.Rows {
		power.Row(i)[i] += shift
	}
	floats.Scale(1/power.NormInf(), power.Data)
	value, last, settled := 0.0, math.Inf(1), 0
	tolerance := roundings * UnitRoundoff * math.Sqrt(float64(m.Rows))
	x, y := make([]float64, m.Cols), make([]float64, m.Rows)
	for range steps {
		clear(x)
		for i := range power.Rows {
			floats.Add(x, power.Row(i))
			y[i] = Sum(power.Row(i))
		}
		value = 0
		for i, v := range x {
			value += v * floats.Dot(m.Row(i), y)
		}
		value /= floats.Dot(x, y)
		if math.Abs(value-last) <= tolerance*value {
			settled++
		}
		if settled == 2 {
			break
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

// shiftBelow returns a positive number of the order of the spectral radius of m, or smaller: the largest geometric mean
// of the entries on a cycle of length one or two. If all cycles are longer, it returns half the norm; for a matrix of
// zeros, 0.
func shiftBelow(m Matrix) float64 {
	shift := 0.0
	for i := range m.Rows {
		for j, v := range m.Row(i)[:i+1] {
			shift = max(shift, math.Sqrt(v)*math.Sqrt(m.At(j, i)))
		}
	}
	if shift == 0 {
		return m.NormInf() / 2
	}
	return shift
}

// LeastEigenvalue returns the smallest eigenvalue of diag(out) − P, where P and out are those of [FactorGTH]. It is the
// rate at which the states are left in the long run, the reciprocal of the spectral radius of the inverse. Nothing is
// subtracted, so it has the digits of the rates. It is 0 if some states are never left. p and exit are overwritten.
//
// Reference: A. S. Alfa, J. Xue, Q. Ye, Accurate computation of the smallest eigenvalue of a diagonally dominant
// M-matrix, Math. Comp. 71 (2002) 217–236.
func LeastEigenvalue(ctx context.Context, p Matrix, exit []float64) float64 {
	switch p.Rows {
	case 1:
		return exit[0]
	case 2:
		return leastOfTwo(p.At(0, 1), p.At(1, 0), exit[0], exit[1])
	}
	if err := InvertGTH(ctx, p, exit); err != nil {
		return 0
	}
	return 1 / Perron(ctx, p)
}

// leastOfTwo is LeastEigenvalue for two states with rates r and s from one to the other and exit rates u and v: the
// determinant of the matrix over its larger eigenvalue.
func leastOfTwo(r, s, u, v float64) float64 {
	det := r*v + u*s + u*v
	if det == 0 {
		return 0
	}
	return det / ((r+u+s+v)/2 + math.Hypot((r+u-s-v)/2, math.Sqrt(r)*math.Sqrt(s)))
}
