package block

import (
	"context"
	"fmt"
)

// Censor watches a chain only while it is outside its first n states: m, off-diagonal rates between all states, and exit, at
// which they are left for good, become
//
//	m_ij + m_iB·(out_B − m_BB)⁻¹·m_Bj,  exit_i + m_iB·(out_B − m_BB)⁻¹·exit_B
//
// for the rows and columns from n on, B being the first n states, without a subtraction; of those there may be more or
// fewer rows than columns. It returns [ErrReducible] for states of B that are never left, and the error of ctx if that
// ends.
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
