package block

import (
	"context"
)

// censorBlock is how many states are censored at a time at most: the fewer are inverted at a time, the less that costs;
// the more a product sums, the faster it is. It is a multiple of what is inverted in registers.
const censorBlock = 96

// Censor watches a chain only while it is outside its first n states: m, off-diagonal rates between all states, becomes
//
//	m_ij + m_iB·(out_B − m_BB)⁻¹·m_Bj
//
// for the rows and columns from n on, one block B of states at a time, without a subtraction; of those there may be more
// or fewer rows than columns. Cores share the columns. It returns the error of ctx if that ends.
func Censor(ctx context.Context, m Matrix, n int) error {
	blocks := max(1, (n+censorBlock-1)/censorBlock)
	size := (n + blocks*side - 1) / (blocks * side) * side
	z, exit := NewRaw(size, size), make([]float64, size)
	defer z.Release()
	for b0 := 0; b0 < n; b0 += size {
		if err := ctx.Err(); err != nil {
			return err
		}
		b1 := min(b0+size, n)
		k, left := b1-b0, m.Cols-b1
		sojourns := Over(k, k, z.Data[:k*k])
		for i := range k {
			row := m.Row(b0 + i)
			copy(sojourns.Row(i), row[b0:b1])
			exit[i] = Sum(row[b1:])
		}
		if err := InvertGTH(ctx, sojourns, exit[:k]); err != nil {
			return err
		}
		Share(left, widest, k*(k+m.Rows-b1)*left, func(from, to int) {
			onward := NewScratch(k, to-from) // from each state of the block, where it is left to
			defer onward.Release()
			addProduct(ctx, sojourns.general(), m.part(b0, b1, b1+from, b1+to), onward.general())
			addProduct(ctx, m.part(b1, m.Rows, b0, b1), onward.general(), m.part(b1, m.Rows, b1+from, b1+to))
		})
	}
	return ctx.Err()
}
