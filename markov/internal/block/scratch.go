package block

import (
	"math/bits"
	"sync"
)

// scratchPools keep the storage of blocks that live no longer than a step of a solve, by the power of two that holds
// them: an elimination makes and drops thousands of them, and fresh pages cost more than the arithmetic on them.
var scratchPools [48]sync.Pool

// scratchHeaders keeps the slice headers by which storage passes through the pools.
var scratchHeaders sync.Pool

// largestClass is the power of two, 128 MiB, up to which storage is rounded so that it holds whatever comes next: of the
// levels of a large queue that would be gigabytes.
const largestClass = 24

// NewScratch returns a zero block whose maker gives it back by Release, and nobody else keeps.
func NewScratch(rows, cols int) Matrix {
	m := NewRaw(rows, cols)
	clear(m.Data)
	return m
}

// NewRaw is NewScratch with whatever numbers its storage held before.
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

// Release gives the storage of a scratch block back; the block must not be used any more.
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
