package multiserver

import (
	"context"

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
	levels    []boundaryLevel    // 1..c−1, and more if it is [boundary.extended]: what is said of c holds for their number then
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
	// excursions is X, from states in service to lower levels and back to the level's entries, n·K × r·K, until back
	// substitution is done; of acyclic service it is X·(I−D)⁻¹·diag(up), unless there is a loop, and may have more columns,
	// which are zero.
	excursions block.Matrix
	loop       *block.GTH         // I − D, from entry to entry without leaving upward
	up         []float64          // of acyclic service
	found      *statespace.Sparse // U of level l−1 where excursions lead to what arrivals find there, not to entries of this level
	ends       block.Matrix       // A·end: from the class of an arrival to the arrival phase when service begins, r×n
	cut        block.Matrix       // A·cut: to the class of the next arrival, if it comes first, r×r
	departure  *statespace.Sparse // to level l−1
	arrival    *statespace.Sparse // to level l+1
}

// eliminateBoundary eliminates levels 0..c−1, if vectors are all that is taken through them as far as it is best for those.
func (s *system) eliminateBoundary(ctx context.Context, vectors bool) (*boundary, error) {
	b := s.newBoundary()
	if vectors {
		b.top, b.factored = s.eliminatedLevels(ctx), true
	}
	switch {
	case s.mixtures():
		return b, b.eliminateInPlace(ctx)
	case s.ordered:
		return b, b.eliminateSparse(ctx)
	}
	return b, b.forwardElimination(ctx)
}

func (s *system) newBoundary() *boundary {
	return &boundary{sys: s, levels: make([]boundaryLevel, s.c), top: s.c - 1}
}

// forwardElimination eliminates the levels one after the other. With E the states (a, n) in service of a level l and Z
// its entries (q, n), ends = A·end:
//
//	C = (I⊗W)·H of level l−1     E → level l−1 → Z, rates
//	X = T⁻¹·C, Q = T⁻¹·(F⊗I)     E → Z, E → arrival at level l, probabilities
//	D = ends·X                   Z → E → Z
//	S = (I−D)⁻¹·(A·cut + ends·Q)  Z → first arrival that leads to level l+1
//	J = Q + X·S                  E → first arrival that leads to level l+1
//	H = (end·J + cut)·(I⊗U)      departure to level l → entry of level l+1
func (b *boundary) forwardElimination(ctx context.Context) error {
	s := b.sys
	h, err := b.eliminateLevelZero(ctx)
	if err != nil {
		return err
	}
	for l := 1; l < s.c; l++ {
		lev, err := b.newLevel(ctx, l)
		if err != nil {
			return err
		}
		lev.excursions = block.NewRaw(s.ar.N*lev.k, s.ar.Classes*lev.k)
		lev.departure.KronMul(ctx, lev.excursions, h, s.ar.N)
		lev.inService.Solve(ctx, lev.excursions)
		h.Release()
		if h, err = s.eliminateLevel(ctx, l, lev); err != nil {
			return err
		}
	}
	b.departure = s.departureTransitions(ctx, s.c)
	b.flow = block.NewRaw(s.ar.N*b.departure.Rows, h.Cols)
	b.departure.KronMul(ctx, b.flow, h, s.ar.N)
	h.Release()
	return ctx.Err()
}

// eliminateLevelZero returns H of level 0.
func (b *boundary) eliminateLevelZero(ctx context.Context) (block.Matrix, error) {
	s := b.sys
	f, err := block.FactorGTH(ctx, s.ar.D0.Clone(), s.ar.F.RowSums())
	if err != nil {
		return block.Matrix{}, err
	}
	b.levelZero = f
	first := s.ar.F.Clone()
	f.Solve(ctx, first)
	u := s.arrivalTransitions(ctx, 0)
	b.levels[0].arrival = u
	h := block.NewRaw(s.ar.N, s.ar.Classes*u.Cols)
	u.MulKronRight(ctx, h, first, s.ar.Classes)
	return h, nil
}

// newLevel makes what is known of level l before it is eliminated.
func (b *boundary) newLevel(ctx context.Context, l int) (*boundaryLevel, error) {
	s, lev := b.sys, &b.levels[l]
	*lev = boundaryLevel{
		k: s.index.Size(l), moves: s.moves(l),
		departure: s.departureTransitions(ctx, l), arrival: s.arrivalTransitions(ctx, l),
		ends: s.ar.A, cut: s.mem.Matrix(s.ar.Classes, s.ar.Classes),
	}
	if g := s.up[l]; g.phases > 0 {
		lev.ends = s.mem.Matrix(s.ar.Classes, s.ar.N)
		block.MulAdd(ctx, lev.ends, s.ar.A, g.end)
		block.MulAdd(ctx, lev.cut, s.ar.A, g.cut)
	}
	var err error
	lev.inService, err = s.inServiceBlock(ctx, l, &lev.moves)
	return lev, err
}

// eliminateLevel finishes the elimination of level l and returns its H.
func (s *system) eliminateLevel(ctx context.Context, l int, lev *boundaryLevel) (block.Matrix, error) {
	n, r, k := s.ar.N, s.ar.Classes, lev.k
	d := block.NewRaw(r*k, r*k)
	statespace.KronRows(ctx, d, lev.ends, lev.excursions, k)
	if err := ctx.Err(); err != nil { // here and below: these blocks are large, and fresh memory is slow
		return block.Matrix{}, err
	}
	q := block.NewScratch(n*k, r*k)
	defer q.Release()
	kronIdentityInto(q, s.ar.F, k)
	lev.inService.Solve(ctx, q)
	if err := ctx.Err(); err != nil {
		return block.Matrix{}, err
	}
	up := block.NewScratch(r*k, r*k)
	defer up.Release()
	kronIdentityInto(up, lev.cut, k)
	statespace.KronRowsAdd(ctx, up, lev.ends, q, k)
	loop, err := block.FactorGTH(ctx, d, up.RowSums())
	if err != nil {
		return block.Matrix{}, statespace.Wrong(l, "service", -1, -1, "%w", err)
	}
	lev.loop = loop
	loop.Solve(ctx, up)                      // S
	block.MulAdd(ctx, q, lev.excursions, up) // J
	if err := ctx.Err(); err != nil {
		return block.Matrix{}, err
	}
	h := block.NewScratch(n*k, r*k)
	defer h.Release()
	kronIdentityInto(h, s.down[l].cut, k)
	statespace.KronRowsAdd(ctx, h, s.down[l].end, q, k)
	out := block.NewRaw(n*k, r*lev.arrival.Cols)
	lev.arrival.MulKronRight(ctx, out, h, r)
	return out, ctx.Err()
}

// kronIdentity returns m ⊗ I_k.
func kronIdentity(m block.Matrix, k int) block.Matrix {
	out := block.New(m.Rows*k, m.Cols*k)
	kronIdentityInto(out, m, k)
	return out
}

// kronIdentityInto sets out, which is zero, to m ⊗ I_k.
func kronIdentityInto(out, m block.Matrix, k int) {
	for i := range m.Rows {
		for j := range m.Cols {
			if v := m.At(i, j); v != 0 {
				for e := range k {
					out.Data[(i*k+e)*out.Cols+j*k+e] = v
				}
			}
		}
	}
}

// release gives back what only back substitution needs; measures are read off what remains.
func (b *boundary) release() {
	if b.flow.Data != nil {
		b.flow.Release()
	}
	for l := range b.levels[1:] {
		lev := &b.levels[1+l]
		if b.storage == nil {
			lev.excursions.Release()
		}
		if lev.loop != nil {
			lev.loop.Release()
		}
		lev.excursions, lev.loop = block.Matrix{}, nil
	}
	for _, storage := range b.storage {
		storage.Release()
	}
	b.flow, b.storage = block.Matrix{}, nil
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

// backSubstitution finds the levels from c−1 down to 0: departures to level l are a flow y, of which y·end reaches the
// states in service before an arrival, and excursions to lower levels bring the entries z.
func (b *boundary) backSubstitution(ctx context.Context, y []float64) (*boundaryFlows, error) {
	s := b.sys
	v, n := newFlows(len(b.levels)), s.ar.N
	if b.top < len(b.levels)-1 {
		p, err := b.settle(ctx, y)
		if err != nil {
			return nil, err
		}
		if p != nil { // rates are not far apart, and these levels need no exponents
			v, y = p.followed, p.followed.departures[b.top]
		}
	}
	for l := b.top; l >= 1; l-- {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		lev := &b.levels[l]
		v.exponents[l] = v.exponents[l+1] + block.Rescale(y)
		v.departures[l] = y
		x, z := b.excursion(l, y)
		v.inService[l], v.arrivals[l] = x, z
		y = s.mem.Floats(n * lev.departure.Cols)
		lev.departure.KronLeft(y, x, n)
	}
	v.exponents[0] = v.exponents[1] + block.Rescale(y)
	v.departures[0] = y
	x := append([]float64(nil), y...)
	b.levelZero.SolveLeft(x)
	v.inService[0] = x
	return v, nil
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
	x = s.mem.Floats(n * lev.k)
	statespace.KronVec(x, y, s.down[l].end, lev.k)
	z = s.mem.Floats(lev.excursions.Cols)
	block.VecMulAdd(z, x, lev.excursions)
	if lev.up != nil {
		z = z[:len(lev.up)]
	}
	if lev.loop != nil {
		lev.loop.SolveLeft(z)
	} else {
		floats.Div(z, lev.up)
	}
	if lev.found != nil {
		found := z
		z = s.mem.Floats(r * lev.k)
		lev.found.KronLeft(z, found, r)
	}
	statespace.KronVec(x, z, lev.ends, lev.k)
	lev.inService.SolveLeft(x)
	return x, z
}

// departing returns the departures from states x in service at level c.
func (b *boundary) departing(x []float64) []float64 {
	y := b.sys.mem.Floats(b.sys.ar.N * b.departure.Cols)
	b.departure.KronLeft(y, x, b.sys.ar.N)
	return y
}

// returning returns the entries of level c to which x, states in service there, leads through lower levels.
func (b *boundary) returning(ctx context.Context, x []float64) ([]float64, error) {
	y := b.departing(x)
	if b.top < len(b.levels)-1 {
		p, err := b.settle(ctx, y)
		if err != nil {
			return nil, err
		}
		if p != nil {
			return p.entries[len(b.levels)], nil
		}
	}
	return b.rise(b.top, y), nil
}

// rise returns the entries of level l+1 to which departures y to level l lead.
func (b *boundary) rise(l int, y []float64) []float64 {
	s := b.sys
	r, k := s.ar.Classes, s.index.Size(l)
	found := s.mem.Floats(r * k)
	if l == 0 {
		x := append([]float64(nil), y...)
		b.levelZero.SolveLeft(x)
		statespace.KronVec(found, x, s.ar.F, k)
	} else {
		inService, z := b.excursion(l, y)
		statespace.KronVec(found, inService, s.ar.F, k)
		statespace.KronVec(found, z, b.levels[l].cut, k)
		statespace.KronVec(found, y, s.down[l].cut, k)
	}
	entry := s.mem.Floats(r * b.levels[l].arrival.Cols)
	b.levels[l].arrival.KronLeft(entry, found, r)
	return entry
}

// returns is returning as a matrix, n·K × r·K: the rate from each state in service at level c to each of its entries.
func (b *boundary) returns(ctx context.Context) (block.Matrix, error) {
	if b.flow.Data != nil {
		return b.flow, nil
	}
	if err := b.complete(ctx); err != nil {
		return b.flow, err
	}
	s, l := b.sys, b.sys.c-1
	n, r := s.ar.N, s.ar.Classes
	h := b.onward(ctx, l)
	defer h.Release()
	up := b.levels[l].arrival
	first := block.NewRaw(h.Rows, r*up.Cols)
	defer first.Release()
	up.MulKronRight(ctx, first, h, r)
	b.flow = block.NewRaw(n*b.departure.Rows, first.Cols)
	b.departure.KronMul(ctx, b.flow, first, n)
	return b.flow, nil
}
