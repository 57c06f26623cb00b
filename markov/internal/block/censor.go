package block

import (
	"context"
	"fmt"
)

// Censor observes a chain only while it is outside its first n states, the set B. m holds the off-diagonal rates between
// all states, and exit the rates at which states are left for good. For the rows and columns from n on, they become
//
//	m_ij + m_iB·(diag(out_B) − m_BB)⁻¹·m_Bj,  exit_i + m_iB·(diag(out_B) − m_BB)⁻¹·exit_B,
//
// without a subtraction. out_B is the total rate out of each state of B. There may be more or fewer rows than columns
// from n on. The error is [ErrReducible] if a state of B is never left, or the error of ctx.
func Censor(ctx context.Context, m Matrix, exit []float64, n int) error {
	f := &GTH{n: n, size: blockSize(n), rates: m, exit: exit}
	f.upper = NewScratch(n, f.size)
	defer f.upper.Release()
	k := f.eliminateRows(ctx, 0, n)
	if err := ctx.Err(); err != nil {
		return err
	}
	if k < n {
		return fmt.Errorf("state %d of %d is never left: %w", k, n, ErrReducible)
	}
	f.goRound(ctx, n, m.Rows, 0, n)
	return ctx.Err()
}
