package markov

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// gthBlock is the block size of the factorisation and of solves with many right-hand sides: 48 rows of 48 columns of
// float64 stay in the first-level cache while gemm does the rest.
const gthBlock = 48

// gth factors M = diag(out) − P, where P ≥ 0 holds the rates between n states and out is their total, the rates exit ≥ 0
// out of the set included: the matrix by which censored chains are solved. The diagonal of P is a rate back into the
// same state and does not count.
//
// Pivots are taken as sums of what is left of a row, never as differences, and right-hand sides must be nonnegative:
// then nothing is ever subtracted and every result is accurate componentwise, however stiff the rates.
//
// Reference: W. K. Grassmann, M. I. Taksar, D. P. Heyman, Regenerative analysis and steady state distributions for
// Markov chains, Oper. Res. 33 (1985) 1107–1116.
type gth struct {
	n    int
	a    matrix // below the diagonal multipliers l_ik, on it pivots, above it the remaining rates
	exit []float64
}

// factorGTH factors in place: p and exit are overwritten and kept. It fails if the states cannot be left.
func factorGTH(p matrix, exit []float64) (*gth, error) {
	f := &gth{n: p.rows, a: p, exit: exit}
	if k := f.eliminate(); k < f.n {
		return nil, fmt.Errorf("markov: state %d of %d is never left: %w", k, f.n, ErrReducible)
	}
	return f, nil
}

// eliminate removes the states in order and stops at the first whose pivot is zero; it returns n when there is none.
func (f *gth) eliminate() int {
	for k0 := 0; k0 < f.n; k0 += gthBlock {
		k1 := min(k0+gthBlock, f.n)
		f.updateBlock(k0, k1)
		for i := k0; i < k1; i++ {
			if !f.finishRow(i, k0) {
				return i
			}
		}
	}
	return f.n
}

// updateBlock applies the states before k0 to the rows k0..k1-1.
func (f *gth) updateBlock(k0, k1 int) {
	n := f.n
	for j0 := 0; j0 < k0; j0 += gthBlock {
		j1 := min(j0+gthBlock, n)
		for i := k0; i < k1; i++ {
			for k := j0; k < j1; k++ {
				f.apply(i, k, j1)
			}
		}
		if j1 < n {
			subMulAdd(f.a, k0, k1, j0, j1, j1, n)
		}
	}
}

// apply lets state i go round by the eliminated state k, in the columns up to end.
func (f *gth) apply(i, k, end int) {
	row := f.a.row(i)
	if row[k] == 0 {
		return
	}
	l := row[k] / f.a.at(k, k)
	row[k] = l
	floats.AddScaled(row[k+1:end], l, f.a.row(k)[k+1:end])
	f.exit[i] += l * f.exit[k]
}

// finishRow applies the states k0..i-1 of its own block to row i and sets its pivot.
func (f *gth) finishRow(i, k0 int) bool {
	row := f.a.row(i)
	for k := k0; k < i; k++ {
		f.apply(i, k, f.n)
	}
	row[i] = floats.Sum(row[i+1:]) + f.exit[i]
	return row[i] > 0
}

// solve overwrites b with M⁻¹·b, b nonnegative, n×q.
func (f *gth) solve(b matrix) {
	n := f.n
	for k0 := 0; k0 < n; k0 += gthBlock {
		k1 := min(k0+gthBlock, n)
		if k0 > 0 {
			mulAddPart(b.blockRows(k0, k1), f.a, k0, k1, 0, k0, b.blockRows(0, k0))
		}
		for i := k0; i < k1; i++ {
			for k := k0; k < i; k++ {
				if l := f.a.at(i, k); l != 0 {
					floats.AddScaled(b.row(i), l, b.row(k))
				}
			}
		}
	}
	for k1 := n; k1 > 0; k1 -= (k1-1)%gthBlock + 1 {
		k0 := k1 - ((k1-1)%gthBlock + 1)
		if k1 < n {
			mulAddPart(b.blockRows(k0, k1), f.a, k0, k1, k1, n, b.blockRows(k1, n))
		}
		for i := k1 - 1; i >= k0; i-- {
			for j := i + 1; j < k1; j++ {
				if p := f.a.at(i, j); p != 0 {
					floats.AddScaled(b.row(i), p, b.row(j))
				}
			}
			floats.Scale(1/f.a.at(i, i), b.row(i))
		}
	}
}

// solveVec overwrites x with M⁻¹·x, x nonnegative.
func (f *gth) solveVec(x []float64) {
	for i := range x {
		x[i] += floats.Dot(f.a.row(i)[:i], x[:i])
	}
	for i := f.n - 1; i >= 0; i-- {
		x[i] = (x[i] + floats.Dot(f.a.row(i)[i+1:], x[i+1:])) / f.a.at(i, i)
	}
}

// solveLeft overwrites x with x·M⁻¹, x nonnegative.
func (f *gth) solveLeft(x []float64) {
	for i := range x {
		if x[i] == 0 {
			continue
		}
		row := f.a.row(i)
		x[i] /= row[i]
		floats.AddScaled(x[i+1:], x[i], row[i+1:])
	}
	for i := f.n - 1; i > 0; i-- {
		if x[i] != 0 {
			floats.AddScaled(x[:i], x[i], f.a.row(i)[:i])
		}
	}
}

// solveLeftRows overwrites each row x of b with x·M⁻¹, b nonnegative, q×n.
func (f *gth) solveLeftRows(b matrix) {
	n := f.n
	for k0 := 0; k0 < n; k0 += gthBlock {
		k1 := min(k0+gthBlock, n)
		if k0 > 0 {
			mulAddCols(b, k0, k1, b, 0, k0, f.a, 0, k0, k0, k1)
		}
		for q := range b.rows {
			x := b.row(q)[:k1]
			for i := k0; i < k1; i++ {
				if x[i] == 0 {
					continue
				}
				row := f.a.row(i)
				x[i] /= row[i]
				floats.AddScaled(x[i+1:], x[i], row[i+1:k1])
			}
		}
	}
	for k1 := n; k1 > 0; k1 -= (k1-1)%gthBlock + 1 {
		k0 := k1 - ((k1-1)%gthBlock + 1)
		for q := range b.rows {
			x := b.row(q)
			for i := k1 - 1; i > k0; i-- {
				if x[i] != 0 {
					floats.AddScaled(x[k0:i], x[i], f.a.row(i)[k0:i])
				}
			}
		}
		if k0 > 0 {
			mulAddCols(b, 0, k0, b, k0, k1, f.a, k0, k1, 0, k0)
		}
	}
}

// stationaryGTH returns the stationary vector, summing to one, of the chain with rates p (destroyed; its diagonal does
// not count). States that are left for good get zero; more than one class that is never left is ErrReducible.
func stationaryGTH(p matrix) ([]float64, error) {
	if p.rows == 0 {
		return nil, fmt.Errorf("markov: a chain with no states")
	}
	rates := p
	f := &gth{n: p.rows, a: p, exit: make([]float64, p.rows)}
	last := f.eliminate()
	if last < p.rows-1 && !leadTo(rates, last) {
		return nil, fmt.Errorf("markov: more than one closed class of states: %w", ErrReducible)
	}
	x := make([]float64, p.rows)
	x[last] = 1
	for i := last; i > 0; i-- {
		if x[i] != 0 {
			floats.AddScaled(x[:i], x[i], f.a.row(i)[:i])
		}
	}
	floats.Scale(1/floats.Sum(x), x)
	return x, nil
}

// leadTo reports whether every state after k reaches one at or before it. The rows after k of a stopped elimination
// hold either the original rates or multiples of them, which have the same zeros.
func leadTo(p matrix, k int) bool {
	n := p.rows
	reaches := make([]bool, n)
	for i := range k + 1 {
		reaches[i] = true
	}
	for changed := true; changed; {
		changed = false
		for i := k + 1; i < n; i++ {
			if reaches[i] {
				continue
			}
			for j, v := range p.row(i) {
				if j != i && v > 0 && reaches[j] {
					reaches[i], changed = true, true
					break
				}
			}
		}
	}
	for _, ok := range reaches {
		if !ok {
			return false
		}
	}
	return true
}

// Stationary returns the stationary probability vector of a finite chain with generator q, n×n, whose states have one
// closed class; the diagonal of q is not read. It is computed by the elimination of Grassmann, Taksar and Heyman
// without subtractions, so that each component is accurate to about n rounding errors, whatever its size.
// It returns a *[BlockError] for a negative or undefined rate and ErrReducible if there are several closed classes.
//
// Reference: W. K. Grassmann, M. I. Taksar, D. P. Heyman, Oper. Res. 33 (1985) 1107–1116; relative error bound by
// C. A. O'Cinneide, Numer. Math. 65 (1993) 109–120.
func Stationary(q mat.Matrix) ([]float64, error) {
	rows, cols := q.Dims()
	if rows != cols || rows == 0 {
		return nil, blockError(0, "local", -1, -1, "is %d×%d, not square", rows, cols)
	}
	p := fromMat(q)
	if err := checkRates(0, "local", p, true); err != nil {
		return nil, err
	}
	return stationaryGTH(p)
}
