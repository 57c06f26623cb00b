// This file solves linear systems of which only products with a vector are known.

package reduction

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// GMRES returns the d among the combinations of r, r·A, r·A², … that makes |r − d·A|₂ least, of as few of them as make it
// less than tol·|r|₂ but at most steps, and that norm. times returns x·A, which may be singular: if A has no more zero
// eigenvalues than left null vectors, and r is x·A for some x, such combinations come as close to r as those of a regular
// matrix do. Vectors are made orthogonal twice, so that rounding does not stop it before times does. It stops early when
// ctx ends.
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

// worker holds an orthonormal basis Q and the triangular factor of the rotated H, Q_k·A = H_k·Q_{k+1}.
type worker struct {
	basis    [][]float64
	columns  [][]float64
	cos, sin []float64
	rest     []float64 // of the rotated right side
}

// step adds x, the product with the last vector of the basis; false if that lies in their span but for roundings.
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
	w.basis = append(w.basis, scaled(x, 1/last))
	return true
}

// weights solves the triangular system.
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

func scaled(x []float64, f float64) []float64 {
	y := make([]float64, len(x))
	floats.ScaleTo(y, f, x)
	return y
}
