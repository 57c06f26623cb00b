package block

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// gthBlock is the largest block of the factorisation and of solves with many right-hand sides, gthRows that within a
// block: beyond gthRows states, everything is products.
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

// ErrReducible: states that are never left, or that cannot all be reached from each other.
var ErrReducible = errors.New("reducible")

// GTH factors M = diag(out) − P, where P ≥ 0 holds the rates between n states and out is their total, the rates exit ≥
// 0 out of the set included: the matrix by which censored chains are solved. The diagonal of P is a rate back into the
// same state and does not count.
//
// Pivots are taken as sums of what is left of a row, never as differences, and right-hand sides must be nonnegative:
// then nothing is ever subtracted and every result is accurate componentwise, however stiff the rates.
//
// Reference: W. K. Grassmann, M. I. Taksar, D. P. Heyman, Regenerative analysis and steady state distributions for
// Markov chains, Oper. Res. 33 (1985) 1107–1116.
type GTH struct {
	n     int
	size  int    // of a block
	rates Matrix // below the diagonal multipliers l_ik, on it pivots, above it the remaining rates
	exit  []float64
	// upper and lower, n × size, hold the inverses of the diagonal blocks of U and of I − L, the rows of each where
	// those of the block are. They are nonnegative: multiplying by them subtracts no more than solving by them would.
	upper, lower Matrix
	pivot        []int // of an [LU]: row i of M was exchanged with row pivot[i], in order
}

// FactorGTH factors in place: p and exit are overwritten and kept. It returns
// ErrReducible if there are states that cannot be left, and the error of ctx if that ends.
func FactorGTH(ctx context.Context, p Matrix, exit []float64) (*GTH, error) {
	f := &GTH{n: p.Rows, size: blockSize(p.Rows), rates: p, exit: exit}
	k := f.eliminate(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if k < f.n {
		return nil, fmt.Errorf("state %d of %d is never left: %w", k, f.n, ErrReducible)
	}
	return f, nil
}

// eliminate removes the states in order and stops at the first whose pivot is zero, or somewhere when ctx is done; it
// returns n when it does not stop.
func (f *GTH) eliminate(ctx context.Context) int {
	if f.n > f.size {
		f.upper = NewScratch(f.n, f.size)
	}
	return f.eliminateRows(ctx, 0, f.n)
}

// eliminateRows removes the states i0..i1−1, whose rows have gone round by all before them: first half of them, by which the
// others go round next, so that nearly all of it is products of large blocks.
func (f *GTH) eliminateRows(ctx context.Context, i0, i1 int) int {
	if i1-i0 <= f.size {
		done := f.finishBlock(ctx, i0, i1)
		if done == i1 && f.upper.Rows > 0 {
			f.invertUpper(i0, i1)
		}
		return done
	}
	blocks := (i1 - i0 + f.size - 1) / f.size
	mid := i0 + blocks/2*f.size
	if done := f.eliminateRows(ctx, i0, mid); done < mid {
		return done
	}
	f.goRound(ctx, mid, i1, i0, mid)
	if ctx.Err() != nil {
		return mid
	}
	return f.eliminateRows(ctx, mid, i1)
}

// goRound lets the rows i0..i1−1 go round by the states j0..j1−1.
func (f *GTH) goRound(ctx context.Context, i0, i1, j0, j1 int) {
	f.multipliers(ctx, i0, i1, j0, j1)
	for i := i0; i < i1; i++ {
		f.exit[i] += floats.Dot(f.rates.Row(i)[j0:j1], f.exit[j0:j1])
	}
	subMulAdd(ctx, f.rates, i0, i1, j0, j1, j1, f.rates.Cols)
}

// multipliers overwrites the columns j0..j1−1 of the rows i0..i1−1 with them times U⁻¹ of these states.
func (f *GTH) multipliers(ctx context.Context, i0, i1, j0, j1 int) {
	if ctx.Err() != nil {
		return
	}
	blocks := (j1 - j0 + f.size - 1) / f.size
	if blocks == 1 {
		timesBlock(ctx, f.rates.part(i0, i1, j0, j1), f.inverse(f.upper, j0, j1))
		return
	}
	mid := j0 + blocks/2*f.size
	f.multipliers(ctx, i0, i1, j0, mid)
	subMulAdd(ctx, f.rates, i0, i1, j0, mid, mid, j1)
	f.multipliers(ctx, i0, i1, mid, j1)
}

// finishBlock eliminates the states k0..k1-1, after those before them, and returns the first whose pivot is zero or k1.
func (f *GTH) finishBlock(ctx context.Context, k0, k1 int) int {
	for s0 := k0; s0 < k1; s0 += gthRows {
		s1 := min(s0+gthRows, k1)
		if s0 > k0 {
			for i := s0; i < s1; i++ {
				for k := k0; k < s0; k++ {
					f.apply(i, k, s0)
				}
			}
			subMulAdd(ctx, f.rates, s0, s1, k0, s0, s0, f.rates.Cols)
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
func (f *GTH) apply(i, k, end int) {
	row := f.rates.Row(i)
	if row[k] == 0 {
		return
	}
	l := row[k] / f.rates.At(k, k)
	row[k] = l
	floats.AddScaled(row[k+1:end], l, f.rates.Row(k)[k+1:end])
	f.exit[i] += l * f.exit[k]
}

// finishRow applies the states s0..i-1 to row i and sets its pivot.
func (f *GTH) finishRow(i, s0 int) bool {
	row := f.rates.Row(i)
	for k := s0; k < i; k++ {
		f.apply(i, k, f.rates.Cols)
	}
	row[i] = Sum(row[i+1:]) + f.exit[i]
	return row[i] > 0
}

// invertUpper sets U⁻¹ of the block of rows k0..k1-1.
func (f *GTH) invertUpper(k0, k1 int) {
	for i := k1 - 1; i >= k0; i-- {
		row := f.rates.Row(i)[:k1]
		x := f.upper.Row(i)[:k1-k0]
		for k := i + 1; k < k1; k++ {
			if row[k] != 0 {
				floats.AddScaled(x[k-k0:], row[k], f.upper.Row(k)[k-k0:k1-k0])
			}
		}
		x[i-k0] = 1
		floats.Scale(1/row[i], x[i-k0:])
	}
}

// invertLower sets (I − L)⁻¹ of the block of rows k0..k1-1.
func (f *GTH) invertLower(k0, k1 int) {
	for i := k0; i < k1; i++ {
		row := f.rates.Row(i)
		x := f.lower.Row(i)
		for k := k0; k < i; k++ {
			if row[k] != 0 {
				floats.AddScaled(x[:k-k0+1], row[k], f.lower.Row(k)[:k-k0+1])
			}
		}
		x[i-k0] = 1
	}
}

// invert makes the inverses of all diagonal blocks that are not there yet.
func (f *GTH) invert() {
	if f.lower.Rows == f.n {
		return
	}
	missing := f.upper.Rows < f.n
	if missing {
		f.upper = NewScratch(f.n, f.size)
	}
	f.lower = NewScratch(f.n, f.size)
	for k0 := 0; k0 < f.n; k0 += f.size {
		k1 := min(k0+f.size, f.n)
		f.invertLower(k0, k1)
		if missing {
			f.invertUpper(k0, k1)
		}
	}
}

// inverse is the square block of upper or lower for the rows k0..k1-1.
func (f *GTH) inverse(of Matrix, k0, k1 int) blas64.General { return of.part(k0, k1, 0, k1-k0) }

// timesBlock overwrites b with b·x, x square.
func timesBlock(ctx context.Context, b, x blas64.General) {
	was := NewScratch(b.Rows, b.Cols)
	take(was, b)
	addProduct(ctx, was.general(), x, b)
	was.Release()
}

// blockTimes overwrites b with x·b, x square.
func blockTimes(ctx context.Context, x, b blas64.General) {
	was := NewScratch(b.Rows, b.Cols)
	take(was, b)
	addProduct(ctx, x, was.general(), b)
	was.Release()
}

// take moves b into to and leaves zeros.
func take(to Matrix, b blas64.General) {
	for i := range b.Rows {
		row := b.Data[i*b.Stride : i*b.Stride+b.Cols]
		copy(to.Row(i), row)
		clear(row)
	}
}

// Solve overwrites b with M⁻¹·b, n×q, unless ctx ends. The elements of b are nonnegative, but for an [LU].
func (f *GTH) Solve(ctx context.Context, b Matrix) {
	if b.Cols == 0 {
		return
	}
	f.invert()
	exchange(b, f.pivot, 0, 0, b.Cols)
	f.substitute(ctx, f.lower, f.upper, func(inverse blas64.General, k0, k1, from, to int) {
		rows := b.part(k0, k1, 0, b.Cols)
		addProduct(ctx, f.rates.part(k0, k1, from, to), b.part(from, to, 0, b.Cols), rows)
		blockTimes(ctx, inverse, rows)
	})
}

// substitute calls step for each diagonal block, of states k0..k1−1: first downwards, after the states from..to−1 before
// it, then upwards, after those behind it. It passes the inverse of the block of the triangular matrix of each direction.
func (f *GTH) substitute(ctx context.Context, down, up Matrix, step func(inverse blas64.General, k0, k1, from, to int)) {
	for k0 := 0; k0 < f.n; k0 += f.size {
		if k0 > 0 && ctx.Err() != nil {
			return
		}
		k1 := min(k0+f.size, f.n)
		step(f.inverse(down, k0, k1), k0, k1, 0, k0)
	}
	for k0 := (f.n - 1) / f.size * f.size; k0 >= 0; k0 -= f.size {
		k1 := min(k0+f.size, f.n)
		if k1 < f.n && ctx.Err() != nil {
			return
		}
		step(f.inverse(up, k0, k1), k0, k1, k1, f.n)
	}
}

// SolveVec overwrites x with M⁻¹·x, x nonnegative.
func (f *GTH) SolveVec(x []float64) {
	for i := range x {
		x[i] += floats.Dot(f.rates.Row(i)[:i], x[:i])
	}
	for i := f.n - 1; i >= 0; i-- {
		x[i] = (x[i] + floats.Dot(f.rates.Row(i)[i+1:], x[i+1:])) / f.rates.At(i, i)
	}
}

// SolveLeft overwrites x with x·M⁻¹. The elements of x are nonnegative, but for an [LU].
func (f *GTH) SolveLeft(x []float64) {
	const together = 2 * rowsAtOnce // rows that are read together
	for i0 := 0; i0 < f.n; i0 += together {
		i1 := min(i0+together, f.n)
		for i := i0; i < i1; i++ {
			if x[i] == 0 {
				continue
			}
			row := f.rates.Row(i)[:i1]
			x[i] /= row[i]
			floats.AddScaled(x[i+1:i1], x[i], row[i+1:])
		}
		addSome(x, f.rates, i0, i1, i1, f.n)
	}
	for i1 := f.n; i1 > 0; i1 -= min(together, i1) {
		i0 := max(0, i1-together)
		for i := i1 - 1; i > i0; i-- {
			if x[i] != 0 {
				floats.AddScaled(x[i0:i], x[i], f.rates.Row(i)[i0:i])
			}
		}
		addSome(x, f.rates, i0, i1, 0, i0)
	}
	f.exchangeBack(x)
}

// exchangeBack undoes the exchanges of rows in the elements of x, from the last one on.
func (f *GTH) exchangeBack(x []float64) {
	for i, p := range slices.Backward(f.pivot) {
		x[i], x[p] = x[p], x[i]
	}
}

// SolveLeftRows overwrites each row x of b, q×n, with x·M⁻¹, unless ctx ends. The elements of b are nonnegative, but for an
// [LU].
func (f *GTH) SolveLeftRows(ctx context.Context, b Matrix) {
	if b.Rows == 0 {
		return
	}
	f.invert()
	f.substitute(ctx, f.upper, f.lower, func(inverse blas64.General, k0, k1, from, to int) {
		columns := b.part(0, b.Rows, k0, k1)
		addProduct(ctx, b.part(0, b.Rows, from, to), f.rates.part(from, to, k0, k1), columns)
		timesBlock(ctx, columns, inverse)
	})
	for i := range b.Rows {
		f.exchangeBack(b.Row(i))
	}
}

// StationaryGTH returns the stationary vector, summing to one, of the chain with rates p (destroyed; its diagonal does
// not count). States that are left for good get zero; more than one class that is never left is ErrReducible.
func StationaryGTH(ctx context.Context, p Matrix) ([]float64, error) {
	if p.Rows == 0 {
		return nil, fmt.Errorf("a chain with no states")
	}
	rates := p
	f := &GTH{n: p.Rows, size: blockSize(p.Rows), rates: p, exit: make([]float64, p.Rows)}
	last := f.eliminate(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if last < p.Rows-1 && !leadTo(rates, last) {
		return nil, fmt.Errorf("more than one closed class of states: %w", ErrReducible)
	}
	x := make([]float64, p.Rows)
	x[last] = 1
	for i := last; i > 0; i-- {
		if x[i] != 0 {
			floats.AddScaled(x[:i], x[i], f.rates.Row(i)[:i])
		}
	}
	if outOfRange(x) {
		x = f.wideStationary(last)
	}
	floats.Scale(1/Sum(x), x)
	return x, nil
}

// outOfRange reports whether products with some of the positive numbers, or with what has become zero or infinite of
// them, may have lost digits.
func outOfRange(x []float64) bool {
	const least, most = 0x1p-500, 0x1p500
	return slices.ContainsFunc(x, func(v float64) bool { return !(v <= most) || v > 0 && v < least })
}

// wideStationary substitutes back in numbers of any size. The largest of what it returns is about one, and what is too small
// beside it for a number is zero.
func (f *GTH) wideStationary(last int) []float64 {
	const digits = 53
	x := make([]*big.Float, f.n)
	for i := range x {
		x[i] = new(big.Float).SetPrec(digits)
	}
	x[last].SetInt64(1)
	largest := 0
	for i := last; i >= 0; i-- {
		for j, rate := range f.rates.Row(i)[:i] {
			if rate > 0 {
				x[j].Add(x[j], new(big.Float).Mul(x[i], big.NewFloat(rate)))
			}
		}
		largest = max(largest, x[i].MantExp(nil))
	}
	narrow := make([]float64, f.n)
	for i, v := range x {
		narrow[i], _ = v.SetMantExp(v, -largest).Float64()
	}
	return narrow
}

// leadTo reports whether every state reaches k, at which an elimination has stopped: state k is in a closed class of
// states up to k, and there is no other closed class if every state reaches this one. Off the diagonal, rows of a stopped
// elimination hold rates and multipliers; both are positive only where a way leads from one state to the other.
func leadTo(p Matrix, k int) bool {
	reaches := make([]bool, p.Rows)
	reaches[k] = true
	todo := []int{k}
	for len(todo) > 0 {
		to := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for i := range p.Rows {
			if !reaches[i] && p.At(i, to) > 0 {
				reaches[i] = true
				todo = append(todo, i)
			}
		}
	}
	return !slices.Contains(reaches, false)
}

// Release gives back what a factorisation holds, if its matrix is a scratch block too; it must not be used any more.
func (f *GTH) Release() {
	for _, m := range []Matrix{f.rates, f.upper, f.lower} {
		if m.Data != nil {
			m.Release()
		}
	}
}
