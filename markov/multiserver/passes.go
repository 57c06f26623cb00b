package multiserver

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// passes take a flow through the levels above top, which are not eliminated: downward to top, which is solved together with
// all below it, and upward again. What has departed to a lower level on the way up is pending, and goes with the next pass.
// With P what one run of passes makes of departures, to level c−1 and pending ones,
//
//	entries of level c, pending = (departures, pending)·P,
//
// flows are followed to their end if the same is pending before and after, and nothing is ever subtracted.
type passes struct {
	*boundary
	departures, entries [][]float64    // by level, those that have not been followed
	followed            *boundaryFlows // unless nil
}

// passesAtOnce is how many passes a run has.
const passesAtOnce = 2

// newPasses begins with departures to level c−1 and pending ones.
func (b *boundary) newPasses(y, pending []float64, follow bool) *passes {
	s := b.sys
	n, r := s.ar.n, s.ar.classes
	p := &passes{boundary: b, departures: make([][]float64, s.c), entries: make([][]float64, s.c+1)}
	for l := b.top; l < s.c; l++ {
		p.departures[l] = make([]float64, n*s.index.size(l))
		p.entries[l+1] = make([]float64, r*s.index.size(l+1))
		if l+1 < s.c {
			pending = pending[copy(p.departures[l], pending):]
		}
	}
	copy(p.departures[s.c-1], y)
	if follow {
		p.followed = b.newFlows()
		p.followed.departures[b.top] = make([]float64, n*s.index.size(b.top))
		for l := b.top + 1; l < s.c; l++ {
			p.followed.departures[l] = make([]float64, n*s.index.size(l))
			p.followed.inService[l] = make([]float64, n*s.index.size(l))
			p.followed.arrivals[l] = make([]float64, r*s.index.size(l))
		}
	}
	return p
}

// run makes some passes.
func (p *passes) run() {
	s := p.sys
	for k := range passesAtOnce {
		highest := s.c - 1
		if k > 0 {
			highest-- // nothing departs to level c−1 any more
		}
		for l := highest; l > p.top; l-- {
			p.follow(l)
		}
		y := p.departures[p.top]
		if p.followed != nil {
			floats.Add(p.followed.departures[p.top], y)
		}
		floats.Add(p.entries[p.top+1], p.rise(p.top, y))
		clear(y)
		for l := p.top + 1; l < s.c; l++ {
			p.follow(l)
		}
	}
}

// follow takes what has come to level l to the next departure or arrival.
func (p *passes) follow(l int) {
	s, lev, y, z := p.sys, &p.levels[l], p.departures[l], p.entries[l]
	n, r := s.ar.n, s.ar.classes
	x, found := make([]float64, n*lev.k), make([]float64, r*lev.k)
	kronVec(x, y, s.down[l].end, lev.k)
	kronVec(x, z, lev.ends, lev.k)
	lev.inService.SolveLeft(x)
	kronVec(found, x, s.ar.f, lev.k)
	kronVec(found, y, s.down[l].cut, lev.k)
	kronVec(found, z, lev.cut, lev.k)
	lev.departure.kronLeft(p.departures[l-1], x, n)
	lev.arrival.kronLeft(p.entries[l+1], found, r)
	if v := p.followed; v != nil {
		floats.Add(v.inService[l], x)
		floats.Add(v.departures[l], y)
		floats.Add(v.arrivals[l], z)
	}
	clear(y)
	clear(z)
}

// pending returns the departures that have not been followed.
func (p *passes) pendingDepartures() []float64 {
	var all []float64
	for _, y := range p.departures[p.top : p.sys.c-1] {
		all = append(all, y...)
	}
	return all
}

// pendingSize is the number of flows that may be pending.
func (b *boundary) pendingSize() int {
	size := 0
	for l := b.top; l < b.sys.c-1; l++ {
		size += b.sys.ar.n * b.sys.index.size(l)
	}
	return size
}

// run returns the entries of level c to which x, states in service there, and pending departures lead, and after them what is
// pending then.
func (b *boundary) run(x, pending []float64) []float64 {
	y := b.departing(x)
	if b.top == b.sys.c-1 {
		return b.rise(b.top, y)
	}
	p := b.newPasses(y, pending, false)
	p.run()
	return append(p.entries[b.sys.c], p.pendingDepartures()...)
}

// startFrom notes what is pending while states in service at level c are x, up to one factor: passes begin with that.
func (b *boundary) startFrom(x, pending []float64) {
	if len(pending) == 0 {
		return
	}
	b.pending = scaledBy(1/floats.Sum(b.departing(x)), pending)
	for i, v := range b.pending {
		b.pending[i] = max(0, v)
	}
}

func scaledBy(f float64, x []float64) []float64 {
	y := make([]float64, len(x))
	floats.ScaleTo(y, f, x)
	return y
}

// Passes go on until no flow changes by more than settledFlow of itself, which is roundings. Those that begin near the end
// are few; after mostRuns the levels are eliminated.
const (
	settledFlow = 8 * block.UnitRoundoff
	mostRuns    = 100
)

// settle follows departures y to level c−1 to their end; nil if there are too many passes to it.
func (b *boundary) settle(ctx context.Context, y []float64) *passes {
	pending := make([]float64, b.pendingSize())
	if b.pending != nil {
		floats.ScaleTo(pending, block.Sum(y), b.pending)
	}
	for range mostRuns {
		if ctx.Err() != nil {
			break
		}
		p := b.newPasses(y, pending, true)
		p.run()
		now, change := p.pendingDepartures(), 0.0
		for i, v := range now {
			if v != pending[i] {
				change = max(change, math.Abs(v-pending[i])/v)
			}
		}
		if change <= settledFlow {
			return p
		}
		pending = now
	}
	return nil
}

// complete eliminates all levels.
func (b *boundary) complete(ctx context.Context) error {
	b.unfactor(ctx)
	from := b.top + 1
	b.top = b.sys.c - 1
	return b.eliminateLevels(ctx, from)
}

// What it takes to leave a level to passes, in multiplications of products of blocks: all passes for each state of the level,
// and further steps of the iteration that finds the coefficients for each number of the basis of modes.
const (
	passesOperations = 40_000
	stepsOperations  = 15
)

// eliminatedLevels returns the highest level that is worth eliminating. Where rates are far apart, flows may take long to
// settle, and all are.
func (s *system) eliminatedLevels() int {
	if s.decades > manyDecades {
		return s.c - 1
	}
	n, r := float64(s.ar.n), float64(s.ar.classes)
	size := func(l int) float64 { return float64(s.index.size(l)) }
	for top := s.c - 1; top > 1; top-- {
		below, found := size(top-1), r*size(top-2)
		saved := n*below*found*found + (math.Pow(r*below, 3)-math.Pow(found, 3))/3
		if saved < passesOperations*n*size(top)+stepsOperations*math.Pow(r*size(s.c), 2) {
			return top
		}
	}
	return min(1, s.c-1)
}
