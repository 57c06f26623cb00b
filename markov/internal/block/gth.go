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

// gthBlock is the largest block of the factorisation and of solves with many right-hand sides. gthRows is the number of
// rows that are eliminated one by one within a block. All other work is products.
const (
	gthBlock = 48
	gthRows  = 12
)

// blockSize divides n states into blocks of about equal size, a multiple of gthRows, and returns the size.
func blockSize(n int) int {
	blocks := (n + gthBlock - 1) / gthBlock
	rows := (n + blocks - 1) / max(1, blocks)
	return (rows + gthRows - 1) / gthRows * gthRows
}

// ErrReducible tells that some states are never left, or cannot all be reached from each other.
var ErrReducible = errors.New("reducible")

// GTH factors M = diag(out) − P. P ≥ 0 holds the rates between n states. out is the total rate out of each state,
// including the rates exit ≥ 0 out of the set. Censored chains lead to linear systems with such matrices. The diagonal of
// P is not read.
//
// The factorisation is M = (I − L)·(diag(pivots) − R), with L below and R above the diagonal, both nonnegative. A pivot
// is the sum of what is left of a row, never a difference. Right-hand sides must be nonnegative. Then nothing is
// subtracted, and each entry of a result has a small relative error, however stiff the rates are.
//
// Reference: W. K. Grassmann, M. I. Taksar, D. P. Heyman, Regenerative analysis and steady state distributions for Markov
// chains, Oper. Res. 33 (1985) 1107–1116.
type GTH struct {
	n     int
	size  int    // of a block
	rates Matrix // L below the diagonal, pivots on it, R above it
	exit  []float64
	// upper, n × size, holds the inverses of the diagonal blocks of U = diag(pivots) − R, each in the rows of its
	// block. lower holds the inverses of the diagonal blocks of I − L. They are nonnegative, so products with them
	// subtract nothing either.
	upper, lower Matrix
	pivot        []int // of an [LU]: row i of M was exchanged with row pivot[i], in this order
}

// FactorGTH factors in place: it overwrites and keeps p and exit. The error is ErrReducible if some states cannot be
// left, or the error of ctx.
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

// eliminate eliminates the states in order. It returns the first state whose pivot is zero, or n if no pivot is zero.
// If ctx ends, the number has no meaning.
func (f *GTH) eliminate(ctx context.Context) int {
	if f.n > f.size {
		f.upper = NewScratch(f.n, f.size)
	}
	return f.eliminateRows(ctx, 0, f.n)
}

// eliminateRows eliminates the states i0 to i1−1, whose rows are updated for all states before them. It eliminates the
// first half of them, updates the other half for the first, and eliminates the other half. So nearly all work is products
// of large blocks.
func (f *GTH) eliminateRows(ctx context.Context, i0, i1 int) int {
	if i1-i0 <= f.size {
		done := f.finishBlock(ctx, i0, i1)
		if done == i1 && f.upper.Rows > 0 {
			f.invertUpper(ctx, i0, i0, i1)
		}
		return done
	}
	before := eliminatedStates{f.rates, f.exit, f.size, f.upper}
	mid := before.middle(i0, i1)
	if done := f.eliminateRows(ctx, i0, mid); done < mid {
		return done
	}
	before.leaveOut(ctx, mid, i1, i0, mid)
	if ctx.Err() != nil {
		return mid
	}
	return f.eliminateRows(ctx, mid, i1)
}

// finishBlock eliminates the states k0 to k1−1. It returns the first state whose pivot is zero, or k1.
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

// apply updates row i for the eliminated state k, in the columns before end.
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

// finishRow updates row i for the states s0 to i−1 and sets its pivot. It reports whether the pivot is positive.
func (f *GTH) finishRow(i, s0 int) bool {
	row := f.rates.Row(i)
	for k := s0; k < i; k++ {
		f.apply(i, k, f.rates.Cols)
	}
	row[i] = Sum(row[i+1:]) + f.exit[i]
	return row[i] > 0
}

// invertUpper computes U⁻¹ of the diagonal block of rows i0 to i1−1, in rows of zeros. k0 is the first row of the block
// that f.upper has in its columns. The inverse of two halves with the rates P from the first to the second is
//
//	(U₁ −P; 0 U₂)⁻¹ = (X₁ X₁·P·X₂; 0 X₂),  X_i = U_i⁻¹.
func (f *GTH) invertUpper(ctx context.Context, k0, i0, i1 int) {
	if i1-i0 > gthRows {
		mid := i0 + halfOf(i1-i0, gthRows)
		f.invertUpper(ctx, k0, i0, mid)
		f.invertUpper(ctx, k0, mid, i1)
		f.join(ctx, f.upper, k0, [2]int{i0, mid}, [2]int{mid, i1})
		return
	}
	for i := i1 - 1; i >= i0; i-- {
		row, x := f.rates.Row(i), f.upper.Row(i)[:i1-k0]
		for k := i + 1; k < i1; k++ {
			floats.AddScaled(x[k-k0:], row[k], f.upper.Row(k)[k-k0:i1-k0])
		}
		x[i-k0] = 1
		floats.Scale(1/row[i], x[i-k0:])
	}
}

// invertLower computes (I − L)⁻¹ of the diagonal block of rows i0 to i1−1, as invertUpper does.
func (f *GTH) invertLower(ctx context.Context, k0, i0, i1 int) {
	if i1-i0 > gthRows {
		mid := i0 + halfOf(i1-i0, gthRows)
		f.invertLower(ctx, k0, i0, mid)
		f.invertLower(ctx, k0, mid, i1)
		f.join(ctx, f.lower, k0, [2]int{mid, i1}, [2]int{i0, mid})
		return
	}
	for i := i0; i < i1; i++ {
		row, x := f.rates.Row(i), f.lower.Row(i)
		for k := i0; k < i; k++ {
			floats.AddScaled(x[i0-k0:k-k0+1], row[k], f.lower.Row(k)[i0-k0:k-k0+1])
		}
		x[i-k0] = 1
	}
}

// join sets the entries of an inverse between two sets of states, from and to, whose own inverses X it has. They are
// X_from·P·X_to with the factors P from one set to the other.
func (f *GTH) join(ctx context.Context, inverse Matrix, k0 int, from, to [2]int) {
	own := func(rows, columns [2]int) blas64.General {
		return inverse.part(rows[0], rows[1], columns[0]-k0, columns[1]-k0)
	}
	half := NewScratch(from[1]-from[0], to[1]-to[0])
	defer half.Release()
	addProduct(ctx, own(from, from), f.rates.part(from[0], from[1], to[0], to[1]), half.general())
	addProduct(ctx, half.general(), own(to, to), own(from, to))
}

// invert computes the inverses of all diagonal blocks that are missing.
func (f *GTH) invert(ctx context.Context) {
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
		f.invertLower(ctx, k0, k0, k1)
		if missing {
			f.invertUpper(ctx, k0, k0, k1)
		}
	}
}

// inverse returns the square block of upper or lower in rows k0 to k1−1.
func (f *GTH) inverse(of Matrix, k0, k1 int) blas64.General { return of.part(k0, k1, 0, k1-k0) }

// timesBlock overwrites b with b·x for square x.
func timesBlock(ctx context.Context, b, x blas64.General) {
	was := NewRaw(b.Rows, b.Cols)
	take(was, b)
	addProduct(ctx, was.general(), x, b)
	was.Release()
}

// blockTimes overwrites b with x·b for square x.
func blockTimes(ctx context.Context, x, b blas64.General) {
	was := NewRaw(b.Rows, b.Cols)
	take(was, b)
	addProduct(ctx, x, was.general(), b)
	was.Release()
}

// take moves b to to and leaves zeros in b.
func take(to Matrix, b blas64.General) {
	for i := range b.Rows {
		row := b.Data[i*b.Stride : i*b.Stride+b.Cols]
		copy(to.Row(i), row)
		clear(row)
	}
}

// Solve overwrites b, n×q, with M⁻¹·b. b is incomplete if ctx ends. The entries of b must be nonnegative, except for an
// [LU].
func (f *GTH) Solve(ctx context.Context, b Matrix) {
	if b.Cols == 0 {
		return
	}
	f.invert(ctx)
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

// SolveVec overwrites x ≥ 0 with M⁻¹·x.
func (f *GTH) SolveVec(x []float64) {
	for i := range x {
		x[i] += floats.Dot(f.rates.Row(i)[:i], x[:i])
	}
	for i := f.n - 1; i >= 0; i-- {
		x[i] = (x[i] + floats.Dot(f.rates.Row(i)[i+1:], x[i+1:])) / f.rates.At(i, i)
	}
}

// SolveLeft overwrites x with x·M⁻¹. The entries of x must be nonnegative, except for an [LU].
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

// exchangeBack undoes the exchanges of rows in the entries of x, the last exchange first.
func (f *GTH) exchangeBack(x []float64) {
	for i, p := range slices.Backward(f.pivot) {
		x[i], x[p] = x[p], x[i]
	}
}

// SolveLeftRows overwrites each row x of b, q×n, with x·M⁻¹. b is incomplete if ctx ends. The entries of b must be
// nonnegative, except for an [LU].
func (f *GTH) SolveLeftRows(ctx context.Context, b Matrix) {
	if b.Rows == 0 {
		return
	}
	f.invert(ctx)
	f.substitute(ctx, f.upper, f.lower, func(inverse blas64.General, k0, k1, from, to int) {
		columns := b.part(0, b.Rows, k0, k1)
		addProduct(ctx, b.part(0, b.Rows, from, to), f.rates.part(from, to, k0, k1), columns)
		timesBlock(ctx, columns, inverse)
	})
	for i := range b.Rows {
		f.exchangeBack(b.Row(i))
	}
}

// StationaryGTH returns the stationary vector, which sums to one, of the chain with rates p. p is overwritten and its
// diagonal is not read. Transient states get zero. The error is ErrReducible if there is more than one closed class.
func StationaryGTH(ctx context.Context, p Matrix) ([]float64, error) {
	if p.Rows == 0 {
		return nil, fmt.Errorf("a chain with no states")
	}
	rates := p
	f := &GTH{n: p.Rows, size: blockSize(p.Rows), rates: p, exit: make([]float64, p.Rows)}
	last := f.eliminate(ctx)
	if f.upper.Data != nil {
		f.upper.Release()
	}
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

// outOfRange reports whether some positive number, or its product with others, may have left the range of a float64.
func outOfRange(x []float64) bool {
	const least, most = 0x1p-500, 0x1p500
	return slices.ContainsFunc(x, func(v float64) bool { return !(v <= most) || v > 0 && v < least })
}

// wideStationary substitutes back with numbers of unlimited range. The largest entry of the result is about one, and
// entries that are too small beside it are zero.
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

// leadTo reports whether every state reaches state k, at which an elimination has stopped. State k is in a closed class
// of states up to k. There is no other closed class if every state reaches k. Off the diagonal, rows of a stopped
// elimination hold rates and multipliers. Both are positive only where a path leads from one state to the other.
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

// Release releases the storage of a factorisation whose matrix is a scratch block. The factorisation must not be used any
// more.
func (f *GTH) Release() {
	for _, m := range []Matrix{f.rates, f.upper, f.lower} {
		if m.Data != nil {
			m.Release()
		}
	}
}

// GTHBound returns the relative error of a component of a stationary vector by elimination without subtractions. In
// practice it is a few rounding errors for each state that is censored on a path, at most as many states as there are.
//
// Reference: C. A. O'Cinneide, Entrywise perturbation theory and error analysis for Markov chains, Numer. Math. 65 (1993)
// 109–120.
func GTHBound(states int) float64 { return 2 * UnitRoundoff * float64(states+4) }
