package block

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// StationaryGTH returns the stationary vector, which sums to one, of the chain with rates p. p is overwritten and its
// diagonal is not read. Transient states get zero. The error is ErrReducible if there is more than one closed class.
func StationaryGTH(ctx context.Context, p Matrix) ([]float64, error) {
	if p.Rows == 0 {
		return nil, fmt.Errorf("a chain with no states")
	}
	rates := p
	f := rowElimination{triangles{n: p.Rows, size: blockSize(p.Rows), rates: p}, make([]float64, p.Rows)}
	last := f.eliminate(ctx)
	f.release()
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

// rowElimination eliminates the states of a chain one by one, for stationary vectors: the chain may have states that are
// never left, and multipliers of one state each stay within range where a stationary vector does not. A pivot is the sum
// of what is left of a row, never a difference.
type rowElimination struct {
	triangles
	exit []float64
}

// eliminate eliminates the states in order. It returns the first state whose pivot is zero, or n if no pivot is zero.
// If ctx ends, the number has no meaning.
func (f *rowElimination) eliminate(ctx context.Context) int {
	if f.n > f.size {
		f.upper = NewScratch(f.n, f.size)
	}
	return f.eliminateRows(ctx, 0, f.n)
}

// eliminateRows eliminates the states i0 to i1−1, whose rows are updated for all states before them. It eliminates the
// first half of them, updates the other half for the first, and eliminates the other half. So nearly all work is products
// of large blocks.
func (f *rowElimination) eliminateRows(ctx context.Context, i0, i1 int) int {
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
func (f *rowElimination) finishBlock(ctx context.Context, k0, k1 int) int {
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
func (f *rowElimination) apply(i, k, end int) {
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
func (f *rowElimination) finishRow(i, s0 int) bool {
	row := f.rates.Row(i)
	for k := s0; k < i; k++ {
		f.apply(i, k, f.rates.Cols)
	}
	row[i] = Sum(row[i+1:]) + f.exit[i]
	return row[i] > 0
}

// outOfRange reports whether some positive number, or its product with others, may have left the range of a float64.
func outOfRange(x []float64) bool {
	const least, most = 0x1p-500, 0x1p500
	return slices.ContainsFunc(x, func(v float64) bool { return !(v <= most) || v > 0 && v < least })
}

// wideStationary substitutes back with numbers of unlimited range. The largest entry of the result is about one, and
// entries that are too small beside it are zero.
func (f *rowElimination) wideStationary(last int) []float64 {
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
