package block

import (
	"math/bits"
	"sync"
	"unsafe"
)

// scratchPools holds the storage of blocks that live no longer than a step of a solve, by the power of two of its size.
// An elimination uses thousands of such blocks, and fresh pages cost more than the arithmetic on them. A pool holds the
// address of the first number: unlike a slice it becomes an interface value without an allocation.
var scratchPools [48]sync.Pool

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
	if first, ok := scratchPools[class].Get().(*float64); ok {
		return Matrix{rows, cols, unsafe.Slice(first, 1<<class)[:size]}
	}
	if class > largestClass {
		return Matrix{rows, cols, make([]float64, size)}
	}
	return Matrix{rows, cols, make([]float64, size, 1<<class)}
}

// Release returns the storage of a scratch block to the pools. The block must not be used any more.
func (m Matrix) Release() {
	scratchPools[bits.Len(uint(cap(m.Data)))-1].Put(unsafe.SliceData(m.Data))
}

// ScratchOf returns a scratch copy of m.
func ScratchOf(m Matrix) Matrix {
	s := NewRaw(m.Rows, m.Cols)
	copy(s.Data, m.Data)
	return s
}
