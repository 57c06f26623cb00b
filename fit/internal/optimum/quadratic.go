package optimum

import "math"

// quadratic maximises grad·d − d·hess·d/2 subject to at + d ≥ 0 by an active-set method. On the free coordinates the
// maximum solves a linear system. A coordinate that would become negative is fixed at zero. A coordinate at zero with a
// positive derivative is freed.
//
// Reference: C. L. Lawson, R. J. Hanson, Solving Least Squares Problems, Prentice-Hall (1974), chapter 23.
type quadratic struct {
	z     []float64 // at + d, by coordinate; nonnegative
	bound []bool    // by coordinate: z is held at zero
	right []float64 // grad + hess·at, with the ridge: the right-hand side of hess·z = right at the maximum

	free []int     // the coordinates that are not held at zero, ascending
	chol []float64 // Cholesky factor of hess over the free coordinates, lower triangle by rows
	sol  []float64 // z at the maximum over the free coordinates, by their order in free
}

// newQuadratic returns a solver of quadratic problems of m variables, with the storage that all calls of maximise use.
func newQuadratic(m int) quadratic {
	q := quadratic{free: make([]int, 0, m), bound: make([]bool, m), chol: make([]float64, m*m)}
	for _, v := range []*[]float64{&q.right, &q.sol, &q.z} {
		*v = make([]float64, m)
	}
	return q
}

// maximise sets d, m numbers, to the maximum of grad·d − d·hess·d/2 subject to at + d ≥ 0. hess is m×m by rows. If it
// is not positive definite, its diagonal is increased until it is, which shortens the step. If it is still not positive
// definite with a diagonal 1e5 times as large, d need not be the maximum. The other arguments stay unchanged.
func (q *quadratic) maximise(hess, grad, at, d []float64) {
	for ridge := 1e-11; ridge < 1e6; ridge *= 100 {
		if q.attempt(hess, grad, at, ridge) {
			break
		}
	}
	for i := range d {
		d[i] = q.z[i] - at[i]
	}
}

// attempt sets q.z to at + d for the maximum d of [quadratic.maximise], with the diagonal of hess multiplied by 1 +
// ridge. It takes at most 4m + 10 steps for m variables, so that it ends in spite of rounding. If the steps are used
// up, q.z is nonnegative but need not be the maximum. It reports false if a linear system cannot be solved; then a
// larger ridge may help.
func (q *quadratic) attempt(hess, grad, at []float64, ridge float64) bool {
	m := len(grad)
	copy(q.z, at)
	for i := range m {
		q.bound[i] = !(at[i] > 0)
		q.right[i] = grad[i] + ridge*hess[i*m+i]*at[i]
		for k, a := range at {
			q.right[i] += hess[i*m+k] * a
		}
	}
	freed := -1
	for range 4*m + 10 {
		if !q.solve(hess, ridge) {
			return false
		}
		hit := q.stepToSolution()
		if hit >= 0 {
			q.z[hit], q.bound[hit] = 0, true
			if hit == freed { // only rounding made its derivative positive
				return true
			}
			continue
		}
		if freed = q.steepestBound(hess); freed < 0 {
			return true
		}
		q.bound[freed] = false
	}
	return true
}

// stepToSolution moves z from where it is to the solution over the free coordinates, but not beyond the first coordinate
// that becomes zero. It returns this coordinate, or −1 if the solution is reached.
func (q *quadratic) stepToSolution() (hit int) {
	length, hit := 1.0, -1 // of the step, 1 to the solution
	for k, i := range q.free {
		if s := q.sol[k]; s <= 0 {
			if u := q.z[i] / (q.z[i] - s); u < length || hit < 0 {
				length, hit = min(u, length), i
			}
		}
	}
	for k, i := range q.free {
		q.z[i] += length * (q.sol[k] - q.z[i])
	}
	return hit
}

// steepestBound returns the coordinate at zero whose derivative is largest, or −1 if none is positive by more than
// rounding. Coordinates without curvature stay at zero.
func (q *quadratic) steepestBound(hess []float64) (steepest int) {
	m := len(q.z)
	best, steepest := 1e-11*max(1, q.right[0]), -1
	for i := range m {
		if !q.bound[i] || !(hess[i*m+i] > 0) {
			continue
		}
		r := q.right[i]
		for k, z := range q.z {
			r -= hess[i*m+k] * z
		}
		if r > best {
			best, steepest = r, i
		}
	}
	return steepest
}

// solve sets q.free to the coordinates that are not held at zero, with bound false, in ascending order. It sets q.sol,
// in the order of q.free, to their values at the maximum without the condition at + d ≥ 0. It solves their linear
// system by Cholesky factorisation, with the diagonal of hess multiplied by 1 + ridge. The right-hand side of all m
// coordinates must stand in q.right, and q.bound must be set. It reports false if the matrix is not positive definite.
func (q *quadratic) solve(hess []float64, ridge float64) bool {
	m := len(q.z)
	q.free = q.free[:0]
	for i, b := range q.bound {
		if !b {
			q.free = append(q.free, i)
		}
	}
	n := len(q.free)
	for a, i := range q.free {
		row := q.chol[a*n : a*n+n]
		for b, k := range q.free[:a+1] {
			other := q.chol[b*n : b*n+n]
			s := hess[i*m+k]
			if a == b {
				s += ridge * s
			}
			s -= Dot(row[:b], other)
			if a == b {
				if !(s > 1e-15*hess[i*m+i]) {
					return false
				}
				row[a] = math.Sqrt(s)
			} else {
				row[b] = s / other[b]
			}
		}
		q.sol[a] = (q.right[i] - Dot(row[:a], q.sol)) / row[a]
	}
	for a := n - 1; a >= 0; a-- {
		s := q.sol[a]
		for b := a + 1; b < n; b++ {
			s -= q.chol[b*n+a] * q.sol[b]
		}
		q.sol[a] = s / q.chol[a*n+a]
	}
	return true
}
