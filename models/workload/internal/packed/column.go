package packed

import (
	"math"
	"slices"
)

// Column is a field of several rows: one value, whole numbers of 32 bits, or any numbers.
type Column struct {
	same  float64
	whole []int32
	any   []float64
}

// At returns the value of the k-th row.
func (c *Column) At(k int) float64 {
	switch {
	case c.whole != nil:
		return float64(c.whole[k])
	case c.any != nil:
		return c.any[k]
	}
	return c.same
}

// IntAt returns the value of the k-th row of a column of whole numbers. It takes less time than to convert the result of [Column.At].
func (c *Column) IntAt(k int) int {
	if c.whole != nil {
		return int(c.whole[k])
	}
	return int(c.At(k))
}

// ColumnOf returns the column of at least one value.
func ColumnOf(values []float64) Column {
	bits := math.Float64bits
	if !slices.ContainsFunc(values, func(x float64) bool { return bits(x) != bits(values[0]) }) {
		return Column{same: values[0]}
	}
	whole := make([]int32, len(values))
	for i, x := range values {
		if whole[i] = int32(x); bits(float64(whole[i])) != bits(x) {
			return Column{any: slices.Clone(values)}
		}
	}
	return Column{whole: whole}
}
