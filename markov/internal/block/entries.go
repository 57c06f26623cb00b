package block

import (
	"context"

	"gonum.org/v1/gonum/floats"
)

// fewEntries is the share of entries that are not zero up to which a product goes by these: each of them takes as long as
// some ten in a product of blocks.
const fewEntries = 1. / 16

// Few reports whether few entries of a block are not zero.
func (m Matrix) Few() bool {
	left := int(fewEntries * float64(len(m.Data)))
	for _, v := range m.Data {
		if v != 0 {
			if left--; left < 0 {
				return false
			}
		}
	}
	return true
}

// MulAddEntries is [MulAdd] for blocks few entries of which may be not zero, in a or in b; it takes all others as they are.
func MulAddEntries(ctx context.Context, c, a, b Matrix) {
	switch {
	case a.Few():
		for i := range a.Rows {
			for k, v := range a.Row(i) {
				if v != 0 {
					floats.AddScaled(c.Row(i), v, b.Row(k))
				}
			}
		}
	case b.Few():
		to, start := b.entries()
		for i := range a.Rows {
			row := c.Row(i)
			for k, v := range a.Row(i) {
				if v == 0 {
					continue
				}
				for _, e := range to[start[k]:start[k+1]] {
					row[e.col] += v * e.value
				}
			}
		}
	default:
		MulAdd(ctx, c, a, b)
	}
}

// entry is a number of a row that is not zero.
type entry struct {
	col   int
	value float64
}

// entries returns those that are not zero, row by row, and where rows start.
func (m Matrix) entries() (all []entry, start []int) {
	start = make([]int, m.Rows+1)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			if v != 0 {
				all = append(all, entry{j, v})
			}
		}
		start[i+1] = len(all)
	}
	return all, start
}
