package multiserver

import (
	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// below is the part of the chain under level c, eliminated from level 0 upward. Nothing ever comes back to a level from
// below but through an arrival, that is into the gate of that level, in one of r classes with occupancy n: so what a
// level has to know of all levels under it is one block of r·K columns, whatever the number of switch-over phases.
//
// Reference for the elimination by levels: D. P. Gaver, P. A. Jacobs, G. Latouche, Finite birth-and-death models in
// randomly changing environments, Adv. Appl. Probab. 16 (1984) 715–731.
type below struct {
	sys     *system
	levels  []levelBelow // 1..c−1
	storage *block.Stack // of the levels' blocks, if they share one
	empty   *block.GTH   // −D0, level 0
	leaving *sparse      // from level c
	// flow[(a,n),(q,n')] is the rate from executing at level c through the levels below back into the gate of level c.
	flow block.Matrix
}

// levelBelow is what the way back down needs to find the probabilities of a level.
type levelBelow struct {
	k     int // occupancies
	moves moves
	block executing
	// back is X, from executing states down and back into the level's gate, n·K × r·K, until the way down is done; of
	// mixtures it is X·(I−D)⁻¹·diag(up), and may have more columns, which are zero.
	back    block.Matrix
	loop    *block.GTH   // I − D, from gate to gate without leaving upward
	up      []float64    // of mixtures, instead of the loop
	open    block.Matrix // A·end of the gate: from an arrival class to the arrival phase when execution begins, r×n
	cut     block.Matrix // A·cut of the gate, r×r
	leaving *sparse      // to level l−1
	joining *sparse      // to level l+1
}

// eliminate walks from level 0 to level c.
func (s *system) eliminate() (*below, error) {
	b := s.newBelow()
	if s.mixtures() {
		return b, b.sweep()
	}
	return b, b.climb()
}

func (s *system) newBelow() *below { return &below{sys: s, levels: make([]levelBelow, s.c)} }

// climb eliminates the levels one after the other. With the notation of one level l, executing states E (a,n) and gate
// entries Z (q,n):
//
//	C = (I⊗W)·H_below        E → down → Z, rates
//	X = T⁻¹·C, Q = T⁻¹·(F⊗I)  E → Z, E → arrival above, probabilities
//	D = open·X               Z → E → Z
//	S = (I−D)⁻¹·(cut + open·Q)  Z → first arrival that leads above
//	J = Q + X·S              E → first arrival that leads above
//	H = (end·J + cut)·(I⊗U)   departure into l → gate of level l+1
func (b *below) climb() error {
	s := b.sys
	h, err := b.eliminateEmpty()
	if err != nil {
		return err
	}
	for l := 1; l < s.c; l++ {
		lev, err := b.level(l)
		if err != nil {
			return err
		}
		lev.back = block.NewRaw(s.ar.n*lev.k, s.ar.classes*lev.k)
		lev.leaving.kronMul(lev.back, h, s.ar.n)
		lev.block.Solve(lev.back)
		h.Release()
		if h, err = s.passLevel(l, lev); err != nil {
			return err
		}
	}
	b.leaving = s.leaving(s.c)
	b.flow = block.NewRaw(s.ar.n*b.leaving.rows, h.Cols)
	b.leaving.kronMul(b.flow, h, s.ar.n)
	h.Release()
	return nil
}

// eliminateEmpty returns H of level 0.
func (b *below) eliminateEmpty() (block.Matrix, error) {
	s := b.sys
	f, err := block.FactorGTH(s.ar.d0.Clone(), s.ar.f.RowSums())
	if err != nil {
		return block.Matrix{}, err
	}
	b.empty = f
	first := s.ar.f.Clone()
	f.Solve(first)
	u := s.joining(0)
	h := block.NewRaw(s.ar.n, s.ar.classes*u.cols)
	u.mulKronRight(h, first, s.ar.classes)
	return h, nil
}

// level makes what is known of level l before it is eliminated.
func (b *below) level(l int) (*levelBelow, error) {
	s, lev := b.sys, &b.levels[l]
	*lev = levelBelow{
		k: s.lat.size(l), moves: s.moves(l), leaving: s.leaving(l), joining: s.joining(l),
		open: s.ar.a, cut: s.mem.matrix(s.ar.classes, s.ar.classes),
	}
	if g := s.up[l]; g.s > 0 {
		lev.open = s.mem.matrix(s.ar.classes, s.ar.n)
		block.MulAdd(lev.open, s.ar.a, g.end)
		block.MulAdd(lev.cut, s.ar.a, g.cut)
	}
	var err error
	lev.block, err = s.executing(l, &lev.moves)
	return lev, err
}

// passLevel finishes the elimination of level l and returns its H.
func (s *system) passLevel(l int, lev *levelBelow) (block.Matrix, error) {
	n, r, k := s.ar.n, s.ar.classes, lev.k
	d := block.NewRaw(r*k, r*k)
	kronRows(d, lev.open, lev.back, k)
	q := block.NewScratch(n*k, r*k)
	defer q.Release()
	kronIdentityInto(q, s.ar.f, k)
	lev.block.Solve(q)
	up := block.NewScratch(r*k, r*k)
	defer up.Release()
	kronIdentityInto(up, lev.cut, k)
	kronRowsAdd(up, lev.open, q, k)
	loop, err := block.FactorGTH(d, up.RowSums())
	if err != nil {
		return block.Matrix{}, wrong(l, "service", -1, -1, "%w", err)
	}
	lev.loop = loop
	loop.Solve(up)                // S
	block.MulAdd(q, lev.back, up) // J
	h := block.NewScratch(n*k, r*k)
	defer h.Release()
	kronIdentityInto(h, s.down[l].cut, k)
	kronRowsAdd(h, s.down[l].end, q, k)
	out := block.NewRaw(n*k, r*lev.joining.cols)
	lev.joining.mulKronRight(out, h, r)
	return out, nil
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

// release gives back what only the way down needs; measures are read off what remains.
func (b *below) release() {
	b.flow.Release()
	for l := range b.levels[1:] {
		lev := &b.levels[1+l]
		if b.storage == nil {
			lev.back.Release()
		}
		if lev.loop != nil {
			lev.loop.Release()
		}
		lev.back, lev.loop = block.Matrix{}, nil
	}
	if b.storage != nil {
		b.storage.Release()
	}
	b.flow, b.storage = block.Matrix{}, nil
}

// visits is the stationary flow through the levels below c for a given flow of departures from level c.
type visits struct {
	executing [][]float64 // by level 0..c−1, (a, n)
	departing [][]float64 // flow of departures into level l, (a, n)
	arriving  [][]float64 // flow of arrivals into the gate of level l, (q, n)
}

// descend walks back down: a departure into level l brings flow y, of which the executing states get y·end and the
// gate's entries z whatever goes round below.
func (b *below) descend(y []float64) *visits {
	s := b.sys
	lists := make([][]float64, 3*s.c)
	v := &visits{executing: lists[:s.c], departing: lists[s.c : 2*s.c], arriving: lists[2*s.c:]}
	n, r := s.ar.n, s.ar.classes
	for l := s.c - 1; l >= 1; l-- {
		lev := &b.levels[l]
		v.departing[l] = y
		x := s.mem.floats(n * lev.k)
		kronVec(x, y, s.down[l].end, lev.k)
		z := s.mem.floats(lev.back.Cols)
		block.VecMulAdd(z, x, lev.back)
		z = z[:r*lev.k]
		if lev.loop != nil {
			lev.loop.SolveLeft(z)
		} else {
			floats.Div(z, lev.up)
		}
		kronVec(x, z, lev.open, lev.k)
		lev.block.SolveLeft(x)
		v.executing[l], v.arriving[l] = x, z
		y = s.mem.floats(n * lev.leaving.cols)
		lev.leaving.kronLeft(y, x, n)
	}
	v.departing[0] = y
	x := append([]float64(nil), y...)
	b.empty.SolveLeft(x)
	v.executing[0] = x
	return v
}
