package markov

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/gemm"
)

// gthBlock is the largest block of the factorisation and of solves with many right-hand sides, gthRows that within a block:
// beyond gthRows states, everything is products.
const (
	gthBlock = 48
	gthRows  = 12
)

// blockSize cuts n states into blocks of about one size, multiples of gthRows.
func blockSize(n int) int {
	blocks := (n + gthBlock - 1) / gthBlock
	rows := (n + blocks - 1) / max(1, blocks)
	return (rows + gthRows - 1) / gthRows * gthRows
}

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
	size int    // of a block
	a    matrix // below the diagonal multipliers l_ik, on it pivots, above it the remaining rates
	exit []float64
	// upper and lower, n × size, hold the inverses of the diagonal blocks of U and of I − L, the rows of each where those
	// of the block are. They are nonnegative: multiplying by them subtracts no more than solving by them would.
	upper, lower matrix
}

// factorGTH factors in place: p and exit are overwritten and kept. It fails if the states cannot be left.
func factorGTH(p matrix, exit []float64) (*gth, error) {
	f := &gth{n: p.rows, size: blockSize(p.rows), a: p, exit: exit}
	if k := f.eliminate(); k < f.n {
		return nil, fmt.Errorf("markov: state %d of %d is never left: %w", k, f.n, ErrReducible)
	}
	return f, nil
}

// eliminate removes the states in order and stops at the first whose pivot is zero; it returns n when there is none.
func (f *gth) eliminate() int {
	if f.n > f.size {
		f.upper = newScratch(f.n, f.size)
	}
	for k0 := 0; k0 < f.n; k0 += f.size {
		k1 := min(k0+f.size, f.n)
		f.updateBlock(k0, k1)
		if done := f.finishBlock(k0, k1); done < k1 {
			return done
		}
		if f.n > f.size {
			f.invertUpper(k0, k1)
		}
	}
	return f.n
}

// updateBlock lets the rows k0..k1-1 go round by all states before k0.
func (f *gth) updateBlock(k0, k1 int) {
	for j0 := 0; j0 < k0; j0 += f.size {
		j1 := j0 + f.size
		timesBlock(f.a.part(k0, k1, j0, j1), f.inverse(f.upper, j0, j1))
		for i := k0; i < k1; i++ {
			f.exit[i] += floats.Dot(f.a.row(i)[j0:j1], f.exit[j0:j1])
		}
		subMulAdd(f.a, k0, k1, j0, j1, j1, f.n)
	}
}

// finishBlock eliminates the states k0..k1-1, after those before them, and returns the first whose pivot is zero or k1.
func (f *gth) finishBlock(k0, k1 int) int {
	for s0 := k0; s0 < k1; s0 += gthRows {
		s1 := min(s0+gthRows, k1)
		if s0 > k0 {
			for i := s0; i < s1; i++ {
				for k := k0; k < s0; k++ {
					f.apply(i, k, s0)
				}
			}
			subMulAdd(f.a, s0, s1, k0, s0, s0, f.n)
		}
		for i := s0; i < s1; i++ {
			if !f.finishRow(i, s0) {
				return i
			}
		}
	}
	return k1
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

// finishRow applies the states s0..i-1 to row i and sets its pivot.
func (f *gth) finishRow(i, s0 int) bool {
	row := f.a.row(i)
	for k := s0; k < i; k++ {
		f.apply(i, k, f.n)
	}
	row[i] = floats.Sum(row[i+1:]) + f.exit[i]
	return row[i] > 0
}

// invertUpper sets U⁻¹ of the block of rows k0..k1-1.
func (f *gth) invertUpper(k0, k1 int) {
	for i := k1 - 1; i >= k0; i-- {
		row := f.a.row(i)[:k1]
		x := f.upper.row(i)[:k1-k0]
		for k := i + 1; k < k1; k++ {
			if row[k] != 0 {
				floats.AddScaled(x[k-k0:], row[k], f.upper.row(k)[k-k0:k1-k0])
			}
		}
		x[i-k0] = 1
		floats.Scale(1/row[i], x[i-k0:])
	}
}

// invertLower sets (I − L)⁻¹ of the block of rows k0..k1-1.
func (f *gth) invertLower(k0, k1 int) {
	for i := k0; i < k1; i++ {
		row := f.a.row(i)
		x := f.lower.row(i)
		for k := k0; k < i; k++ {
			if row[k] != 0 {
				floats.AddScaled(x[:k-k0+1], row[k], f.lower.row(k)[:k-k0+1])
			}
		}
		x[i-k0] = 1
	}
}

// invert makes the inverses of all diagonal blocks that are not there yet.
func (f *gth) invert() {
	if f.lower.rows == f.n {
		return
	}
	missing := f.upper.rows < f.n
	if missing {
		f.upper = newScratch(f.n, f.size)
	}
	f.lower = newScratch(f.n, f.size)
	for k0 := 0; k0 < f.n; k0 += f.size {
		k1 := min(k0+f.size, f.n)
		f.invertLower(k0, k1)
		if missing {
			f.invertUpper(k0, k1)
		}
	}
}

// inverse is the square block of upper or lower for the rows k0..k1-1.
func (f *gth) inverse(of matrix, k0, k1 int) blas64.General { return of.part(k0, k1, 0, k1-k0) }

// timesBlock overwrites b with b·x, x square.
func timesBlock(b, x blas64.General) {
	was := newScratch(b.Rows, b.Cols)
	take(was, b)
	gemm.Add(was.general(), x, b)
	was.release()
}

// blockTimes overwrites b with x·b, x square.
func blockTimes(x, b blas64.General) {
	was := newScratch(b.Rows, b.Cols)
	take(was, b)
	gemm.Add(x, was.general(), b)
	was.release()
}

// take moves b into to and leaves zeros.
func take(to matrix, b blas64.General) {
	for i := range b.Rows {
		row := b.Data[i*b.Stride : i*b.Stride+b.Cols]
		copy(to.row(i), row)
		clear(row)
	}
}

// solve overwrites b with M⁻¹·b, b nonnegative, n×q.
func (f *gth) solve(b matrix) {
	if b.cols == 0 {
		return
	}
	f.invert()
	n := f.n
	for k0 := 0; k0 < n; k0 += f.size {
		k1 := min(k0+f.size, n)
		if k0 > 0 {
			mulAddPart(b.blockRows(k0, k1), f.a, k0, k1, 0, k0, b.blockRows(0, k0))
		}
		blockTimes(f.inverse(f.lower, k0, k1), b.part(k0, k1, 0, b.cols))
	}
	for k0 := (n - 1) / f.size * f.size; k0 >= 0; k0 -= f.size {
		k1 := min(k0+f.size, n)
		if k1 < n {
			mulAddPart(b.blockRows(k0, k1), f.a, k0, k1, k1, n, b.blockRows(k1, n))
		}
		blockTimes(f.inverse(f.upper, k0, k1), b.part(k0, k1, 0, b.cols))
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
	if b.rows == 0 {
		return
	}
	f.invert()
	n := f.n
	for k0 := 0; k0 < n; k0 += f.size {
		k1 := min(k0+f.size, n)
		if k0 > 0 {
			mulAddCols(b, k0, k1, b, 0, k0, f.a, 0, k0, k0, k1)
		}
		timesBlock(b.part(0, b.rows, k0, k1), f.inverse(f.upper, k0, k1))
	}
	for k0 := (n - 1) / f.size * f.size; k0 >= 0; k0 -= f.size {
		k1 := min(k0+f.size, n)
		if k1 < n {
			mulAddCols(b, k0, k1, b, k1, n, f.a, k1, n, k0, k1)
		}
		timesBlock(b.part(0, b.rows, k0, k1), f.inverse(f.lower, k0, k1))
	}
}

// stationaryGTH returns the stationary vector, summing to one, of the chain with rates p (destroyed; its diagonal does
// not count). States that are left for good get zero; more than one class that is never left is ErrReducible.
func stationaryGTH(p matrix) ([]float64, error) {
	if p.rows == 0 {
		return nil, fmt.Errorf("markov: a chain with no states")
	}
	rates := p
	f := &gth{n: p.rows, size: blockSize(p.rows), a: p, exit: make([]float64, p.rows)}
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
