package block

import (
	"math/bits"
	"sync"
)

// scratchPools holds the storage of blocks that live no longer than a step of a solve, by the power of two of its size.
// An elimination uses thousands of such blocks, and fresh pages cost more than the arithmetic on them.
var scratchPools [48]sync.Pool

// scratchHeaders holds the slice headers with which storage goes through the pools.
var scratchHeaders sync.Pool

// largestClass is the power of two, 128 MiB, up to which sizes are rounded up, so that storage fits later blocks. Larger
// sizes are not rounded: the levels of a large queue would waste gigabytes.
const largestClass = 24

// NewScratch returns a zero block from the pools. Its owner calls Release, after which no one may use it.
func NewScratch(rows, cols int) Matrix {
	m := NewRaw(rows, cols)
	clear(m.Data)
	return m
}

// NewRaw is NewScratch without the zeros: entries are undefined.
func NewRaw(rows, cols int) Matrix {
	size := rows * cols
	class := bits.Len(uint(size))
	if v, ok := scratchPools[class].Get().(*[]float64); ok {
		a := (*v)[:size]
		*v = nil
		scratchHeaders.Put(v)
		return Matrix{rows, cols, a}
	}
	if class > largestClass {
		return Matrix{rows, cols, make([]float64, size)}
	}
	return Matrix{rows, cols, make([]float64, size, 1<<class)}
}

// Release returns the storage of a scratch block to the pools. The block must not be used any more.
func (m Matrix) Release() {
	v, ok := scratchHeaders.Get().(*[]float64)
	if !ok {
		v = new([]float64)
	}
	*v = m.Data[:0]
	scratchPools[bits.Len(uint(cap(m.Data)))-1].Put(v)
}

// ScratchOf returns a scratch copy of m.
func ScratchOf(m Matrix) Matrix {
	s := NewRaw(m.Rows, m.Cols)
	copy(s.Data, m.Data)
	return s
}
