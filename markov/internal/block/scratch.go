package block

import (
	"math"
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"
)

// scratchPools holds the storage of blocks that live no longer than a step of a solve, by the power of two of its size.
// An elimination uses thousands of such blocks, and fresh pages cost more than the arithmetic on them.
var scratchPools [48]scratchPool

// scratchPool holds storage of one size. It keeps up to mostKept pieces through garbage collections, which may free the
// others. A pool holds the address of the first number: unlike a slice it becomes an interface value without an
// allocation.
type scratchPool struct {
	kept   [mostKept]atomic.Pointer[float64]
	others sync.Pool
}

// Small solves make the garbage collector run about 100 times a second. It would free blocks that the next solve needs:
// 882 small solves allocate 11 % less memory with kept pieces, and take 2 % less time. More than mostKept pieces gain
// nothing. The largest kept pieces have 1 MiB, so all pieces together have at most 8 MiB.
const (
	mostKept         = 4
	largestKeptClass = 17
)

// get takes a piece of storage out of the pool, and returns the address of its first number. It returns nil if the pool is
// empty.
func (p *scratchPool) get() *float64 {
	if first, ok := p.others.Get().(*float64); ok {
		return first
	}
	for i := range p.kept {
		if first := p.kept[i].Swap(nil); first != nil {
			return first
		}
	}
	return nil
}

// put gives a piece of storage back to the pool. first is the address of its first number, and class the power of two of its
// size.
func (p *scratchPool) put(first *float64, class int) {
	if class <= largestKeptClass {
		for i := range p.kept {
			if p.kept[i].CompareAndSwap(nil, first) {
				return
			}
		}
	}
	p.others.Put(first)
}

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
	if first := scratchPools[class].get(); first != nil {
		return Matrix{rows, cols, unsafe.Slice(first, 1<<class)[:size]}
	}
	if class > largestClass {
		return Matrix{rows, cols, make([]float64, size)}
	}
	return Matrix{rows, cols, make([]float64, size, 1<<class)}
}

// Release returns the storage of a scratch block to the pools. The block must not be used any more.
func (m Matrix) Release() {
	spoil(m.Data, math.NaN())
	class := bits.Len(uint(cap(m.Data))) - 1
	scratchPools[class].put(unsafe.SliceData(m.Data), class)
}

// ScratchOf returns a scratch copy of m.
func ScratchOf(m Matrix) Matrix {
	s := NewRaw(m.Rows, m.Cols)
	copy(s.Data, m.Data)
	return s
}

// FreeReturned leaves all storage that blocks have given back to the garbage collector. Tests that measure the memory of a
// solve call it before: the solve would take less if it found storage of others.
func FreeReturned() {
	for class := range scratchPools {
		for i := range scratchPools[class].kept {
			scratchPools[class].kept[i].Store(nil)
		}
	}
}

// spoils says whether storage is spoiled when it is given back.
var spoils bool

// SpoilReturned makes storage that blocks and arenas give back unusable from now on: numbers become NaN, indices −1. So
// tests of the packages that use it fail if a result still reads such storage, or relies on what was there before. It must
// be called before anything is solved.
func SpoilReturned() { spoils = true }

// spoil overwrites x with a value if a test asked for it.
func spoil[T any](x []T, with T) {
	if spoils {
		for i := range x {
			x[i] = with
		}
	}
}
