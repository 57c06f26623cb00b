package statespace

import (
	"github.com/partwise/partwise/markov/internal/block"
)

// Arena hands out zeroed storage for the many small vectors of a solution, which live as long as it does, from a few
// large pieces. A nil arena, which is what a solution has once it is found, makes each of them apart.
type Arena struct {
	numbers  pieces[float64]
	places   pieces[int32]
	matrices pieces[Sparse]
}

// NewArena returns an arena whose first pieces hold so many numbers, places and sparse matrices.
func NewArena(numbers, places, matrices int) *Arena {
	return &Arena{pieces[float64]{size: numbers}, pieces[int32]{size: places}, pieces[Sparse]{size: matrices}}
}

// Floats returns n zeros.
func (m *Arena) Floats(n int) []float64 {
	if m == nil {
		return make([]float64, n)
	}
	return m.numbers.take(n)
}

// ints returns n zeros.
func (m *Arena) ints(n int) []int32 {
	if m == nil {
		return make([]int32, n)
	}
	return m.places.take(n)
}

// Sparse keeps a sparse matrix.
func (m *Arena) Sparse(s Sparse) *Sparse {
	if m == nil {
		kept := s
		return &kept
	}
	kept := &m.matrices.take(1)[0]
	*kept = s
	return kept
}

// Matrix returns a zero matrix.
func (m *Arena) Matrix(rows, cols int) block.Matrix {
	return block.Over(rows, cols, m.Floats(rows*cols))
}

// largestPiece is small beside the blocks of a queue that needs several.
const largestPiece = 1 << 16

// pieces are storage, of which left has not been handed out; the next piece has the given size.
type pieces[T any] struct {
	left []T
	size int
}

func (p *pieces[T]) take(n int) []T {
	if n > len(p.left) {
		p.left = make([]T, max(n, min(p.size, largestPiece)))
	}
	x := p.left[:n:n]
	p.left = p.left[n:]
	return x
}
