package multiserver

import "github.com/partwise/partwise/markov/internal/block"

// visitSize returns the size of the matrix of visits of a level from 1 on, Y of [elimination]: a row for each arrival
// phase and occupancy, and a column for each class of arrivals and occupancy of the level below. Padding is not
// counted.
func (b *boundary) visitSize(level int) (rows, columns int) {
	return b.sys.ar.N * b.sys.index.Size(level), b.sys.ar.Classes * b.sys.index.Size(level-1)
}

// newLevelStorage returns a stack with room for the matrices of the levels from the given one to top. These are the
// matrix of visits of each level that keeps it. Each other level has a square matrix instead, with a row for each class
// of arrivals and occupancy of the level below. The stack is added to b.storage, and [boundary.release] gives it back.
// top and thin of b must be set.
func (b *boundary) newLevelStorage(from int) *block.Stack {
	size := 0
	for l := from; l <= b.top; l++ {
		rows, columns := b.visitSize(l)
		if !b.thin.Keeps(l, b.top) {
			rows = columns
		}
		size += block.PaddedSize(rows, columns)
	}
	kept := block.NewStack(b.sys.ar.Classes*b.sys.index.Size(b.top+1), size)
	b.storage = append(b.storage, kept)
	return kept
}

// passingStorage returns a stack with room for the matrix of visits of one level that does not keep it. The matrix
// holds mean numbers of visits to what arrivals find, and only the elimination of the next level reads it. The caller
// releases the stack afterwards.
func (b *boundary) passingStorage(level int) *block.Stack {
	rows, columns := b.visitSize(level)
	return block.NewStack(b.sys.ar.Classes*b.sys.index.Size(level+1), block.PaddedSize(rows, columns))
}
