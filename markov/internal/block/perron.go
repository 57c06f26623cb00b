package block

import (
	"context"
	"math"
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
	p := newPerronPowers(m, false)
	defer p.release()
	if p.shift == 0 {
		return 0
	}
	for p.steps < mostSquarings && !p.settled() {
		p.square(ctx)
		if ctx.Err() != nil {
			return math.NaN()
		}
		if p.change <= nearlySettled {
			if value, certain := p.value(); certain {
				return value
			}
		}
	}
	value, _ := p.value()
	return value
}

// nearlySettled is the largest change of an eigenvector in a step after which the eigenvalue can be known: errors square
// then, and the eigenvalue has the product of two.
const nearlySettled = 1e-7

// PerronVector returns the right Perron vector y > 0 of a nonnegative matrix, m·y = ρ·y with ρ the spectral radius. Its
// largest entry is one. Nothing is subtracted, so all entries have digits, whatever their sizes. The result is incomplete
// if ctx ends.
func PerronVector(ctx context.Context, m Matrix) []float64 {
	p := newPerronPowers(m, true)
	defer p.release()
	if p.shift == 0 {
		return Ones(m.Rows)
	}
	for p.steps < mostSquarings && !p.settled() && ctx.Err() == nil {
		p.square(ctx)
	}
	return p.vector()
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
