package block

import "context"

// Censor observes a chain only while it is outside its first n ≥ 1 states, the set B. m holds the off-diagonal rates
// between all states, and exit the rates at which states are left for good. For the rows and columns from n on, they
// become
//
//	m_ij + m_iB·(diag(out_B) − m_BB)⁻¹·m_Bj,  exit_i + m_iB·(diag(out_B) − m_BB)⁻¹·exit_B,
//
// without a subtraction. out_B is the total rate out of each state of B. There may be more or fewer rows than columns
// from n on. The other entries of m and exit are overwritten. The error is [ErrReducible] if a state of B is never left,
// or the error of ctx.
//
// B is eliminated in blocks of up to 48 states, in their order. Each block is inverted whole, as [InvertGTH] does. The
// inverse of a block takes more operations than its triangular factors. But all of them are products and small inverses by
// kernels, where factors are computed row by row. With 100 states this takes half the time of factors row by row.
func Censor(ctx context.Context, m Matrix, exit []float64, n int) error {
	e, err := eliminated(ctx, m, exit, n)
	if err != nil {
		return err
	}
	e.leaveOut(ctx, n, m.Rows, 0, n)
	return ctx.Err()
}

// Through sets to to the rates of a chain through its states B,
//
//	up·(diag(out_B) − m_BB)⁻¹·m_Bj,
//
// where up holds the rates into B from other states, and m the rates out of the states of B: to B itself, and in the other
// columns j to other states. These are the rates that [Censor] adds, for exit rates of zero. m and up are overwritten. The
// numbers in to must be finite before. The error is that of Censor.
func Through(ctx context.Context, to, up, m Matrix) error {
	exit := NewScratch(1, m.Rows)
	defer exit.Release()
	e, err := eliminated(ctx, m, exit.Data, m.Rows)
	if err != nil {
		return err
	}
	e.setMultipliers(ctx, up, 0, m.Rows)
	SetProduct(ctx, up.general(), m.part(0, m.Rows, m.Rows, m.Cols), to.general())
	return ctx.Err()
}

// eliminated eliminates the first n states of the chain of [Censor].
func eliminated(ctx context.Context, m Matrix, exit []float64, n int) (eliminatedStates, error) {
	leaving := NewRaw(1, n+1)
	defer leaving.Release()
	c := censoring{eliminatedStates{rates: m, exit: exit, size: blockSize(n)}, inversion{m.RowRange(0, n), leaving.Data[:n]}}
	err := c.eliminate(ctx, 0, n)
	if ctx.Err() != nil { // products may be incomplete, so that states seem never to be left
		err = ctx.Err()
	}
	return c.eliminatedStates, err
}

// censoring is a chain whose first states are eliminated. The diagonal block of eliminated states holds their mean times
// in each other, until the chain goes to a later state or leaves for good.
type censoring struct {
	eliminatedStates
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
