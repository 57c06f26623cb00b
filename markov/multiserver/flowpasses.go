package multiserver

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// passes take a flow through the levels of a boundary above top, which are not eliminated. A pass goes downward from
// level to level to top. Level top and everything below it are solved together. Then the pass goes upward again. Jobs
// that depart to a lower level on the way up are pending: the next pass takes them. A run of passes is a linear map
//
//	(departures to level c−1, pending departures) → (entries of level c, pending departures)
//
// that conserves the total flow. The flow is stationary if the pending departures are the same before and after a run.
// Then the flows that have been followed through each level are the stationary ones. Nothing is subtracted.
type passes struct {
	*boundary
	departures, entries [][]float64    // by level: flows that have not been followed yet
	followed            *boundaryFlows // sums of the flows that have been followed
	sums                []float64      // the storage of followed
	x, found            []float64      // room of [passes.follow], for the widest level
}

// passesAtOnce is the number of passes of a run. With 2, the iteration for the coefficients of modes takes few steps
// more than if all levels were eliminated.
const passesAtOnce = 2

// newPasses returns passes, which take a flow of jobs down and up through levels that are not eliminated. All runs of
// the passes use the same storage, because clearing new storage takes as long as a third of the arithmetic of a run.
// The caller calls [passes.run].
func (b *boundary) newPasses() *passes {
	n, r, end := b.sys.ar.N, b.sys.ar.Classes, len(b.levels)
	p := &passes{
		boundary: b, departures: make([][]float64, end), entries: make([][]float64, end+1), followed: new(boundaryFlows),
	}
	p.followed.prepare(end, nil)
	states, widest := 0, b.levels[end-1].k
	for l := b.top; l < end; l++ {
		states += b.levels[l].k
	}
	p.x, p.found, p.sums = make([]float64, n*widest), make([]float64, r*widest), make([]float64, (2*n+r)*states)
	room := p.sums
	take := func(size int) (v []float64) {
		v, room = room[:size:size], room[size:]
		return v
	}
	for l := b.top; l < end; l++ {
		k := b.levels[l].k
		p.departures[l], p.entries[l+1] = make([]float64, n*k), make([]float64, r*b.levels[l].arrival.Cols)
		p.followed.departures[l] = take(n * k)
		if l > b.top {
			p.followed.inService[l], p.followed.arrivals[l] = take(n*k), take(r*k)
		}
	}
	return p
}

// start lets the next run begin with departures y to level c−1, by arrival phase and occupancy, and with pending
// departures. pending holds n·K_l numbers, by arrival phase and occupancy, for each level l from top to c−2, in this
// order. An empty list stands for zeros. Both are copied. What a run before has left is overwritten.
func (p *passes) start(y, pending []float64) {
	last := len(p.levels) - 1
	for _, v := range p.departures[p.top:last] {
		if len(pending) == 0 {
			clear(v)
		}
		pending = pending[copy(v, pending):]
	}
	copy(p.departures[last], y)
	clear(p.entries[last+1])
	clear(p.sums)
}

// run makes passesAtOnce passes, 2, which begin with y and pending as [passes.start] says. It returns the departures
// that are still pending: a new vector, by arrival phase and occupancy for each level from top to c−2. p.entries[c]
// then holds the entries of level c, by class and occupancy. p.followed holds the sums of the flows through each level
// from top to c−1, of level top only the departures to it. Both are valid until the next run. All passes after the
// first begin one level lower, because nothing departs to level c−1 any more.
func (p *passes) run(y, pending []float64) []float64 {
	p.start(y, pending)
	last := len(p.levels) - 1
	for k := range passesAtOnce {
		// Downward: arrivals on the way wait in p.entries for the way up.
		for l := last - min(k, 1); l > p.top; l-- {
			p.follow(l)
		}
		// Level top and the levels below it are solved together.
		y := p.departures[p.top]
		floats.Add(p.followed.departures[p.top], y)
		floats.Add(p.entries[p.top+1], p.entriesAbove(p.top, y))
		clear(y)
		// Upward: departures on the way stay in p.departures for the next pass.
		for l := p.top + 1; l <= last; l++ {
			p.follow(l)
		}
	}
	return slices.Concat(p.departures[p.top:last]...)
}

// follow takes the flows that have come to a level l, top < l < c, to the next departure or arrival. The flows are y =
// departures[l], departures to the level by arrival phase and occupancy, and z = entries[l], its entries by class and
// occupancy. What follows from them is added to departures[l−1] and entries[l+1]. y, z and the times x are added to
// followed, and y and z become zero. T⁻¹ holds the mean times in the states in service until the next arrival or
// departure. With the other matrices of the package comment,
//
//	x = (y·(end⊗I) + z·(A·end⊗I))·T⁻¹                      mean times in the states in service
//	x·(I⊗W) departs to level l−1
//	(x·(F⊗I) + y·(cut⊗I) + z·(A·cut⊗I))·(I⊗U) arrives at level l+1.
func (p *passes) follow(level int) {
	s, lev, y, z := p.sys, &p.levels[level], p.departures[level], p.entries[level]
	n, r := s.ar.N, s.ar.Classes
	x, found := p.x[:n*lev.k], p.found[:r*lev.k]
	clear(x)
	clear(found)
	s.down[level].AddEnded(x, y, lev.k)
	statespace.KronVec(x, z, lev.ends, lev.k)
	lev.inService.SolveLeft(x)
	p.addArrivals(found, level, y, x, z)
	lev.departure.KronLeft(p.departures[level-1], x, n)
	lev.arrival.KronLeft(p.entries[level+1], found, r)
	floats.Add(p.followed.inService[level], x)
	floats.Add(p.followed.departures[level], y)
	floats.Add(p.followed.arrivals[level], z)
	clear(y)
	clear(z)
}

// pendingSize returns the length of the vector of pending departures of [passes], which jobs have made to levels that
// are not eliminated: n·K_l numbers for each level l from top to c−2. It is zero if all levels are eliminated.
func (b *boundary) pendingSize() int {
	size := 0
	for l := b.top; l < len(b.levels)-1; l++ {
		size += b.sys.ar.N * b.levels[l].k
	}
	return size
}

// runPasses returns the entries of level c after one run of [passes], and then the departures that are pending. The
// entries are arrivals from below, r·K numbers by class and occupancy. x holds the probabilities of the states in
// service at level c, by arrival phase and occupancy. The run starts with the departures from these states, and with
// the pending departures of an earlier run. These have the order of [passes.start], in pending and in the result.
// If all levels are eliminated, the result holds the entries alone, which are exact, and pending is not used. x,
// pending and b stay unchanged.
func (b *boundary) runPasses(x, pending []float64) []float64 {
	y := b.departing(x)
	if b.top == len(b.levels)-1 {
		return b.entriesAbove(b.top, y)
	}
	if b.passes == nil {
		b.passes = b.newPasses()
	}
	pending = b.passes.run(y, pending)
	return slices.Concat(b.passes.entries[len(b.levels)], pending)
}

// keepPending sets b.pending, with which later [passes] start: a copy of the pending departures, divided by the sum of
// the flow y to level c−1. The departures have the order of [passes.start]. Entries that rounding made negative
// become zero. y and pending stay unchanged.
func (b *boundary) keepPending(y, pending []float64) {
	b.pending = make([]float64, len(pending))
	floats.ScaleTo(b.pending, 1/block.Sum(y), pending)
	for i, v := range b.pending { // rounding may have made some negative
		b.pending[i] = max(0, v)
	}
}

// Runs end when no pending departure changes by more than settledFlow, which is rounding, relative to itself. Passes
// that start near the limit take a few runs. Otherwise all levels are eliminated: after mostRuns runs, or if pending
// departures take more than longestFlow runs to leave the levels. Rounding errors are multiplied by that number of
// runs.
const (
	settledFlow = fewRoundings
	mostRuns    = 100
	longestFlow = 1000
)

// settlePasses follows departures y to level c−1, by arrival phase and occupancy, through levels that are not
// eliminated, until the flows are stationary. It returns the [passes] of the last run: their entries of level c and
// their flows are the stationary ones, in the unit of y. It sets pending, with which the next call starts, and
// roundings, the relative error of the flows. nearLimit says that pending is so near the stationary departures that one
// run is enough. Then settlePasses returns the first run, and sets neither.
//
// Flows are stationary if no pending departure changes by more than settledFlow, 8 roundings. It eliminates all levels
// if mostRuns, 100, are not enough, or if departures stay pending for more than longestFlow, 1000, runs on average. The
// passes are then nil, and the caller takes flows through the eliminated levels, which is exact. y stays unchanged. The
// error comes from ctx or from [boundary.eliminateAll]; the passes are nil.
func (b *boundary) settlePasses(ctx context.Context, y []float64) (*passes, error) {
	pending := make([]float64, b.pendingSize())
	if b.pending != nil {
		floats.ScaleTo(pending, block.Sum(y), b.pending)
	}
	p := b.newPasses()
	for range mostRuns {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		next := p.run(y, pending)
		if b.nearLimit {
			return p, nil
		}
		if block.LargestChange(pending, next) <= settledFlow {
			if runs := b.runsToEnd(y, next); runs <= longestFlow {
				b.keepPending(y, next)
				b.roundings = settledFlow * runs
				return p, nil
			}
			break
		}
		pending = next
	}
	return nil, b.eliminateAll(ctx)
}

// runsToEnd returns the mean number of runs of [passes] that a pending departure takes to leave the levels. Rounding
// errors are multiplied by this number. pending is the stationary vector of pending departures. By Little's law the
// number is the sum of pending over the sum that departures y to level c−1 add to it in a run. It is 0 if they add
// nothing. It makes one run for this, which starts without pending departures. y, pending and b stay unchanged.
func (b *boundary) runsToEnd(y, pending []float64) float64 {
	comes := block.Sum(b.newPasses().run(y, nil))
	if comes == 0 {
		return 0
	}
	return block.Sum(pending) / comes
}

// eliminateAll eliminates the levels above top, and level top itself if it is only factored. It sets top to c−1 and
// factored to false, so that no flow needs [passes]. If all levels are eliminated already, it does nothing. The error
// comes from [boundary.eliminateLevels], or from ctx. After an error top and factored are set, too, so b must then only
// be released.
func (b *boundary) eliminateAll(ctx context.Context) error {
	b.eliminateTop(ctx)
	from := b.top + 1
	b.top = b.sys.c - 1
	return b.eliminateLevels(ctx, from)
}

// The costs of leaving a level to passes are measured in multiplications of a product of blocks. passesOperations is
// the cost of all passes for each state of the level. stepsOperations is the cost, for each entry of the factors of E,
// of the additional steps that find the coefficients. Where the chain drifts downward through a level, a flow takes
// many passes to come back up. So mostTimesRarer limits the product of 1/ρ_l over the levels that are passed, with ρ_l
// = λ·E[B_l]/l.
const (
	passesOperations = 40_000
	stepsOperations  = 15
	mostTimesRarer   = 20
)

// eliminatedLevels returns the highest level that is worth eliminating if only vectors are taken through the levels
// below c: 1 to c−1, or 0 for c = 1. The levels above it are left to [passes]. With n arrival phases, r classes of
// arrivals, K_l occupancies of level l and N_l = r·K_{l−1}, leaving level top to passes saves
//
//	n·K_{top−1}·N_{top−1}²             elimination of level top−1, which is only factored
//	(N_top³ − N_{top−1}³)/3            difference of the factors of the highest level
//
// multiplications. From c−1 downward, it returns the first level for which passes would take more multiplications than
// this. It also returns a level at which passes would settle slowly: the product of max(1, 1/ρ_l) over this level and
// the levels above it exceeds mostTimesRarer, with traffic intensities ρ_l. If ρ_l is not known, the level is returned,
// too.
//
// All levels are eliminated where rates are far apart, because flows may take long to settle. They are also eliminated
// where the levels above c are corrected, because each correction would repeat the passes. An ended ctx can only change
// how many levels are left to passes.
func (s *system) eliminatedLevels(ctx context.Context) int {
	if s.decades > manyDecades || s.station.QueueDecay(ctx) < rarelyBusier { // sweeps would repeat the passes
		return s.c - 1
	}
	n, r := float64(s.ar.N), float64(s.ar.Classes)
	size := func(l int) float64 { return statespace.Occupancies(s.m, l) }
	rarer := 1.0
	for top := s.c - 1; top > 1; top-- {
		below, found := size(top-1), r*size(top-2)
		saved := n*below*found*found + (math.Pow(r*below, 3)-math.Pow(found, 3))/3
		intensity, err := s.intensity(ctx, top)
		rarer *= max(1, 1/intensity)
		if err != nil || !(rarer <= mostTimesRarer) ||
			saved < passesOperations*n*size(top)+stepsOperations*math.Pow(r*size(s.c), 2) {
			return top
		}
	}
	return min(1, s.c-1)
}
