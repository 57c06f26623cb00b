package markov

import (
	"math/bits"
	"sync"
)

// scratchPools keep the storage of blocks that live no longer than a step of a solve, by the power of two that holds
// them: a sweep makes and drops thousands of them, and fresh pages cost more than the arithmetic on them.
var scratchPools [48]sync.Pool

// scratchHeaders keeps the slice headers by which storage passes through the pools.
var scratchHeaders sync.Pool

// newScratch returns a zero block whose maker gives it back by release, and nobody else keeps.
func newScratch(rows, cols int) matrix {
	m := newRaw(rows, cols)
	clear(m.a)
	return m
}

// newRaw is newScratch with whatever numbers its storage held before.
func newRaw(rows, cols int) matrix {
	size := rows * cols
	class := bits.Len(uint(size))
	if v, ok := scratchPools[class].Get().(*[]float64); ok {
		a := (*v)[:size]
		*v = nil
		scratchHeaders.Put(v)
		return matrix{rows, cols, a}
	}
	return matrix{rows, cols, make([]float64, size, 1<<class)}
}

// release gives the storage of a scratch block back; the block must not be used any more.
func (m matrix) release() {
	v, ok := scratchHeaders.Get().(*[]float64)
	if !ok {
		v = new([]float64)
	}
	*v = m.a[:0]
	scratchPools[bits.Len(uint(cap(m.a)))-1].Put(v)
}

// scratchOf returns a scratch copy of m.
func scratchOf(m matrix) matrix {
	s := newRaw(m.rows, m.cols)
	copy(s.a, m.a)
	return s
}

// release gives back what a factorisation holds, if its matrix is a scratch block too; it must not be used any more.
func (f *gth) release() {
	for _, m := range []matrix{f.a, f.upper, f.lower} {
		if m.a != nil {
			m.release()
		}
	}
}
