package multiserver

import "github.com/partwise/partwise/markov/internal/block"

// Back substitution needs Y = X·(I−D)⁻¹ of every level, n·K_l × r·K_{l−1} each. Together these are most of the memory
// of a queue: 2.9 GB for 1,024 servers, two phases of service and two of arrivals take 5.7 GB in Y. Where they would be
// more than wholeUpTo numbers, levels are thinned. Y is then kept at every thinnedBy-th level. The other levels keep
//
//	B = C·Y = (I−D)⁻¹ − I,   C: combinations of rows by which arrivals enter the level, D = C·X,
//
// r·K_{l−1} × r·K_{l−1}, a share r/n of the size. x·Y follows from Y of the levels below, for a vector x of a flow:
//
//	x·Y = w + w·B,   w = x·X = x·T⁻¹·(I⊗W)·H of level l−1.
//
// w is what the next arrival to level l finds after departures x·T⁻¹·(I⊗W) to level l−1. It is a flow through lower
// levels down to the next one with Y. Nothing is subtracted. A vector takes (thinnedBy+1)/2 times as many products as
// with all Y, some per cent of the time of an elimination. Memory falls to 9/16 for renewal arrivals of two phases.
// Queues whose Y fit are solved as fast as before.
const (
	wholeUpTo = 1 << 27
	thinnedBy = 8
)

// visitNumbers returns how many floating-point numbers the matrices of visits of levels 1 to top hold together, for an
// estimate of memory: Σ n·size(l)·r·size(l−1) over the levels l. There are n arrival phases and r classes of arrivals,
// and size(l) is the number of occupancies of level l. It is 0 for top = 0.
func visitNumbers(size func(l int) float64, n, r float64, top int) (numbers float64) {
	for l := 1; l <= top; l++ {
		numbers += n * size(l) * r * size(l-1)
	}
	return numbers
}

// thinned reports whether levels 1 to top are thinned: whether the matrix of visits that back substitution needs is
// stored for only some of them, to save memory. Levels are thinned if all these matrices would hold more than wholeUpTo
// numbers, and there are more arrival phases n than classes of arrivals r. Otherwise thinning saves nothing. size(l) is
// the number of occupancies of level l.
func thinned(size func(l int) float64, n, r float64, top int) bool {
	return n > r && visitNumbers(size, n, r, top) > wholeUpTo
}

// keepsVisits reports whether a level from 1 to top keeps its matrix of visits for back substitution: mean numbers of
// visits to what arrivals find. All levels of a boundary that is not thinned keep it. Otherwise level top and every
// thinnedBy-th level, 8, keep it.
func (b *boundary) keepsVisits(level int) bool {
	return !b.thin || level%thinnedBy == 0 || level == b.top
}

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
		if !b.keepsVisits(l) {
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
