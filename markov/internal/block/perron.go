package block

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Perron returns the spectral radius of a nonnegative matrix, its largest eigenvalue. Nothing is subtracted, so the
// result has the digits of the entries, whatever their sizes. It is NaN for a matrix of order 0. Orders 1 and 2 have
// closed forms; from order 3 on the result is NaN if ctx ends.
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

// perronByPowers returns the eigenvalue x·m·y/(x·y) for the left and right eigenvectors x and y. Its error is the product
// of the errors of x and y.
func perronByPowers(ctx context.Context, m Matrix) float64 {
	shift := shiftBelow(m)
	if shift == 0 {
		return 0
	}
	room := NewRaw(perronRoom(m.Rows))
	defer room.Release()
	x, y := perronVectors(ctx, m, shift, room)
	if ctx.Err() != nil {
		return math.NaN()
	}
	value := 0.0
	for i, v := range x {
		value += v * floats.Dot(m.Row(i), y)
	}
	return value / floats.Dot(x, y)
}

// PerronVector returns the right Perron vector y > 0 of a nonnegative matrix, m·y = ρ·y with ρ the spectral radius. Its
// largest entry is one. Nothing is subtracted, so all entries have digits, whatever their sizes. The result is incomplete
// if ctx ends.
func PerronVector(ctx context.Context, m Matrix) []float64 {
	shift := shiftBelow(m)
	if shift == 0 {
		return Ones(m.Rows)
	}
	room := NewRaw(perronRoom(m.Rows))
	defer room.Release()
	_, y := perronVectors(ctx, m, shift, room)
	floats.Scale(1/floats.Max(y), y)
	return slices.Clone(y)
}

// perronRoom returns the size of the storage that [perronVectors] needs for a matrix of n rows.
func perronRoom(n int) (rows, cols int) { return 2*n + 3, n }

// perronVectors squares m + σ·I, which is aperiodic, until its powers P have rank one. Then the column sums x = 1·P and
// the row sums y = P·1 are left and right eigenvectors. Their errors square with every step if the largest eigenvalue is
// apart from the others, and halve otherwise. The iteration ends when two vectors y in succession have differed from the
// one before by rounding only. The eigenvalue would settle before: where two blocks exchange little, it hardly depends on
// the share of each. The vectors are rows of room, which has the size [perronRoom]. They are incomplete if ctx ends.
func perronVectors(ctx context.Context, m Matrix, shift float64, room Matrix) (x, y []float64) {
	const steps, roundings = 60, 8
	n := m.Rows
	power, next := room.RowRange(0, n), room.RowRange(n, 2*n)
	copy(power.Data, m.Data)
	for i := range n {
		power.Row(i)[i] += shift
	}
	x, y = room.Row(2*n), room.Row(2*n+1)
	last := room.Row(2*n + 2)
	power.normaliseInf(y)
	tolerance := roundings * UnitRoundoff * math.Sqrt(float64(n))
	for step, settled := 0, 0; step < steps && settled < 2; step++ {
		setSquare(ctx, next, power)
		if ctx.Err() != nil {
			break
		}
		power, next = next, power
		y, last = last, y
		power.normaliseInf(y)
		settled++
		for i, v := range y {
			if !(math.Abs(v-last[i]) <= tolerance*v) {
				settled = 0
			}
		}
	}
	clear(x)
	for i := range n {
		floats.Add(x, power.Row(i))
	}
	return x, y
}

// setSquare overwrites to with m². Matrices of order 3 and 4 are squared without loops, because
// the search for a decay rate squares such matrices a hundred times. to is incomplete if ctx ends.
func setSquare(ctx context.Context, to, m Matrix) {
	switch n := m.Rows; {
	case n == 3:
		setSquareOfThree((*[9]float64)(to.Data), (*[9]float64)(m.Data))
	case n == 4:
		setSquareOfFour((*[16]float64)(to.Data), (*[16]float64)(m.Data))
	default:
		clear(to.Data)
		MulAdd(ctx, to, m, m)
	}
}

// setSquareOfThree overwrites to with the square of m of order 3.
func setSquareOfThree(to, m *[9]float64) {
	for i := 0; i < 9; i += 3 {
		a, b, c := m[i], m[i+1], m[i+2]
		to[i] = a*m[0] + b*m[3] + c*m[6]
		to[i+1] = a*m[1] + b*m[4] + c*m[7]
		to[i+2] = a*m[2] + b*m[5] + c*m[8]
	}
}

// setSquareOfFour overwrites to with the square of m of order 4.
func setSquareOfFour(to, m *[16]float64) {
	for i := 0; i < 16; i += 4 {
		a, b, c, d := m[i], m[i+1], m[i+2], m[i+3]
		to[i] = a*m[0] + b*m[4] + c*m[8] + d*m[12]
		to[i+1] = a*m[1] + b*m[5] + c*m[9] + d*m[13]
		to[i+2] = a*m[2] + b*m[6] + c*m[10] + d*m[14]
		to[i+3] = a*m[3] + b*m[7] + c*m[11] + d*m[15]
	}
}

// normaliseInf divides a nonnegative matrix by its largest row sum, in place, and sets sums to its row sums.
func (m Matrix) normaliseInf(sums []float64) {
	for i := range sums {
		sums[i] = Sum(m.Row(i))
	}
	over := 1 / floats.Max(sums)
	floats.Scale(over, m.Data)
	floats.Scale(over, sums)
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

// LeastEigenvalue returns the smallest eigenvalue of diag(out) − P, with P and out as in [FactorGTH]. It is the rate at
// which the states are left in the long run, the reciprocal of the spectral radius of the inverse. Nothing is
// subtracted, so it has the digits of the rates. It is 0 if some states are never left, and has no meaning if ctx has
// ended. p and exit are overwritten.
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
