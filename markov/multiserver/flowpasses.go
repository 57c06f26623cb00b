package multiserver

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
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
}

// passesAtOnce is the number of passes of a run. With 2, the iteration for the coefficients of modes takes few steps
// more than if all levels were eliminated.
const passesAtOnce = 2

// newPasses returns passes, which take a flow of jobs down and up through levels that are not eliminated. They begin
// with departures y to level c−1, by arrival phase and occupancy. pending holds departures to the levels from top to
// c−2 that were not followed yet, level by level; an empty list stands for zeros. Both are copied.
func (b *boundary) newPasses(y, pending []float64) *passes {
	n, r, end := b.sys.ar.N, b.sys.ar.Classes, len(b.levels)
	p := &passes{
		boundary: b, departures: make([][]float64, end), entries: make([][]float64, end+1), followed: newFlows(end),
	}
	for l := b.top; l < end; l++ {
		k := b.levels[l].k
		p.departures[l], p.followed.departures[l] = make([]float64, n*k), make([]float64, n*k)
		if l > b.top {
			p.followed.inService[l], p.followed.arrivals[l] = make([]float64, n*k), make([]float64, r*k)
		}
		// Departures to level c−1 are y. Those to lower levels are pending.
		if l < end-1 {
			pending = pending[copy(p.departures[l], pending):]
		}
		p.entries[l+1] = make([]float64, r*b.levels[l].arrival.Cols)
	}
	copy(p.departures[end-1], y)
	return p
}

// run makes passesAtOnce passes and returns the departures that are still pending, listed as for [boundary.newPasses].
// The entries of level c stay in p.entries, the flows through each level in p.followed. All passes after the first
// begin one level lower, because nothing departs to level c−1 any more.
func (p *passes) run() (pending []float64) {
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
	for _, y := range p.departures[p.top:last] {
		pending = append(pending, y...)
	}
	return pending
}

// follow takes the flows that have come to a level l to the next departure or arrival. It moves them from departures[l]
// and entries[l] to departures[l−1] and entries[l+1], and adds them to followed. y are the departures to the level, by
// arrival phase and occupancy, and z its entries, by class and occupancy. With the matrices of the package comment,
//
//	x = (y·(end⊗I) + z·(A·end⊗I))·T⁻¹                      mean times in the states in service
//	x·(I⊗W) departs to level l−1
//	(x·(F⊗I) + y·(cut⊗I) + z·(A·cut⊗I))·(I⊗U) arrives at level l+1.
func (p *passes) follow(level int) {
	s, lev, y, z := p.sys, &p.levels[level], p.departures[level], p.entries[level]
	n, r, switchOver := s.ar.N, s.ar.Classes, s.down[0]
	if level < s.c {
		switchOver = s.down[level]
	}
	x, found := make([]float64, n*lev.k), make([]float64, r*lev.k)
	statespace.KronVec(x, y, switchOver.end, lev.k)
	statespace.KronVec(x, z, lev.ends, lev.k)
	lev.inService.SolveLeft(x)
	statespace.KronVec(found, x, s.ar.F, lev.k)
	statespace.KronVec(found, y, switchOver.cut, lev.k)
	statespace.KronVec(found, z, lev.cut, lev.k)
	lev.departure.KronLeft(p.departures[level-1], x, n)
	lev.arrival.KronLeft(p.entries[level+1], found, r)
	floats.Add(p.followed.inService[level], x)
	floats.Add(p.followed.departures[level], y)
	floats.Add(p.followed.arrivals[level], z)
	clear(y)
	clear(z)
}

// pendingSize returns the length of the vector of pending departures of [passes]: a number for each arrival phase and
// occupancy of the levels from top to c−2. It is zero if all levels are eliminated.
func (b *boundary) pendingSize() int {
	size := 0
	for l := b.top; l < len(b.levels)-1; l++ {
		size += b.sys.ar.N * b.levels[l].k
	}
	return size
}

// runPasses returns the entries of level c, arrivals from below by class and occupancy, after one run of [passes]. x
// holds the probabilities of the states in service at level c. The run starts with the departures from these states,
// and with pending departures of an earlier run. The departures that are pending afterwards are appended to the result.
// If all levels are eliminated, the entries are exact, and pending is not used. x and pending stay unchanged.
func (b *boundary) runPasses(x, pending []float64) []float64 {
	y := b.departing(x)
	if b.top == len(b.levels)-1 {
		return b.entriesAbove(b.top, y)
	}
	p := b.newPasses(y, pending)
	pending = p.run()
	return append(p.entries[len(b.levels)], pending...)
}

// keepPending sets b.pending to pending departures relative to the sum of the flow y to level c−1, as the start of
// later [passes]. Entries that rounding made negative become zero.
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
// eliminated, until the flows are stationary. It returns these [passes]. It sets pending, with which the next call
// starts, and roundings, the relative error of the flows. With nearLimit a single run is returned, and neither is set.
//
// Flows are stationary if no pending departure changes by more than settledFlow, 8 roundings. If mostRuns, 100, are not
// enough, or a departure stays pending for more than longestFlow runs, 1000, it eliminates all levels and returns nil:
// then every flow is exact. The error is that of ctx or of [boundary.eliminateAll].
func (b *boundary) settlePasses(ctx context.Context, y []float64) (*passes, error) {
	pending := make([]float64, b.pendingSize())
	if b.pending != nil {
		floats.ScaleTo(pending, block.Sum(y), b.pending)
	}
	for range mostRuns {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		p := b.newPasses(y, pending)
		next := p.run()
		if b.nearLimit {
			return p, nil
		}
		if largestChange(pending, next) <= settledFlow {
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
// errors are multiplied by that number. By Little's law it is the sum of pending, which is stationary, over what
// departures y to level c−1 add in each run. It is 0 if these add nothing.
func (b *boundary) runsToEnd(y, pending []float64) float64 {
	comes := block.Sum(b.newPasses(y, nil).run())
	if comes == 0 {
		return 0
	}
	return block.Sum(pending) / comes
}

// largestChange returns the largest relative change |x_i − before_i|/x_i of an entry from before to x, of the same
// length. An entry that did not change counts as 0, also if it is zero; an entry that became zero gives +Inf. [passes]
// have settled when the change is a few roundings.
func largestChange(before, x []float64) float64 {
	largest := 0.0
	for i, v := range x {
		if v != before[i] {
			largest = max(largest, math.Abs(v-before[i])/v)
		}
	}
	return largest
}

// eliminateAll eliminates the levels above top, and sets top to c−1, so that no flow needs [passes]. It fails if level
// c itself belongs to the boundary, because level c is then left to passes for good: the error wraps ErrNoConvergence.
// Otherwise the error is that of the elimination or of ctx.
func (b *boundary) eliminateAll(ctx context.Context) error {
	if len(b.levels) > b.sys.c {
		return fmt.Errorf("flows below level %d do not settle: %w", len(b.levels), markov.ErrNoConvergence)
	}
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
// multiplications. From c−1 downward, the first level is returned for which passes would take more multiplications than
// this. It is also returned if passes would settle slowly: the product of max(1, 1/ρ_l) over this level and those above
// exceeds mostTimesRarer, with traffic intensities ρ_l. All levels are eliminated where rates are far apart, because
// flows may take long to settle. They are also eliminated where the levels above c are corrected, because each
// correction would repeat the passes.
func (s *system) eliminatedLevels(ctx context.Context) int {
	if s.decades > manyDecades || s.station.QueueDecay(ctx) < rarelyBusier { // sweeps would repeat the passes
		return s.c - 1
	}
	n, r := float64(s.ar.N), float64(s.ar.Classes)
	size := func(l int) float64 { return occupancies(s.m, l) }
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
