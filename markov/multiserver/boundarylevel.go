package multiserver

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// boundary holds the levels below c, eliminated from 0 upward. An entry (q, n) of a level is an arrival of class q that
// makes its occupancy n and starts its switch-over. The chain comes back to a level from lower ones by an entry only:
// so all that a level has to know of those under it is one block of r·K columns, whatever the number of switch-over
// phases.
//
// Reference for the elimination by levels: D. P. Gaver, P. A. Jacobs, G. Latouche, Finite birth-and-death models in
// randomly changing environments, Adv. Appl. Probab. 16 (1984) 715–731.
type boundary struct {
	sys       *system
	levels    []boundaryLevel    // 1..c−1
	storage   []*block.Stack     // of the levels' blocks, if they share any
	levelZero *block.GTH         // −D0, level 0
	departure *statespace.Sparse // from level c
	flow      block.Matrix       // what returns gives, once it is known
	top       int                // the highest level that is eliminated; for those above it see [passes]
	factored  bool               // vectors are what is taken through level top: see [boundaryLevel.factor]
	pending   []float64          // where passes begin
	started   bool               // passes begin so near the end that one run is enough
	roundings float64            // in what has been followed by them, relative to itself
}

// boundaryLevel is what back substitution needs to find the probabilities of a level.
type boundaryLevel struct {
	k         int // occupancies
	moves     moves
	inService inServiceBlock
	// excursions is V, until back substitution is done: from states in service to lower levels and back to what the arrivals
	// find that lead to this level, times up; with a loop it is X. It may have more columns, which are zero. See [elimination].
	excursions block.Matrix
	loop       *block.GTH         // I − D, from arrival to arrival without leaving upward
	up         []float64          // u
	found      *statespace.Sparse // U of level l−1
	ends       block.Matrix       // A·end: from the class of an arrival to the arrival phase when service begins, r×n
	cut        block.Matrix       // A·cut: to the class of the next arrival, if it comes first, r×r
	departure  *statespace.Sparse // to level l−1
	arrival    *statespace.Sparse // to level l+1
}

func (s *system) newBoundary() *boundary {
	return &boundary{sys: s, levels: make([]boundaryLevel, s.c), top: s.c - 1}
}

// newLevel makes what is known of level l before it is eliminated.
func (b *boundary) newLevel(ctx context.Context, l int) (*boundaryLevel, error) {
	s, lev := b.sys, &b.levels[l]
	*lev = boundaryLevel{
		k: s.index.Size(l), moves: s.moves(l),
		departure: s.departureTransitions(ctx, l), arrival: s.arrivalTransitions(ctx, l),
		ends: s.ar.A, cut: block.New(s.ar.Classes, s.ar.Classes),
	}
	if g := s.up[l]; g.phases > 0 {
		lev.ends = block.New(s.ar.Classes, s.ar.N)
		block.MulAdd(ctx, lev.ends, s.ar.A, g.end)
		block.MulAdd(ctx, lev.cut, s.ar.A, g.cut)
	}
	var err error
	lev.inService, err = s.inServiceBlock(ctx, l, &lev.moves)
	return lev, err
}

// boundaryFlows are the stationary flows through the levels below c for a given flow of departures from level c. Those
// of level l are to be multiplied by 2^exponents[l], level c included, until they are unscaled: from level c to an empty
// machine probabilities may fall, or rise, by more than a number holds.
type boundaryFlows struct {
	exponents  []int
	inService  [][]float64 // by level 0..c−1, probabilities of (a, n)
	departures [][]float64 // to level l, (a, n)
	arrivals   [][]float64 // entries of level l, (q, n)
}

// newFlows returns no flows of levels below c.
func newFlows(c int) *boundaryFlows {
	lists := make([][]float64, 3*c)
	return &boundaryFlows{
		exponents: make([]int, c+1), inService: lists[:c], departures: lists[c : 2*c], arrivals: lists[2*c:],
	}
}

// excursion returns the states in service of level l, and its entries, while it or lower levels are visited after a flow y
// of departures to it.
func (b *boundary) excursion(l int, y []float64) (x, z []float64) {
	s, lev := b.sys, &b.levels[l]
	n, r := s.ar.N, s.ar.Classes
	x = make([]float64, n*lev.k)
	statespace.KronVec(x, y, s.down[l].end, lev.k)
	z = make([]float64, lev.excursions.Cols)
	block.VecMulAdd(z, x, lev.excursions)
	found := z[:len(lev.up)]
	if lev.loop != nil {
		lev.loop.SolveLeft(found)
	} else {
		floats.Div(found, lev.up)
	}
	z = make([]float64, r*lev.k)
	lev.found.KronLeft(z, found, r)
	statespace.KronVec(x, z, lev.ends, lev.k)
	lev.inService.SolveLeft(x)
	return x, z
}

// departing returns the departures from states x in service at level c.
func (b *boundary) departing(x []float64) []float64 {
	y := make([]float64, b.sys.ar.N*b.departure.Cols)
	b.departure.KronLeft(y, x, b.sys.ar.N)
	return y
}

// rise returns the entries of level l+1 to which departures y to level l lead.
func (b *boundary) rise(l int, y []float64) []float64 {
	s := b.sys
	r, k := s.ar.Classes, s.index.Size(l)
	found := make([]float64, r*k)
	if l == 0 {
		x := slices.Clone(y)
		b.levelZero.SolveLeft(x)
		statespace.KronVec(found, x, s.ar.F, k)
	} else {
		x, z := b.excursion(l, y)
		b.found(found, l, y, x, z)
	}
	entry := make([]float64, r*b.levels[l].arrival.Cols)
	b.levels[l].arrival.KronLeft(entry, found, r)
	return entry
}

// found adds what arrivals that lead to level l+1 find at level l: their class and the occupancy, of states x in service,
// departures y to level l and entries z of it.
func (b *boundary) found(to []float64, l int, y, x, z []float64) {
	s, k := b.sys, b.levels[l].k
	statespace.KronVec(to, x, s.ar.F, k)
	statespace.KronVec(to, z, b.levels[l].cut, k)
	statespace.KronVec(to, y, s.down[l].cut, k)
}
