package block

import (
	"context"

	"gonum.org/v1/gonum/floats"
)

// Censor observes a chain only while it is outside its first n states, the set B. m holds the off-diagonal rates between
// all states, and exit the rates at which states are left for good. For the rows and columns from n on, they become
//
//	m_ij + m_iB·(diag(out_B) − m_BB)⁻¹·m_Bj,  exit_i + m_iB·(diag(out_B) − m_BB)⁻¹·exit_B,
//
// without a subtraction. out_B is the total rate out of each state of B. There may be more or fewer rows than columns
// from n on. The other entries of m and exit are overwritten. The error is [ErrReducible] if a state of B is never left,
// or the error of ctx.
//
// B is eliminated in blocks of up to 48 states, in the order of [GTH]. Each block is inverted whole, as [InvertGTH] does.
// The inverse of a block takes more operations than its triangular factors. But all of them are products and small
// inverses by kernels, where factors are computed row by row. Factors of B would not be needed again.
func Censor(ctx context.Context, m Matrix, exit []float64, n int) error {
	leaving := NewRaw(1, n)
	defer leaving.Release()
	c := censoring{rates: m, exit: exit, size: blockSize(n), inverses: inversion{m.RowRange(0, n), leaving.Data}}
	if err := c.eliminate(ctx, 0, n); err != nil {
		return err
	}
	c.leaveOut(ctx, n, m.Rows, 0, n)
	return ctx.Err()
}

// censoring is a chain whose first states are eliminated. The diagonal block of eliminated states holds their mean times
// in each other, until the chain goes to a later state or leaves for good.
type censoring struct {
	rates    Matrix
	exit     []float64 // rates at which states are left for good
	size     int       // of a block of states that are eliminated together
	inverses inversion // of the diagonal blocks of rates; its exit holds rates to later states, too
}

// eliminate eliminates the states i0 to i1−1, whose rows are updated for all states before them. The error is
// [ErrReducible] if a state is never left, or the error of ctx.
func (c *censoring) eliminate(ctx context.Context, i0, i1 int) error {
	if i1-i0 <= c.size {
		for i := i0; i < i1; i++ {
			c.inverses.exit[i] = c.exit[i] + Sum(c.rates.Row(i)[i1:])
		}
		return c.inverses.invert(ctx, i0, i1)
	}
	mid := c.middle(i0, i1)
	if err := c.eliminate(ctx, i0, mid); err != nil {
		return err
	}
	c.leaveOut(ctx, mid, i1, i0, mid)
	if err := ctx.Err(); err != nil {
		return err
	}
	return c.eliminate(ctx, mid, i1)
}

// middle divides the blocks of the states i0 to i1−1 into two halves.
func (c *censoring) middle(i0, i1 int) int {
	blocks := (i1 - i0 + c.size - 1) / c.size
	return i0 + blocks/2*c.size
}

// leaveOut updates the rows i0 to i1−1 for the eliminated states j0 to j1−1: transitions into these states become
// transitions to where the chain goes from there.
func (c *censoring) leaveOut(ctx context.Context, i0, i1, j0, j1 int) {
	c.setTimes(ctx, i0, i1, j0, j1)
	for i := i0; i < i1; i++ {
		c.exit[i] += floats.Dot(c.rates.Row(i)[j0:j1], c.exit[j0:j1])
	}
	subMulAdd(ctx, c.rates, i0, i1, j0, j1, j1, c.rates.Cols)
}

// setTimes overwrites the rates from rows i0 to i1−1 into the eliminated states j0 to j1−1. They become mean times in
// these states until the chain goes on to a later state, for each unit of time in the state of the row.
func (c *censoring) setTimes(ctx context.Context, i0, i1, j0, j1 int) {
	if ctx.Err() != nil {
		return
	}
	if j1-j0 <= c.size {
		timesBlock(ctx, c.rates.part(i0, i1, j0, j1), c.rates.part(j0, j1, j0, j1))
		return
	}
	mid := c.middle(j0, j1)
	c.setTimes(ctx, i0, i1, j0, mid)
	subMulAdd(ctx, c.rates, i0, i1, j0, mid, mid, j1)
	c.setTimes(ctx, i0, i1, mid, j1)
}
