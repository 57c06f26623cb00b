package block

import (
	"context"
)

// Censoring goes by wide blocks of states, and within them by narrow ones. The fewer states are inverted at a time, the
// less that costs; the more a product sums, the faster it is.
const (
	wideBlock   = 120
	narrowBlock = 24
)

// Censor watches a chain only while it is outside its first n states: m, off-diagonal rates between all states, becomes
//
//	m_ij + m_iB·(out_B − m_BB)⁻¹·m_Bj
//
// for the rows and columns from n on, one block B of states at a time, without a subtraction. It returns the
// error of ctx if that ends.
func Censor(ctx context.Context, m Matrix, n int) error {
	blocks := (n + wideBlock - 1) / wideBlock
	size := (n + blocks - 1) / blocks
	onward := NewRaw(size, m.Cols) // from each state of a block, where it is left to: (out_B − m_BB)⁻¹·m_Bj
	defer onward.Release()
	for b0 := 0; b0 < n; b0 += size {
		b1 := min(b0+size, n)
		for j0 := b0; j0 < b1; j0 += narrowBlock {
			if err := ctx.Err(); err != nil {
				return err
			}
			j1 := min(j0+narrowBlock, b1)
			if err := leaveTo(ctx, onward.RowRange(j0-b0, j1-b0), m, j0, j1); err != nil {
				return err
			}
			beside(n, func() { // what the rest of the block leads to, and what leads to it
				addProduct(ctx, m.part(j1, b1, j0, j1), onward.part(j0-b0, j1-b0, j1, m.Cols),
					m.part(j1, b1, j1, m.Cols))
			}, func() {
				addProduct(ctx, m.part(b1, m.Rows, j0, j1), onward.part(j0-b0, j1-b0, j1, b1),
					m.part(b1, m.Rows, j1, b1))
			})
		}
		addProduct(ctx, m.part(b1, m.Rows, b0, b1), onward.part(0, b1-b0, b1, m.Cols), m.part(b1, m.Rows, b1, m.Cols))
	}
	return ctx.Err()
}

// leaveTo sets the columns of to from j1 on to (out − m_BB)⁻¹·m_Bj for the states B = j0..j1−1, all before them being
// censored.
func leaveTo(ctx context.Context, to, m Matrix, j0, j1 int) error {
	k := j1 - j0
	z := NewRaw(k, k)
	defer z.Release()
	var exit [narrowBlock]float64
	for i := range k {
		row := m.Row(j0 + i)
		copy(z.Row(i), row[j0:j1])
		exit[i] = Sum(row[j1:])
		clear(to.Row(i)[j1:])
	}
	if err := InvertGTH(ctx, z, exit[:k]); err != nil {
		return err
	}
	addProduct(ctx, z.general(), m.part(j0, j1, j1, m.Cols), to.part(0, k, j1, m.Cols))
	return nil
}
