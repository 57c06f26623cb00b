package block

import (
	"math"
	"math/cmplx"
	"sync"
)

// Arena hands out zeroed storage for the many short vectors of a solve, from a few large pieces. The allocation of a
// short vector takes longer than the arithmetic on it. A piece lives as long as any vector in it. So an arena serves
// vectors that are kept together, or vectors that are all dropped together, by [Arena.Return]. A nil arena allocates
// each vector by itself, for solves that make many vectors and keep few. Only one goroutine may use an arena at a time.
type Arena struct {
	numbers   pieces[float64]
	complexes pieces[complex128] // by themselves, because kernels need them at multiples of 16 bytes
	places    pieces[int32]
}

// NewArena returns an empty arena whose first pieces together have room for so many numbers.
func NewArena(numbers int) *Arena {
	a := &Arena{}
	a.expect(numbers)
	return a
}

// arenas holds the arenas that were returned.
var arenas sync.Pool

// BorrowArena returns an arena for so many numbers that are dropped together, when the borrower calls [Arena.Return].
func BorrowArena(numbers int) *Arena {
	a, ok := arenas.Get().(*Arena)
	if !ok {
		a = &Arena{}
	}
	a.expect(numbers)
	return a
}

// expect sets the sizes of the next pieces, so that they have room for so many numbers.
func (a *Arena) expect(numbers int) {
	a.numbers.size, a.complexes.size, a.places.size = numbers, numbers/perComplex, numbers/perPlace
}

// Return gives a borrowed arena back. Its vectors must not be used any more.
func (a *Arena) Return() {
	spoil(a.numbers.piece, math.NaN())
	spoil(a.complexes.piece, cmplx.NaN())
	spoil(a.places.piece, -1)
	a.numbers.reuse()
	a.complexes.reuse()
	a.places.reuse()
	arenas.Put(a)
}

// Within calls f, and then takes back all vectors that f took from the arena: they must not be used any more. Repeated
// steps then use the same storage, which stays in the cache. With a nil arena it only calls f.
func (a *Arena) Within(f func()) {
	if a == nil {
		f()
		return
	}
	numbers, complexes, places := a.numbers.mark(), a.complexes.mark(), a.places.mark()
	f()
	spoil(a.numbers.rewind(numbers), math.NaN())
	spoil(a.complexes.rewind(complexes), cmplx.NaN())
	spoil(a.places.rewind(places), -1)
}

// Vector returns n zeros.
func (a *Arena) Vector(n int) []float64 {
	if a == nil {
		return make([]float64, n)
	}
	return a.numbers.take(n)
}

// ComplexVector returns n complex zeros.
func (a *Arena) ComplexVector(n int) []complex128 {
	if a == nil {
		return make([]complex128, n)
	}
	return a.complexes.take(n)
}

// Places returns n indices, all zero.
func (a *Arena) Places(n int) []int32 {
	if a == nil {
		return make([]int32, n)
	}
	return a.places.take(n)
}

// Matrix returns a zero matrix.
func (a *Arena) Matrix(rows, cols int) Matrix {
	return Over(rows, cols, a.Vector(rows*cols))
}

// Clone returns a copy of x.
func (a *Arena) Clone(x []float64) []float64 {
	y := a.Vector(len(x))
	copy(y, x)
	return y
}

// ComplexClone returns a copy of x, nil if x is nil.
func (a *Arena) ComplexClone(x []complex128) []complex128 {
	if x == nil {
		return nil
	}
	y := a.ComplexVector(len(x))
	copy(y, x)
	return y
}

// ComplexOf returns the real vector x as a complex one.
func (a *Arena) ComplexOf(x []float64) []complex128 {
	y := a.ComplexVector(len(x))
	for i, v := range x {
		y[i] = complex(v, 0)
	}
	return y
}

// A piece has at least leastPiece and at most mostPiece entries, unless one vector needs more. Smaller pieces would be
// allocated too often, and larger ones leave too much unused. Solves take at least perComplex real numbers for each
// complex number, and about perPlace for each index.
const (
	perComplex = 16
	perPlace   = 2
	leastPiece = 1 << 7
	mostPiece  = 1 << 16
)

// pieces are the storage of an arena for entries of one type.
type pieces[T any] struct {
	piece []T  // the latest piece
	used  int  // entries of the piece that are handed out
	stale bool // the piece was used before, so entries must be cleared
	size  int  // of the next piece, if no vector needs more
	all   int  // entries of all pieces
	least int  // entries of the next piece at least: all pieces of the use before
}

// take returns n zero entries. If the latest piece has no room for them, it makes a new piece. New pieces have the
// expected size that is left, and after that a quarter of the size of all pieces before.
func (p *pieces[T]) take(n int) []T {
	if n > len(p.piece)-p.used {
		size := max(n, min(max(p.size, p.least, leastPiece), mostPiece))
		p.piece, p.used, p.stale = make([]T, size), 0, false
		p.all += size
		p.size = max(p.size-size, p.all/4)
	}
	x := p.piece[p.used : p.used+n : p.used+n]
	p.used += n
	if p.stale {
		clear(x)
	}
	return x
}

// mark is a place in the storage of pieces: what was handed out before lies before it.
type mark struct{ all, used int }

// mark returns the present place.
func (p *pieces[T]) mark() mark { return mark{p.all, p.used} }

// rewind takes back the entries that were handed out after a mark, and returns them as far as they lie in the latest
// piece. If that piece is newer than the mark, these are all its entries.
func (p *pieces[T]) rewind(to mark) []T {
	end := p.used
	p.used, p.stale = 0, true
	if p.all == to.all {
		p.used = to.used
	}
	return p.piece[p.used:end]
}

// reuse takes all vectors back. A single piece is kept, unless it is larger than mostPiece. Several pieces are dropped:
// the next piece is as large as all of them, up to mostPiece, so that it is the only piece of a later use.
func (p *pieces[T]) reuse() {
	if p.all > len(p.piece) || len(p.piece) > mostPiece {
		p.piece, p.least = nil, min(p.all, mostPiece)
	}
	p.used, p.all, p.stale = 0, len(p.piece), true
}
