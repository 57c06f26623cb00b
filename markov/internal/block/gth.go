package block

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// gthBlock is the largest block of states that are eliminated together, and of solves with many right-hand sides. gthRows
// is the unit of its size: the kernels are fastest at multiples of it.
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
// States are eliminated in blocks of up to 48, as in [Censor]. The factorisation is M = (I − L)·(X⁻¹ − R), with L below, X
// in and R above the diagonal blocks, all nonnegative. X holds the mean times in the states of a block until the chain
// goes to a later state or leaves for good. It comes from the flows out of the block, which are sums, never differences.
// Right-hand sides must be nonnegative. Then nothing is subtracted, and each entry of a result has a small relative error,
// however stiff the rates are. Nearly all of the 2/3·n³ operations are products.
//
// Reference: W. K. Grassmann, M. I. Taksar, D. P. Heyman, Regenerative analysis and steady state distributions for Markov
// chains, Oper. Res. 33 (1985) 1107–1116.
type GTH struct {
	eliminatedStates // rates holds L below the diagonal blocks, X in them, and R above them
}

// FactorGTH factors in place: it overwrites p, which it keeps, and exit. The error is ErrReducible if some states cannot
// be left, or the error of ctx.
func FactorGTH(ctx context.Context, p Matrix, exit []float64) (*GTH, error) {
	e, err := eliminated(ctx, p, exit, p.Rows)
	if err != nil {
		return nil, err
	}
	return &GTH{e}, nil
}

// timesBlock overwrites b with b·x for square x. It copies some rows at a time, which stay in the first-level cache.
func timesBlock(ctx context.Context, b, x blas64.General) {
	const together = 64
	if b.Rows <= together {
		timesSmall(ctx, b, x)
		return
	}
	Share(b.Rows, tileRows, b.Rows*b.Cols*b.Cols, func(from, to int) {
		for i0 := from; i0 < to; i0 += together {
			timesSmall(ctx, part(b, i0, min(i0+together, to), 0, b.Cols), x)
		}
	})
}

// timesSmall is timesBlock for few rows.
func timesSmall(ctx context.Context, b, x blas64.General) {
	was := NewRaw(b.Rows, b.Cols)
	SetProduct(ctx, copied(was, b), x, b)
	was.Release()
}

// blockTimes overwrites b with x·b for square x.
func blockTimes(ctx context.Context, x, b blas64.General) {
	was := NewRaw(b.Rows, b.Cols)
	SetProduct(ctx, x, copied(was, b), b)
	was.Release()
}

// copied returns a copy of b in the first rows of to, which has as many columns.
func copied(to Matrix, b blas64.General) blas64.General {
	for i := range b.Rows {
		copy(to.Row(i), b.Data[i*b.Stride:])
	}
	return to.part(0, b.Rows, 0, b.Cols)
}

// Solve overwrites b ≥ 0, n×q, with M⁻¹·b. b is incomplete if ctx ends.
func (f *GTH) Solve(ctx context.Context, b Matrix) {
	if b.Rows > 0 && b.Cols > 0 {
		f.addFromEarlier(ctx, b, 0, b.Rows)
		f.solveUpper(ctx, b, 0, b.Rows)
	}
}

// addFromEarlier overwrites the rows i0 to i1−1 of b with (I − L)⁻¹ times them, for L of these states.
func (f *GTH) addFromEarlier(ctx context.Context, b Matrix, i0, i1 int) {
	if i1-i0 <= f.size || ctx.Err() != nil {
		return
	}
	mid := f.middle(i0, i1)
	f.addFromEarlier(ctx, b, i0, mid)
	addProduct(ctx, f.rates.part(mid, i1, i0, mid), b.part(i0, mid, 0, b.Cols), b.part(mid, i1, 0, b.Cols))
	f.addFromEarlier(ctx, b, mid, i1)
}

// solveUpper overwrites the rows i0 to i1−1 of b with (X⁻¹ − R)⁻¹ times them, for X and R of these states.
func (f *GTH) solveUpper(ctx context.Context, b Matrix, i0, i1 int) {
	if ctx.Err() != nil {
		return
	}
	if i1-i0 <= f.size {
		blockTimes(ctx, f.inverse(i0, i1), b.part(i0, i1, 0, b.Cols))
		return
	}
	mid := f.middle(i0, i1)
	f.solveUpper(ctx, b, mid, i1)
	addProduct(ctx, f.rates.part(i0, mid, mid, i1), b.part(mid, i1, 0, b.Cols), b.part(i0, mid, 0, b.Cols))
	f.solveUpper(ctx, b, i0, mid)
}

// SolveLeftRows overwrites each row x ≥ 0 of b, q×n, with x·M⁻¹. b is incomplete if ctx ends.
func (f *GTH) SolveLeftRows(ctx context.Context, b Matrix) {
	if b.Rows > 0 && b.Cols > 0 {
		f.setMultipliers(ctx, b, 0, b.Cols)
		f.addToEarlier(ctx, b, 0, b.Cols)
	}
}

// addToEarlier overwrites the columns j0 to j1−1 of b with them times (I − L)⁻¹, for L of these states.
func (f *GTH) addToEarlier(ctx context.Context, b Matrix, j0, j1 int) {
	if j1-j0 <= f.size || ctx.Err() != nil {
		return
	}
	mid := f.middle(j0, j1)
	f.addToEarlier(ctx, b, mid, j1)
	addProduct(ctx, b.part(0, b.Rows, mid, j1), f.rates.part(mid, j1, j0, mid), b.part(0, b.Rows, j0, mid))
	f.addToEarlier(ctx, b, j0, mid)
}

// SolveVec overwrites x ≥ 0 with M⁻¹·x.
func (f *GTH) SolveVec(x []float64) {
	var room [gthBlock]float64
	substitute(context.Background(), len(x), f.size,
		func(k0, k1 int) {
			for i := k0; i < k1; i++ {
				x[i] += floats.Dot(f.rates.Row(i)[:k0], x[:k0])
			}
		},
		func(k0, k1 int) {
			block := room[:k1-k0]
			for i := k0; i < k1; i++ {
				block[i-k0] = x[i] + floats.Dot(f.rates.Row(i)[k1:], x[k1:])
			}
			for i := k0; i < k1; i++ {
				x[i] = floats.Dot(f.rates.Row(i)[k0:k1], block)
			}
		})
}

// SolveLeft overwrites x ≥ 0 with x·M⁻¹.
func (f *GTH) SolveLeft(x []float64) {
	var room [gthBlock]float64
	substitute(context.Background(), len(x), f.size,
		func(k0, k1 int) {
			block := room[:copy(room[:], x[k0:k1])]
			clear(x[k0:k1])
			addSome(x[k0:k1], block, f.rates, k0, k0)
			addSome(x[k1:], x[k0:k1], f.rates, k0, k1)
		},
		func(k0, k1 int) { addSome(x[:k0], x[k0:k1], f.rates, k0, 0) })
}

// Release releases the storage of a factorisation whose matrix is a scratch block. The factorisation must not be used any
// more.
func (f *GTH) Release() { f.rates.Release() }

// GTHBound returns the relative error of a component of a stationary vector by elimination without subtractions. In
// practice it is a few rounding errors for each state that is censored on a path, at most as many states as there are.
//
// Reference: C. A. O'Cinneide, Entrywise perturbation theory and error analysis for Markov chains, Numer. Math. 65 (1993)
// 109–120.
func GTHBound(states int) float64 { return 2 * UnitRoundoff * float64(states+4) }
