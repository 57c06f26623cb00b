package block

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// eliminatedStates are states of a chain that are eliminated block by block, in order. Each eliminated block has an
// inverse X: [Censor] and [GTH] invert a block whole, and a rowElimination inverts the triangular factor of a block. The
// rows of the block are kept, updated for all states before them; a rowElimination updates them for the states of their own
// block, too.
type eliminatedStates struct {
	rates Matrix    // off-diagonal, between all states
	exit  []float64 // rates at which states are left for good
	size  int       // of a block of states that are eliminated together
	apart Matrix    // the inverses, each in the rows of its block; without rows the inverses stand in rates, in place of the blocks
}

// middle divides the blocks of the states i0 to i1−1 into two halves. It returns the first state of the second half.
func (e *eliminatedStates) middle(i0, i1 int) int {
	blocks := (i1 - i0 + e.size - 1) / e.size
	return i0 + blocks/2*e.size
}

// leaveOut updates the rows i0 to i1−1 for the eliminated states j0 to j1−1: transitions into these states become
// transitions to where the chain goes from there.
func (e *eliminatedStates) leaveOut(ctx context.Context, i0, i1, j0, j1 int) {
	e.setMultipliers(ctx, e.rates.RowRange(i0, i1), j0, j1)
	if floats.Max(e.exit[j0:j1]) > 0 {
		for i := i0; i < i1; i++ {
			e.exit[i] += floats.Dot(e.rates.Row(i)[j0:j1], e.exit[j0:j1])
		}
	}
	subMulAdd(ctx, e.rates, i0, i1, j0, j1, j1, e.rates.Cols)
}

// setMultipliers overwrites the rates of rows into the eliminated states j0 to j1−1, block by block, with their product
// with X. A row then gets the rows of these states times the multipliers. With X of [Censor] they are mean times in these
// states until the chain goes on to a later state. The times are for each unit of time in the state of the row.
func (e *eliminatedStates) setMultipliers(ctx context.Context, rows Matrix, j0, j1 int) {
	if ctx.Err() != nil {
		return
	}
	into := func(from, to int) blas64.General { return rows.part(0, rows.Rows, from, to) }
	if j1-j0 <= e.size {
		timesBlock(ctx, into(j0, j1), e.inverse(j0, j1))
		return
	}
	mid := e.middle(j0, j1)
	e.setMultipliers(ctx, rows, j0, mid)
	addProduct(ctx, into(j0, mid), e.rates.part(j0, mid, mid, j1), into(mid, j1))
	e.setMultipliers(ctx, rows, mid, j1)
}

// inverse returns X of the block of the states j0 to j1−1.
func (e *eliminatedStates) inverse(j0, j1 int) blas64.General {
	if e.apart.Rows == 0 {
		return e.rates.part(j0, j1, j0, j1)
	}
	return e.apart.part(j0, j1, 0, j1-j0)
}
