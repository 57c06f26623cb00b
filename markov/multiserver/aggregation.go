package multiserver

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
)

// AggregationDisaggregation is the method that the automatic choice takes for queues of many occupancies whose load is low.
const AggregationDisaggregation = "aggregation-disaggregation"

// aggregation finds the levels one after the other, from an empty machine up to one above which there is nothing to speak
// of, and again, until they stay as they are. Of each level it solves the balance with what the level below has just become
// and what the level above was before,
//
//	x_l·T_l = y_l·end + z_l·ends,   y_l = x_{l+1}·W,
//	x_{c+k}·T_c = x_{c+k−1}·(D1⊗I) + u_k·ending + x_{c+k+1}·(I⊗V),
//
// and after each round gives every level the probability by which as much flows up from it as comes back. Nothing is
// subtracted, and neither the boundary nor level c needs a matrix. What a round leaves of the error is what the level above
// had of it: it takes a few rounds for each job that is served at the same time.
//
// References: Y. Takahashi, A lumping method for numerical calculations of stationary distributions of Markov chains,
// Tokyo Institute of Technology, Res. Rep. B-18 (1975); J. R. Koury, D. F. McAllister, W. J. Stewart, Iterative methods
// for computing stationary distributions of nearly completely decomposable Markov chains, SIAM J. Alg. Disc. Meth. 5
// (1984) 164–186.
type aggregation struct {
	*boundary
	sources   block.Matrix   // from entries of level c to its states in service, r×n: A, or with its switch-over atom·A
	moves     moves          // of level c
	inService inServiceBlock // of level c
	theta     float64        // the decay rate θ: level c+k is kept as θ^−k·x_{c+k}, which are all of one size
	refill    *sparse        // θ·V
	refilled  *sparse        // its transpose
	into      *sparse        // the transpose of the moves
	next      block.Matrix   // of the switch-over of level c, 1/θ times
	served    [][]float64    // rates of departures by level and occupancy, from level 1 to c

	flows  *boundaryFlows
	entry  []float64   // of level c
	above  [][]float64 // states in service of the levels from c on, θ^−k times
	u      [][]float64 // switch-overs that arrivals to these levels find unfinished, (q, c, n), θ^−k times
	up     []float64   // the flow from each level to the next, but for those of u
	found  []float64   // the arrivals that it consists of, by class, before they change the occupancy
	room   []float64
	beyond []float64 // the level after the last

	weight float64 // how much the changes of a level above c+1 count, relative to those of the level below it
	change float64 // of the level that the last round changed most, relative to it
	gain   float64 // by how much rounds make changes smaller in the long run
	rounds int
}

// lostLevel is the probability of the last level relative to that of level c.
const lostLevel = 1e-18

// heightFor returns the number of levels from c on, of which each has so much of the probability of the one below it.
func heightFor(decay, lost float64) int { return 2 + int(math.Ceil(math.Log(lost)/math.Log(decay))) }

// newAggregation prepares for so many levels from c on.
func (s *system) newAggregation(ctx context.Context, height int) (a *aggregation, err error) {
	n, r, k := s.ar.n, s.ar.classes, s.index.size(s.c)
	a = &aggregation{
		boundary: s.newBoundary(), moves: s.moves(s.c), flows: newFlows(s.c), entry: s.mem.floats(r * k),
		refill: s.index.departure(s.c, s.exit[s.c-1]).times(s.index.arrival(s.c-1, s.alpha[s.c-1])),
		up:     make([]float64, s.c+height), served: make([][]float64, s.c+1),
		beyond: s.mem.floats(n * k), room: s.mem.floats(n * k), found: s.mem.floats(r * k),
	}
	if a.levelZero, err = block.FactorGTH(ctx, s.ar.d0.Clone(), s.ar.f.RowSums()); err != nil {
		return nil, err
	}
	a.levels[0] = boundaryLevel{k: 1, arrival: s.arrivalTransitions(ctx, 0)}
	a.flows.inService[0], a.flows.departures[0] = s.mem.floats(n), append([]float64(nil), s.ar.pi...)
	for l := 1; l < s.c; l++ {
		lev, err := a.newLevel(ctx, l)
		if err != nil {
			return nil, err
		}
		a.flows.inService[l], a.flows.departures[l] = s.mem.floats(n*lev.k), s.mem.floats(n*lev.k)
		a.flows.arrivals[l] = s.mem.floats(r * lev.k)
		a.served[l] = s.departureRates(l)
	}
	a.departure, a.served[s.c] = s.departureTransitions(ctx, s.c), s.departureRates(s.c)
	if a.inService, err = s.inServiceBlock(ctx, s.c, &a.moves); err != nil {
		return nil, err
	}
	a.prepareAbove(ctx, height)
	return a, ctx.Err()
}

// prepareAbove prepares for the levels from c on.
func (a *aggregation) prepareAbove(ctx context.Context, height int) {
	s := a.sys
	n, r, k, g := s.ar.n, s.ar.classes, s.index.size(s.c), s.up[s.c]
	a.sources, a.theta = s.ar.a, s.decay(ctx)
	a.weight = a.theta
	floats.Scale(a.theta, a.refill.val)
	a.refilled, a.into = a.refill.transposed(), a.moves.off.transposed()
	if g.phases > 0 {
		a.sources = s.ar.a.Clone()
		floats.Scale(g.atom, a.sources.Data)
		a.next = g.next.Clone()
		floats.Scale(1/a.theta, a.next.Data)
		a.u = slicesOf(height+1, r*g.phases*k)
	}
	a.above = slicesOf(height, n*k)
	for _, x := range a.above { // from nothing, what a round takes up would underflow
		floats.AddConst(1, x)
	}
}

// slicesOf returns so many vectors of the same length.
func slicesOf(count, length int) [][]float64 {
	all, room := make([][]float64, count), make([]float64, count*length)
	for i := range all {
		all[i] = room[i*length : (i+1)*length : (i+1)*length]
	}
	return all
}

// Rounds end when what is left of the error, the geometric sum of the changes that would follow, is a few roundings, or
// when changes no longer become smaller that are such as roundings of the probabilities of all levels make.
const (
	mostRounds  = 1000
	leftOver    = 8 * block.UnitRoundoff
	perLevel    = 8 * block.UnitRoundoff
	atRoundings = 1e-13
	mostGain    = 1 - 1e-6
)

// run does rounds until the levels stay as they are.
func (a *aggregation) run(ctx context.Context, most int) error {
	last, gains := math.Inf(1), [4]float64{}
	roundings := max(atRoundings, perLevel*float64(len(a.up)))
	for a.rounds < most && ctx.Err() == nil {
		a.round()
		a.balance()
		gains[a.rounds%len(gains)] = a.change / last
		last = a.change
		switch {
		case math.IsNaN(a.change):
			return fmt.Errorf("%s: %w", AggregationDisaggregation, markov.ErrNoConvergence)
		case a.rounds <= len(gains):
			continue
		}
		gain := math.Pow(gains[0]*gains[1]*gains[2]*gains[3], 1./float64(len(gains)))
		if a.change > roundings || a.gain == 0 {
			a.gain = min(gain, mostGain)
		}
		if a.change <= leftOver*(1-a.gain) || a.change <= roundings && gain > 0.9 {
			return nil
		}
	}
	return fmt.Errorf("%s: %w after %d rounds", AggregationDisaggregation, markov.ErrNoConvergence, a.rounds)
}

// round solves every level once.
func (a *aggregation) round() {
	s := a.sys
	a.change = 0
	for l := range s.c {
		a.solveBelow(l)
	}
	a.startSwitchOver()
	for i := range a.above {
		a.solveAbove(i)
	}
	a.rounds++
}

// solveBelow solves a level below c, and finds the entries of the next.
func (a *aggregation) solveBelow(l int) {
	s, f, lev := a.sys, a.flows, &a.levels[l]
	n, r := s.ar.n, s.ar.classes
	departure, from, entry := a.departure, a.above[0], a.entry
	if l+1 < s.c {
		departure, from, entry = a.levels[l+1].departure, f.inService[l+1], f.arrivals[l+1]
	}
	y := f.departures[l]
	if a.rounds > 0 {
		clear(y)
	}
	departure.kronLeft(y, from, n)
	x, found := a.room[:len(y)], a.found[:r*lev.k]
	clear(found)
	if l == 0 {
		copy(x, y)
		a.levelZero.SolveLeft(x)
	} else {
		clear(x)
		kronVec(x, y, s.down[l].end, lev.k)
		kronVec(x, f.arrivals[l], lev.ends, lev.k)
		lev.inService.SolveLeft(x)
		kronVec(found, y, s.down[l].cut, lev.k)
		kronVec(found, f.arrivals[l], lev.cut, lev.k)
	}
	a.replace(f.inService[l], x, 1)
	kronVec(found, x, s.ar.f, lev.k)
	clear(entry)
	lev.arrival.kronLeft(entry, found, r)
	a.up[l] = block.Sum(entry)
}

// startSwitchOver sets u.
func (a *aggregation) startSwitchOver() {
	g, k := a.sys.up[a.sys.c], len(a.served[a.sys.c])
	for i, u := range a.u {
		clear(u)
		if i > 0 {
			kronVec(u, a.u[i-1], a.next, k)
			continue
		}
		for q := range a.sys.ar.classes {
			for c, p := range g.gamma {
				floats.AddScaled(u[(q*g.phases+c)*k:(q*g.phases+c+1)*k], p, a.entry[q*k:(q+1)*k])
			}
		}
	}
}

// solveAbove solves level c+i, and finds the arrivals to the next. That after the last is as the last is, by a factor that makes the flows balance.
func (a *aggregation) solveAbove(i int) {
	s := a.sys
	k := len(a.served[s.c])
	x := a.room
	clear(x)
	if i == 0 {
		kronVec(x, a.entry, a.sources, k)
	} else {
		kronVec(x, a.found, s.ar.a, k)
	}
	if a.u != nil {
		kronVec(x, a.u[i], s.up[s.c].ending, k)
	}
	next := a.beyond
	if i+1 < len(a.above) {
		next = a.above[i+1]
	} else {
		last := a.above[i]
		floats.ScaleTo(next, a.upFrom(i)/a.downFrom(s.c, last), last)
	}
	if t, ok := a.inService.(triangular); ok {
		t.solvePulled(x, next, a.into, a.refilled)
	} else {
		a.refill.kronLeft(x, next, s.ar.n)
		a.inService.SolveLeft(x)
	}
	a.replace(a.above[i], x, math.Pow(a.weight, float64(max(0, i-1))))
	a.up[s.c+i] = block.Sum(a.arrivalsOf(i))
}

// replace puts a level in the place of what it was, and notes its change.
func (a *aggregation) replace(old, x []float64, weight float64) {
	a.change = max(a.change, weight*floats.Distance(old, x, 1)/block.Sum(x))
	copy(old, x)
}

// arrivalsOf returns the flow of arrivals that find level c+i in service, as level c+i+1 is kept.
func (a *aggregation) arrivalsOf(i int) []float64 {
	clear(a.found)
	kronVec(a.found, a.above[i], a.sys.ar.f, len(a.served[a.sys.c]))
	floats.Scale(1/a.theta, a.found)
	return a.found
}

// upFrom returns the flow of arrivals that find level c+i.
func (a *aggregation) upFrom(i int) float64 {
	up := a.up[a.sys.c+i]
	if a.u != nil {
		up += block.Sum(a.u[i+1])
	}
	return up
}

// downFrom returns the flow of departures from a level with the rates of level l.
func (a *aggregation) downFrom(l int, x []float64) float64 {
	down, k := 0.0, len(a.served[l])
	for from := 0; from < len(x); from += k {
		down += floats.Dot(x[from:from+k], a.served[l])
	}
	return down
}

// balance gives every level its probability.
func (a *aggregation) balance() {
	s, f := a.sys, a.flows
	scale, entered := 1.0, 0.0
	for l := 1; l < s.c; l++ {
		scale *= a.up[l-1] / a.downFrom(l, f.inService[l])
		floats.Scale(scale, f.inService[l])
	}
	up := scale * a.up[s.c-1]
	for i, x := range a.above {
		scale = up / a.downFrom(s.c, x)
		floats.Scale(scale, x)
		if i == 0 {
			entered = scale
		}
		up = scale * a.up[s.c+i]
		if a.u != nil {
			up += entered * block.Sum(a.u[i+1])
		}
	}
}

// solveByAggregation is solveWith by this method.
func (s *system) solveByAggregation(ctx context.Context, try attempt) (*Solution, error) {
	a, err := s.newAggregation(ctx, try.height)
	if err != nil {
		return nil, err
	}
	if err := a.run(ctx, 2*roundsPerLevel*try.height); err != nil {
		return nil, err
	}
	a.round() // from the probabilities of the levels
	rp := &repeatingPart{saturated: s.describeSaturated(try.method), sys: s, switchOver: s.up[s.c]}
	rp.iterations, rp.iterated = a.rounds, a
	sol := &Solution{
		sys: s, repeating: rp, boundary: a.boundary, flows: a.flows,
		entry: slices.Clone(a.entry), levelC: slices.Clone(a.above[0]),
	}
	err = sol.finish(ctx, try)
	a.above, a.u = nil, nil
	return sol, err
}

// levelsByAggregation returns the probabilities of the levels from c on, as far as they are numbers: of those that a solution
// is found from, the last are only known to be small. Rounds that do not converge leave them to a reduction.
func (sol *Solution) levelsByAggregation() []float64 {
	const smallest = 1e-308
	ctx, s := context.Background(), sol.sys // it is done in some hundredths of a second
	levels := make([]float64, heightFor(sol.decay, smallest))
	a, err := s.newAggregation(ctx, heightFor(sol.decay, lostLevel)+len(levels))
	if err == nil {
		a.weight = 1
		err = a.run(ctx, mostRounds)
	}
	var other *Solution
	if err != nil {
		other, err = s.byReduction(ctx)
	}
	for i := range levels {
		switch {
		case err != nil:
			levels[i] = math.NaN()
		case other != nil:
			levels[i] = other.Probability(s.c + i)
		default:
			levels[i] = a.mass(i)
		}
	}
	floats.Scale(sol.Probability(s.c)/levels[0], levels)
	return levels
}

// byReduction solves the queue once more, by the method that needs nothing of a queue.
func (s *system) byReduction(ctx context.Context) (*Solution, error) {
	var b *boundary
	var r saturatedResult
	other, err := s.independentCopy().attempt(ctx, attempt{method: markov.CyclicReduction}, &b, &r, markov.Settings{})
	if b != nil {
		b.release()
	}
	return other, err
}

// mass returns the probability of level c+i.
func (a *aggregation) mass(i int) float64 {
	total := block.Sum(a.above[i])
	if a.u != nil {
		total += floats.Dot(collapse(a.u[i], len(a.served[a.sys.c])), a.sys.up[a.sys.c].stay)
	}
	return total * math.Pow(a.theta, float64(i))
}

// sums returns Σ k(k−1)…·x_{c+k} for no, one and two factors.
func (a *aggregation) sums() (x [3][]float64) {
	for p := range x {
		x[p] = make([]float64, len(a.room))
		for i := len(a.above) - 1; i >= p; i-- {
			factor := math.Pow(a.theta, float64(i))
			for q := range p {
				factor *= float64(i - q)
			}
			floats.AddScaled(x[p], factor, a.above[i])
		}
	}
	return x
}

// residual checks the states in service of levels c and c+1.
func (a *aggregation) residual(note func(diff []float64, flow float64)) {
	s := a.sys
	k := len(a.served[s.c])
	for i, x := range a.above[:2] {
		inflow := make([]float64, len(x))
		if i == 0 {
			kronVec(inflow, a.entry, a.sources, k)
		} else {
			kronVec(inflow, a.arrivalsOf(i-1), s.ar.a, k)
		}
		if a.u != nil {
			kronVec(inflow, a.u[i], s.up[s.c].ending, k)
		}
		a.refill.kronLeft(inflow, a.above[i+1], s.ar.n)
		note(a.moves.imbalance(x, inflow))
	}
}
