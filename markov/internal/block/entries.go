package block

import (
	"context"

	"gonum.org/v1/gonum/floats"
)

// fewEntries is the share of nonzero entries up to which a product goes by single entries. An entry takes as long as some
// thirty multiplications of a product of blocks.
const fewEntries = 1. / 64

// Few reports whether few entries of a block are nonzero.
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

// MulAddEntries sets c = c + a·b. It is [MulAdd], but fast if few entries of a or of b are nonzero. c is incomplete if
// ctx ends.
func MulAddEntries(ctx context.Context, c, a, b Matrix) {
	switch {
	case a.Few():
		for i := range a.Rows {
			if Stopped(ctx, i) {
				return
			}
			for k, v := range a.Row(i) {
				if v != 0 {
					floats.AddScaled(c.Row(i), v, b.Row(k))
				}
			}
		}
	case b.Few():
		to, start := b.entries()
		for i := range a.Rows {
			if Stopped(ctx, i) {
				return
			}
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

// entry is a nonzero entry of a row.
type entry struct {
	col   int
	value float64
}

// entries returns the nonzero entries, row by row; row i has the entries all[start[i]:start[i+1]].
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
