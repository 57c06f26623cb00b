// This file solves linear systems of which only products with a vector are known.

package reduction

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// GMRES solves d·A = r approximately, given products with A only; times returns x·A in a vector of its own. GMRES returns the d
// in the span of r, r·A, r·A², … that minimises left = ‖r − d·A‖₂. The span grows until left ≤ tol·‖r‖₂, at most for the given
// number of steps, or until ctx ends.
//
// A may be singular. If the zero eigenvalue of A has as many left eigenvectors as its multiplicity, and r = x·A for some
// x, then d converges as for a regular matrix. Each vector is orthogonalised twice, so that rounding errors of the basis
// do not limit the accuracy.
//
// Reference: Y. Saad, M. H. Schultz, GMRES: a generalized minimal residual algorithm for solving nonsymmetric linear
// systems, SIAM J. Sci. Stat. Comput. 7 (1986) 856–869.
func GMRES(ctx context.Context, times func(x []float64) []float64, r []float64, tol float64, steps int) (
	d []float64, left float64) {
	d, norm := make([]float64, len(r)), floats.Norm(r, 2)
	if norm == 0 {
		return d, 0
	}
	w := worker{basis: [][]float64{scaled(r, 1/norm)}, rest: []float64{norm}}
	for left = norm; left > tol*norm && len(w.columns) < steps && ctx.Err() == nil; left = math.Abs(w.rest[len(w.columns)]) {
		if !w.step(times(w.basis[len(w.columns)])) {
			break
		}
	}
	for i, y := range w.weights() {
		floats.AddScaled(d, y, w.basis[i])
	}
	return d, left
}

// GMRESInUnits is [GMRES] with each entry of r and d in its own unit. So the rest of a small entry counts as much as the
// rest of a large one. The units are positive; nil stands for ones. r is overwritten.
func GMRESInUnits(ctx context.Context, times func(x []float64) []float64, r, units []float64, tol float64, steps int) []float64 {
	if units == nil {
		d, _ := GMRES(ctx, times, r, tol, steps)
		return d
	}
	floats.Div(r, units)
	inUnits := make([]float64, len(r))
	d, _ := GMRES(ctx, func(x []float64) []float64 {
		y := times(floats.MulTo(inUnits, x, units))
		floats.Div(y, units)
		return y
	}, r, tol, steps)
	floats.Mul(d, units)
	return d
}

// worker holds the Arnoldi basis: rows of Q are orthonormal, and Q_k·A = H_k·Q_{k+1}. Givens rotations make H triangular.
type worker struct {
	basis    [][]float64 // rows of Q
	columns  [][]float64 // triangular factor, one column for each step
	cos, sin []float64   // rotations
	rest     []float64   // rotated right side; its last entry is the residual norm
}

// step extends the basis by x, the product of its last vector with A. It reports false if x lies in the span of the
// basis, up to rounding.
func (w *worker) step(x []float64) bool {
	k := len(w.columns)
	h, before := make([]float64, k+2), floats.Norm(x, 2)
	for range 2 {
		for i, q := range w.basis {
			share := floats.Dot(x, q)
			h[i] += share
			floats.AddScaled(x, -share, q)
		}
	}
	h[k+1] = floats.Norm(x, 2)
	for i, c := range w.cos {
		h[i], h[i+1] = c*h[i]+w.sin[i]*h[i+1], c*h[i+1]-w.sin[i]*h[i]
	}
	size := math.Hypot(h[k], h[k+1])
	if !(size > 1e-15*before) {
		return false
	}
	c, s := h[k]/size, h[k+1]/size
	w.cos, w.sin = append(w.cos, c), append(w.sin, s)
	w.rest = append(w.rest, -s*w.rest[k])
	w.rest[k] *= c
	last := h[k+1]
	h[k] = size
	w.columns = append(w.columns, h[:k+1])
	if !(last > 1e-15*before) {
		return false
	}
	floats.Scale(1/last, x)
	w.basis = append(w.basis, x)
	return true
}

// weights returns the solution of the triangular system: the weights of the basis vectors in d.
func (w *worker) weights() []float64 {
	y := slices.Clone(w.rest[:len(w.columns)])
	for i := len(y) - 1; i >= 0; i-- {
		for j := i + 1; j < len(y); j++ {
			y[i] -= w.columns[j][i] * y[j]
		}
		y[i] /= w.columns[i][i]
	}
	return y
}

// scaled returns f·x.
func scaled(x []float64, f float64) []float64 {
	y := make([]float64, len(x))
	floats.ScaleTo(y, f, x)
	return y
}
