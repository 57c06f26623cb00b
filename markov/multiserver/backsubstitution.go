package multiserver

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// eliminateBoundary returns a new boundary, levels 0 to c−1, eliminated from level 0 upward. If vectors is false, all
// levels are eliminated. If vectors is true, only vectors of flows will go through the levels, no matrices. Elimination
// then stops at the level of [system.eliminatedLevels], which is only factored. Flows go through the levels above it by
// the iteration [passes]. The occupancies must be numbered before, by [system.allocate]. The caller releases the
// storage with [boundary.release]. The error comes from [boundary.eliminateUpward]; the boundary is then incomplete.
func (s *system) eliminateBoundary(ctx context.Context, vectors bool) (*boundary, error) {
	b := s.newBoundary()
	if vectors {
		b.top, b.factored = s.eliminatedLevels(ctx), true
	}
	return b, b.eliminateUpward(ctx)
}

// backSubstitution sets flows of the boundary to the stationary flows through the levels from c−1 down to 0. At level
// c−1 the departures to it must be set: n·K_{c−1} rates by arrival phase and occupancy. The other flows have their
// unit. At each level l, y are the departures to the level. [boundary.takeExcursions] gives its states in service x and
// its entries z, arrivals from below. [boundary.conserveFlow] scales x and z so that rounding errors do not add up over
// the levels. Then x·(I⊗W) is the flow of departures to level l−1. At level 0, x = y·(−D0)⁻¹, and there are no entries.
//
// Several flows are followed together, because reading the matrices of a large boundary takes longer than the
// arithmetic on one vector. Vectors of a level are to be multiplied by 2 to the exponent of the level, because
// probabilities can leave the range of a number. The departures at level c−1 may be scaled.
//
// Levels above top, which are not eliminated, take their flows from [boundary.settlePasses] instead; their exponents
// are 0. There can be only one flow then. If settlePasses returns no flows, it has eliminated all levels. All of them
// are then computed as above, with exponents. The error comes from settlePasses, or from ctx.
func (b *boundary) backSubstitution(ctx context.Context, all ...*boundaryFlows) error {
	last := len(b.levels) - 1
	if b.top < last {
		p, err := b.settlePasses(ctx, all[0].departures[last])
		if err != nil {
			return err
		}
		if p != nil { // rates are not far apart, and these levels need no exponents
			p.followed.store = all[0].store
			*all[0] = *p.followed
		}
	}
	excursions := make([]excursion, len(all))
	for l := b.top; l >= 1; l-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.substituteLevel(l, all, excursions)
	}
	for _, v := range all {
		y := v.departures[0]
		v.exponents[0] = v.exponents[1] + block.Rescale(y)
		v.inService[0] = v.store.Clone(y)
		b.levelZero.SolveLeft(v.inService[0])
		v.setSums()
	}
	return nil
}

// substituteLevel sets all flows of a level from 1 to top, as [boundary.backSubstitution] says, and the departures to the
// level below. excursions has an entry for each of the flows and is overwritten.
func (b *boundary) substituteLevel(level int, all []*boundaryFlows, excursions []excursion) {
	lev, n := &b.levels[level], b.sys.ar.N
	for i, v := range all {
		y := v.departures[level]
		v.exponents[level] = v.exponents[level+1] + block.Rescale(y)
		excursions[i] = excursion{y, v.store.Vector(n * lev.k), v.store.Vector(b.sys.ar.Classes * lev.k)}
	}
	b.takeExcursions(level, excursions...)
	for i, v := range all {
		e := excursions[i]
		b.conserveFlow(level, e)
		v.inService[level], v.arrivals[level] = e.x, e.z
		v.departures[level-1] = v.store.Vector(n * lev.departure.Cols)
		lev.departure.KronLeft(v.departures[level-1], e.x, n)
	}
}

// conserveFlow multiplies the states in service x and the entries z of an excursion at a level l ≥ 1 by one factor, in
// place. The factor is the sum of y, the departures to level l, over the sum of the arrivals from level l to level l+1.
// y stays unchanged and must not be zero. [boundary.takeExcursions] gives the vectors and conserves the flow up to
// rounding errors, so the factor is nearly one. Without conserveFlow, rounding errors would add up from level to level.
func (b *boundary) conserveFlow(level int, e excursion) {
	f := block.Sum(e.y) / b.arrivalRate(level, e)
	floats.Scale(f, e.x)
	floats.Scale(f, e.z)
}

// entriesAfter returns the entries of level c, arrivals from below, that follow from the states in service there. x
// holds the probabilities of these states, n·K numbers by arrival phase and occupancy, and stays unchanged. The result
// has r·K rates, by class and occupancy. Jobs depart to level c−1, and the chain returns after an excursion through
// lower levels. Where levels are not eliminated, [boundary.settlePasses] follows the flows through them. It changes the
// pending departures of b, or eliminates the other levels. The error comes from settlePasses.
func (b *boundary) entriesAfter(ctx context.Context, x []float64) ([]float64, error) {
	y := b.departing(x)
	if b.top < len(b.levels)-1 {
		p, err := b.settlePasses(ctx, y)
		if err != nil {
			return nil, err
		}
		if p != nil {
			return p.entries[len(b.levels)], nil
		}
	}
	return b.sys.store.Clone(b.entriesAbove(b.top, y)), nil
}

// entriesAfterRows returns the entries of level c, arrivals from below, to which departures to level c−1 lead. Each row
// of y holds the departures, n·K_{c−1} numbers by arrival phase and occupancy. The same row of the result holds the
// entries, r·K numbers by class and occupancy, in the unit of y. y stays unchanged. Levels of b that are not eliminated
// are eliminated first. The result is a scratch block, which the caller releases. The error comes from
// [boundary.eliminateAll], or from ctx; the result is then empty or incomplete, and the caller drops it.
//
// Without cycles of service the flows of the rows are followed, which takes one product with the matrix of visits of
// level c−1. With cycles, a product with the matrix of first passages is faster: each row would be solved with the dense
// factors of the level.
func (b *boundary) entriesAfterRows(ctx context.Context, y block.Matrix) (entries block.Matrix, err error) {
	if err := b.eliminateAll(ctx); err != nil {
		return entries, err
	}
	l, r := b.sys.c-1, b.sys.ar.Classes
	up := b.levels[l].arrival
	var found block.Matrix
	if b.sys.ordered && l > 0 {
		found = b.foundAfterRows(ctx, l, y)
	} else {
		h := b.firstPassages(ctx, l)
		found = block.NewScratch(y.Rows, h.Cols)
		block.MulAdd(ctx, found, y, h)
		h.Release()
	}
	entries = block.NewRaw(y.Rows, r*up.Cols)
	// The occupancy that an arrival finds becomes the occupancy after it.
	up.MulKronRight(ctx, entries, found, r)
	found.Release()
	return entries, ctx.Err()
}

// rowsFollowed is the number of flows that are followed together: enough for a fast product, and few enough that ctx is
// looked at often.
const rowsFollowed = 48

// foundAfterRows returns what the next arrival to level l+1 finds after departures to a level l, 1 ≤ l ≤ top: the result
// of [boundary.foundAfter] for each row of y. It is a scratch block, which the caller releases. It is incomplete if ctx
// ends.
func (b *boundary) foundAfterRows(ctx context.Context, level int, y block.Matrix) block.Matrix {
	states, found := y.Cols, block.NewScratch(y.Rows, b.sys.ar.Classes*b.levels[level].k)
	room := block.NewRaw(min(rowsFollowed, y.Rows), states+found.Cols)
	defer room.Release()
	all := make([]excursion, room.Rows)
	for from := 0; from < y.Rows && ctx.Err() == nil; from += rowsFollowed {
		all = all[:min(rowsFollowed, y.Rows-from)]
		clear(room.Data)
		for i := range all {
			all[i] = excursion{y.Row(from + i), room.Row(i)[:states], room.Row(i)[states:]}
		}
		b.takeExcursions(level, all...)
		for i, e := range all {
			b.addArrivals(found.Row(from+i), level, e.y, e.x, e.z)
		}
	}
	return found
}

// release drops what only elimination and back substitution need: the matrices of visits, the factors of I − D of all
// levels, and the room of passes. Their storage goes back to the pools, and b can no longer take flows. The transitions
// of the levels, the solvers of states in service and the factors of level 0 stay, for measures. A second call does
// nothing.
func (b *boundary) release() {
	for l := range b.levels[1:] {
		lev := &b.levels[1+l]
		if lev.loop != nil {
			lev.loop.Release()
		}
		lev.excursions, lev.further, lev.loop = block.Matrix{}, block.Matrix{}, nil
	}
	for _, storage := range b.storage {
		storage.Release()
	}
	b.storage, b.passes = nil, nil
}
