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

// passes take a flow through the levels of a boundary above top, which are not eliminated: downward to top, which is solved
// together with all below it, and upward again. What departs to a lower level on the way up is pending, and goes with the next
// pass. A run of passes is a linear map
//
//	(departures to level c−1, pending departures) → (entries of level c, pending departures),
//
// that loses nothing. Flows are followed to their end if the same is pending before and after a run; what has been followed is
// the flow through each level then. Nothing is ever subtracted.
type passes struct {
	*boundary
	departures, entries [][]float64 // by level, those that have not been followed
	followed            *boundaryFlows
}

// passesAtOnce is how many passes a run has: with them it takes few steps more to find the coefficients of modes than if all
// levels were eliminated.
const passesAtOnce = 2

// newPasses returns passes of departures y to level c−1 and those that are pending.
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
		if l < end-1 {
			pending = pending[copy(p.departures[l], pending):]
		}
		p.entries[l+1] = make([]float64, r*b.levels[l].arrival.Cols)
	}
	copy(p.departures[end-1], y)
	return p
}

// run makes a run of passes and returns what is pending then. It begins one level lower after the first: nothing departs to
// level c−1 any more.
func (p *passes) run() (pending []float64) {
	last := len(p.levels) - 1
	for k := range passesAtOnce {
		for l := last - min(k, 1); l > p.top; l-- {
			p.follow(l)
		}
		y := p.departures[p.top]
		floats.Add(p.followed.departures[p.top], y)
		floats.Add(p.entries[p.top+1], p.rise(p.top, y))
		clear(y)
		for l := p.top + 1; l <= last; l++ {
			p.follow(l)
		}
	}
	for _, y := range p.departures[p.top:last] {
		pending = append(pending, y...)
	}
	return pending
}

// follow takes what has come to level l to the next departure or arrival.
func (p *passes) follow(l int) {
	s, lev, y, z := p.sys, &p.levels[l], p.departures[l], p.entries[l]
	n, r, switchOver := s.ar.N, s.ar.Classes, s.down[0]
	if l < s.c {
		switchOver = s.down[l]
	}
	x, found := make([]float64, n*lev.k), make([]float64, r*lev.k)
	statespace.KronVec(x, y, switchOver.end, lev.k)
	statespace.KronVec(x, z, lev.ends, lev.k)
	lev.inService.SolveLeft(x)
	statespace.KronVec(found, x, s.ar.F, lev.k)
	statespace.KronVec(found, y, switchOver.cut, lev.k)
	statespace.KronVec(found, z, lev.cut, lev.k)
	lev.departure.KronLeft(p.departures[l-1], x, n)
	lev.arrival.KronLeft(p.entries[l+1], found, r)
	floats.Add(p.followed.inService[l], x)
	floats.Add(p.followed.departures[l], y)
	floats.Add(p.followed.arrivals[l], z)
	clear(y)
	clear(z)
}

// pendingSize is the number of flows that may be pending.
func (b *boundary) pendingSize() int {
	size := 0
	for l := b.top; l < len(b.levels)-1; l++ {
		size += b.sys.ar.N * b.levels[l].k
	}
	return size
}

// run returns the entries of level c to which states x in service there, and pending departures, lead by a run of passes,
// followed by what is pending then.
func (b *boundary) run(x, pending []float64) []float64 {
	y := b.departing(x)
	if b.top == len(b.levels)-1 {
		return b.rise(b.top, y)
	}
	p := b.newPasses(y, pending)
	pending = p.run()
	return append(p.entries[len(b.levels)], pending...)
}

// startFrom notes what is pending while departures to level c−1 are y, both up to the same factor: passes start from that.
func (b *boundary) startFrom(y, pending []float64) {
	b.pending = make([]float64, len(pending))
	floats.ScaleTo(b.pending, 1/block.Sum(y), pending)
	for i, v := range b.pending { // rounding may have made some negative
		b.pending[i] = max(0, v)
	}
}

// Runs go on until nothing that is pending changes by more than settledFlow of itself, which is roundings. A few do
// that start near the end. After mostRuns the levels are eliminated, and where what is pending takes more than longestFlow
// runs to its end, by which roundings are multiplied.
const (
	settledFlow = fewRoundings
	mostRuns    = 100
	longestFlow = 1000
)

// settle follows departures y to level c−1 to their end. It eliminates all levels and returns nil if they do not settle.
func (b *boundary) settle(ctx context.Context, y []float64) (*passes, error) {
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
		if b.started {
			return p, nil
		}
		if largestChange(pending, next) <= settledFlow {
			if runs := b.runsToEnd(y, next); runs <= longestFlow {
				b.startFrom(y, next)
				b.roundings = settledFlow * runs
				return p, nil
			}
			break
		}
		pending = next
	}
	return nil, b.complete(ctx)
}

// runsToEnd returns how many runs what is pending takes to its end: where as much comes, by departures y to level c−1, as
// ends.
func (b *boundary) runsToEnd(y, pending []float64) float64 {
	comes := block.Sum(b.newPasses(y, nil).run())
	if comes == 0 {
		return 0
	}
	return block.Sum(pending) / comes
}

// largestChange returns by how much of itself an entry of x differs from that of before, at most.
func largestChange(before, x []float64) float64 {
	largest := 0.0
	for i, v := range x {
		if v != before[i] {
			largest = max(largest, math.Abs(v-before[i])/v)
		}
	}
	return largest
}

// complete eliminates all levels.
func (b *boundary) complete(ctx context.Context) error {
	if len(b.levels) > b.sys.c {
		return fmt.Errorf("flows below level %d do not settle: %w", len(b.levels), markov.ErrNoConvergence)
	}
	b.unfactor(ctx)
	from := b.top + 1
	b.top = b.sys.c - 1
	return b.eliminateLevels(ctx, from)
}

// What it takes to leave a level to passes, in multiplications of products of blocks, by measurement: all passes for each
// state of the level, and the steps more that find the coefficients for each number of the basis of modes. A flow takes many
// passes through levels to the highest of which it comes back mostRarely.
const (
	passesOperations = 40_000
	stepsOperations  = 15
	mostRarely       = 20
)

// eliminatedLevels returns the highest level that is worth eliminating. One less saves the elimination of a level and the
// larger part of the factors of the highest. Where rates are far apart, flows may take long to settle, and all are
// eliminated.
func (s *system) eliminatedLevels(ctx context.Context) int {
	if s.decades > manyDecades || s.station.QueueDecay(ctx) < rarelyBusier { // sweeps would repeat the passes
		return s.c - 1
	}
	n, r := float64(s.ar.N), float64(s.ar.Classes)
	size := func(l int) float64 { return occupancies(s.m, l) }
	rarely := 1.0
	for top := s.c - 1; top > 1; top-- {
		below, found := size(top-1), r*size(top-2)
		saved := n*below*found*found + (math.Pow(r*below, 3)-math.Pow(found, 3))/3
		intensity, err := s.intensity(ctx, top)
		rarely *= max(1, 1/intensity)
		if err != nil || !(rarely <= mostRarely) ||
			saved < passesOperations*n*size(top)+stepsOperations*math.Pow(r*size(s.c), 2) {
			return top
		}
	}
	return min(1, s.c-1)
}
