package multiserver

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// boundary holds the levels below c, eliminated from level 0 upward; the package comment defines the symbols. An entry
// (q, i) of a level is an arrival of class q that leads to occupancy i and starts the switch-over of the level. The
// chain comes back to a level from lower levels only by an entry. So one block with r·K columns describes all lower
// levels, whatever the number of switch-over phases.
//
// Reference for the elimination by levels: D. P. Gaver, P. A. Jacobs, G. Latouche, Finite birth-and-death models in
// randomly changing environments, Adv. Appl. Probab. 16 (1984) 715–731.
type boundary struct {
	sys       *system
	levels    []boundaryLevel     // 1..c−1
	storage   []*block.Stack      // of the Y of the levels
	levelZero *block.GTH          // −D0, level 0
	departure *statespace.Sparse  // W of level c, to level c−1
	noCut     block.Matrix        // r×r zeros: cut of a level without a switch-over after arrivals
	thin      statespace.Thinning // whether most levels are thinned
	top       int                 // the highest eliminated level; flows go through the levels above it by [passes]
	factored  bool                // level top is factored only, see [boundaryLevel.factor]
	passes    *passes             // storage that [boundary.runPasses] uses again
	pending   []float64           // pending departures with which passes begin, per departure to level c−1
	nearLimit bool                // pending is so near its limit that one run of passes is enough
	roundings float64             // relative error of the flows that were followed by passes
}

// boundaryLevel holds the matrices of level l that the elimination and the back substitution need; [elimination]
// defines the symbols.
type boundaryLevel struct {
	k         int // occupancies
	moves     moves
	inService statespace.InServiceBlock
	// excursions is Y until back substitution is done, or X if loop is set. It may be padded with columns of zeros. A
	// thinned level has further in its place, (I−D)⁻¹ − I.
	excursions, further block.Matrix
	loop                *block.GTH         // factors of I − D, if the level is factored instead of eliminated
	escape              []float64          // u: probability that the level is left upward before the next visit to Z
	found               *statespace.Sparse // U of level l−1
	ends                block.Matrix       // A·end: from the class of an arrival to the arrival phase when service begins, r×n
	cut                 block.Matrix       // A·cut: to the class of the next arrival, if it comes first, r×r
	departure           *statespace.Sparse // W of level l, to level l−1
	arrival             *statespace.Sparse // U of level l, to level l+1
}

// newBoundary returns a boundary whose levels 1 to c−1 are all to be eliminated: its field top is c−1. Its levels are
// not set yet; [boundary.eliminateUpward] sets and eliminates them. [statespace.Thinning] tells whether most levels will
// keep only a smaller matrix, to save memory. The occupancies must be numbered before, by [system.allocate].
func (s *system) newBoundary() *boundary {
	size := func(l int) float64 { return float64(s.index.Size(l)) }
	return &boundary{
		sys: s, levels: make([]boundaryLevel, s.c), top: s.c - 1,
		noCut: block.New(s.ar.Classes, s.ar.Classes),
		thin:  statespace.NewThinning(size, float64(s.ar.N), float64(s.ar.Classes), s.c-1),
	}
}

// newLevel sets levels[level], 1 ≤ level < c, and returns a pointer to it. It sets everything that does not depend on
// lower levels: the number k of occupancies, the moves and the solver of the states in service, the transitions to both
// neighbours, ends and cut. found, escape and the matrices of the elimination stay empty. The error comes from
// [system.inServiceBlock]. If ctx ends, the transitions can be incomplete without an error.
func (b *boundary) newLevel(ctx context.Context, level int) (*boundaryLevel, error) {
	s, lev := b.sys, &b.levels[level]
	*lev = boundaryLevel{
		k: s.index.Size(level), moves: s.moves(level),
		departure: s.departureTransitions(ctx, level), arrival: s.arrivalTransitions(ctx, level),
		ends: s.ar.A, cut: b.noCut,
	}
	if g := s.up[level]; g.Phases > 0 {
		lev.ends, lev.cut = block.New(s.ar.Classes, s.ar.N), block.New(s.ar.Classes, s.ar.Classes)
		block.MulAdd(ctx, lev.ends, s.ar.A, g.End)
		block.MulAdd(ctx, lev.cut, s.ar.A, g.Cut)
	}
	var err error
	lev.inService, err = s.inServiceBlock(ctx, level, &lev.moves)
	return lev, err
}

// boundaryFlows holds the stationary flows through the levels below c for a given flow of departures from level c. The
// vectors of level l are to be multiplied by 2^exponents[l], level c included, until [Solution.applyExponents] has done
// so. From level c to an empty machine probabilities may fall or rise by more than the range of a number.
type boundaryFlows struct {
	store      *block.Arena // of the vectors
	exponents  []int
	inService  [][]float64 // by level 0..c−1: probabilities of the states in service, (a, i)
	departures [][]float64 // by level: rates of departures to level l, (a, i)
	arrivals   [][]float64 // by level: rates of entries of level l, (q, i)
	// The sums of these vectors by level, from which most measures follow.
	inServiceSums, departureSums, arrivalSums []float64
}

// prepare sets v to flows of the levels below c that are still to be filled: exponents of zero for levels 0 to c, and
// lists of vectors for levels 0 to c−1. The vectors are to lie in store; with a nil store each vector has storage of its
// own. Lists that v has already, from flows of as many levels, are used again.
func (v *boundaryFlows) prepare(c int, store *block.Arena) {
	if len(v.inService) != c {
		lists := make([][]float64, 3*c)
		v.exponents = make([]int, c+1)
		v.inService, v.departures, v.arrivals = lists[:c], lists[c:2*c], lists[2*c:]
	}
	v.exponents = v.exponents[:c+1]
	clear(v.exponents)
	sums := store.Vector(3 * c)
	v.store, v.inServiceSums, v.departureSums, v.arrivalSums = store, sums[:c], sums[c:2*c], sums[2*c:]
}

// setSums sets the three lists of sums by level, once the vectors of all levels below c are set: in service, departures
// and arrivals. Most measures follow from the sums.
func (v *boundaryFlows) setSums() {
	for l := range v.inService {
		v.inServiceSums[l] = block.Sum(v.inService[l])
		v.departureSums[l] = block.Sum(v.departures[l])
		v.arrivalSums[l] = block.Sum(v.arrivals[l])
	}
}

// excursion is a flow of departures y to a level and what follows from it: mean times x in the states in service of the
// level, and mean numbers z of its entries, arrivals from below. y and x have a number for each arrival phase and
// occupancy of the level, z for each class and occupancy.
type excursion struct{ y, x, z []float64 }

// takeExcursions follows departures y to a level l, 1 ≤ l ≤ top, through lower levels until level l is left upward. It
// does so for each of the excursions. It sets x and z, which must be zero before; y stays unchanged. The matrix Y holds
// mean numbers of visits to what arrivals to level l find. A large Y is read once for all excursions. U leads from what
// arrivals find to the occupancy after the arrival:
//
//	found = y·(end⊗I)·Y,   z = found·(I⊗U),   x = (y·(end⊗I) + z·(A·end⊗I))·T⁻¹.
//
// end belongs to the switch-over after a departure, and A·end, the field ends, to the switch-over after an arrival. If
// y are rates, x are probabilities and z are rates. Back substitution is a sequence of excursions.
func (b *boundary) takeExcursions(level int, all ...excursion) {
	s, lev := b.sys, &b.levels[level]
	room, states := block.NewRaw(len(all), s.ar.N*lev.k+lev.visitColumns()), s.ar.N*lev.k
	defer room.Release()
	starts := block.Over(len(all), states, room.Data[:len(all)*states])
	visits := block.Over(len(all), lev.visitColumns(), room.Data[len(all)*states:])
	for i, e := range all {
		s.down[level].AddEnded(e.x, e.y, lev.k)
		copy(starts.Row(i), e.x)
	}
	b.setVisits(visits, level, starts)
	for i, e := range all {
		found := visits.Row(i)[:len(lev.escape)]
		if lev.loop != nil {
			lev.loop.SolveLeft(found)
		}
		lev.found.KronLeft(e.z, found, s.ar.Classes)
		statespace.KronVec(e.x, e.z, lev.ends, lev.k)
		lev.inService.SolveLeft(e.x)
	}
}

// visitColumns returns the number of columns of the matrix Y of an eliminated level, or of the smaller matrix of a
// thinned level.
func (lev *boundaryLevel) visitColumns() int { return max(lev.excursions.Cols, lev.further.Cols) }

// setVisits overwrites v with how often arrivals to a level find each pair of a class and an occupancy of the level
// below. A row of x holds the number of times that service begins in each state of the level, by arrival phase and
// occupancy. x stays unchanged. The row of v has the mean numbers of visits before the level is left upward, x·Y of
// [elimination]: r·K entries for the K occupancies of the level below, by class and occupancy, then zeros up to the
// columns of [boundaryLevel.visitColumns].
//
// If the level is only factored, so that loop is set, the result is only what the first arrival finds, x·X. A thinned
// level keeps neither Y nor X; its product is computed through the levels below. The level is at least 1 and at most
// top.
func (b *boundary) setVisits(v block.Matrix, level int, x block.Matrix) {
	lev := &b.levels[level]
	clear(v.Data)
	if lev.excursions.Data != nil {
		if x.Rows == 1 {
			block.VecMulAdd(v.Data, x.Data, lev.excursions)
		} else {
			block.FewMulAdd(v, x, lev.excursions)
		}
		return
	}
	inService := block.ScratchOf(x)
	defer inService.Release()
	for i := range x.Rows {
		lev.inService.SolveLeft(inService.Row(i))
		y := block.NewScratch(1, b.sys.ar.N*lev.departure.Cols)
		lev.departure.KronLeft(y.Data, inService.Row(i), b.sys.ar.N)
		found := b.foundAfter(level-1, y.Data) // row i of x·X
		y.Release()
		copy(v.Row(i), found)
		block.VecMulAdd(v.Row(i), found, lev.further)
	}
}

// foundAfter returns what the next arrival to level l+1 finds after departures y to a level l, 0 ≤ l ≤ top. y has a
// number for each arrival phase and occupancy of level l, and stays unchanged. The result is a new vector with a number
// for each class of the arrival and occupancy of level l, in the unit of y. It lies in the scratch of the system, which
// the solve drops at its end. It includes all excursions to lower levels. Its sum is the sum of y, because an arrival
// comes for certain.
func (b *boundary) foundAfter(level int, y []float64) []float64 {
	r, k := b.sys.ar.Classes, b.sys.index.Size(level)
	found := b.sys.scratch.Vector(r * k)
	if level == 0 {
		x := block.NewRaw(1, len(y))
		defer x.Release()
		copy(x.Data, y)
		b.levelZero.SolveLeft(x.Data)
		statespace.KronVec(found, x.Data, b.sys.ar.F, k)
		return found
	}
	room := block.NewScratch(1, len(y)+r*k)
	defer room.Release()
	e := excursion{y, room.Data[:len(y)], room.Data[len(y):]}
	b.takeExcursions(level, e)
	b.addArrivals(found, level, e.y, e.x, e.z)
	return found
}

// departing returns the rates of departures to level c−1: n·K_{c−1} numbers, by arrival phase and occupancy of level
// c−1. The vector is new and lies in the scratch of the system, so a solution must keep a copy. x holds the
// probabilities of the states in service at level c, n·K numbers by arrival phase and occupancy, and stays unchanged.
// The flows below level c start with these departures.
func (b *boundary) departing(x []float64) []float64 {
	y := b.sys.scratch.Vector(b.sys.ar.N * b.departure.Cols)
	b.departure.KronLeft(y, x, b.sys.ar.N)
	return y
}

// entriesAbove returns the entries of level l+1, arrivals from below, to which departures y to a level l lead, 0 ≤ l ≤
// top. y has a number for each arrival phase and occupancy of level l, and stays unchanged. The result is a new vector
// in the unit of y, with a number for each class and occupancy of level l+1. It lies in the scratch of the system. All
// excursions to lower levels are included.
func (b *boundary) entriesAbove(level int, y []float64) []float64 {
	r := b.sys.ar.Classes
	found := b.foundAfter(level, y)
	entry := b.sys.scratch.Vector(r * b.levels[level].arrival.Cols)
	b.levels[level].arrival.KronLeft(entry, found, r)
	return entry
}

// arrivalRate returns the sum of the flow that [boundary.addArrivals] adds: the rate of arrivals from a level l to
// level l+1, 1 ≤ l < c, in the unit of the excursion. [boundary.takeExcursions] must have set x, the states in service,
// and z, the entries of the level; see [excursion]. [boundary.conserveFlow] compares the rate with the departures y.
func (b *boundary) arrivalRate(level int, e excursion) float64 {
	s, k := b.sys, b.levels[level].k
	rate := 0.0
	for a, r := range s.ar.PhaseRates {
		rate += r * block.Sum(e.x[a*k:(a+1)*k])
	}
	if s.up[level].Phases > 0 {
		rate += floats.Dot(statespace.Collapse(e.z, k), b.levels[level].cut.RowSums())
	}
	if s.down[level].Phases > 0 {
		rate += floats.Dot(statespace.Collapse(e.y, k), s.down[level].Cut.RowSums())
	}
	return rate
}

// addArrivals adds to the vector to, in place, the flow of arrivals from a level l to level l+1, 1 ≤ l < c. The vector
// has r·K_l numbers, by class of the arrival and occupancy of level l that it finds. The arrivals come during service
// in the states x, and during the switch-overs that departures y and entries z start. [boundary.takeExcursions] gives x
// and z for y; all three stay unchanged.
func (b *boundary) addArrivals(to []float64, level int, y, x, z []float64) {
	s, k := b.sys, b.levels[level].k
	statespace.KronVec(to, x, s.ar.F, k)
	if s.up[level].Phases > 0 {
		statespace.KronVec(to, z, b.levels[level].cut, k)
	}
	if s.down[level].Phases > 0 {
		statespace.KronVec(to, y, s.down[level].Cut, k)
	}
}
