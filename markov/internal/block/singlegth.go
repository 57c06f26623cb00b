package block

import (
	"context"

	"gonum.org/v1/gonum/blas/blas32"
)

// SingleGTH is a factorisation of [GTH] in single precision. Right-hand sides may have either sign.
type SingleGTH struct {
	rates Single // as the rates of GTH
	size  int    // of a block of states
}

// Single returns the factorisation, rounded, in a block from the pools.
func (f *GTH) Single() *SingleGTH { return &SingleGTH{SingleOf(f.rates), f.size} }

// Release releases the storage. The factorisation must not be used any more.
func (f *SingleGTH) Release() { f.rates.Release() }

// SolveLeftRows overwrites each row x of b, q×n, with x·M⁻¹. It takes the steps of [GTH.SolveLeftRows].
func (f *SingleGTH) SolveLeftRows(ctx context.Context, b Single) {
	room := NewSingle(b.Rows, f.size)
	defer room.Release()
	f.setMultipliers(ctx, b, room, 0, b.Cols)
	f.addToEarlier(ctx, b, 0, b.Cols)
}

// middle divides the blocks of the states j0 to j1−1 into two halves, as the elimination did.
func (f *SingleGTH) middle(j0, j1 int) int {
	return (&eliminatedStates{size: f.size}).middle(j0, j1)
}

// setMultipliers is that of eliminatedStates for the columns j0 to j1−1 of b.
func (f *SingleGTH) setMultipliers(ctx context.Context, b, room Single, j0, j1 int) {
	into := func(from, to int) blas32.General { return b.part(0, b.Rows, from, to) }
	if j1-j0 <= f.size {
		for i := range b.Rows {
			row := b.Row(i)[j0:j1]
			copy(room.Row(i), row)
			clear(row)
		}
		addSingleProduct(ctx, room.part(0, b.Rows, 0, j1-j0), f.rates.part(j0, j1, j0, j1), into(j0, j1))
		return
	}
	mid := f.middle(j0, j1)
	f.setMultipliers(ctx, b, room, j0, mid)
	addSingleProduct(ctx, into(j0, mid), f.rates.part(j0, mid, mid, j1), into(mid, j1))
	f.setMultipliers(ctx, b, room, mid, j1)
}

// addToEarlier is that of [GTH] for the columns j0 to j1−1 of b.
func (f *SingleGTH) addToEarlier(ctx context.Context, b Single, j0, j1 int) {
	if j1-j0 <= f.size {
		return
	}
	mid := f.middle(j0, j1)
	f.addToEarlier(ctx, b, mid, j1)
	addSingleProduct(ctx, b.part(0, b.Rows, mid, j1), f.rates.part(mid, j1, j0, mid), b.part(0, b.Rows, j0, mid))
	f.addToEarlier(ctx, b, j0, mid)
}
