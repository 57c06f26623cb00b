package markov

import "gonum.org/v1/gonum/floats"

// below is the part of the chain under level c, eliminated from level 0 upward. Nothing ever comes back to a level from
// below but through an arrival, that is into the gate of that level, in one of r classes with occupancy n: so what a
// level has to know of all levels under it is one block of r·K columns, whatever the number of switch-over phases.
//
// Reference for the elimination by levels: D. P. Gaver, P. A. Jacobs, G. Latouche, Finite birth-and-death models in
// randomly changing environments, Adv. Appl. Probab. 16 (1984) 715–731.
type below struct {
	sys     *system
	levels  []*levelBelow // 1..c−1
	empty   *gth          // −D0, level 0
	leaving *sparse       // from level c
	// flow[(a,n),(q,n')] is the rate from executing at level c through the levels below back into the gate of level c.
	flow matrix
}

// levelBelow is what the way back down needs to find the probabilities of a level.
type levelBelow struct {
	k      int // occupancies
	moves  *moves
	block  executing
	simple bool // T is diagonal, arrivals are of one class
	// back is X, from executing states down and back into the level's gate, n·K × r·K, until the way down is done.
	back    matrix
	loop    *gth      // I − D: from gate to gate without leaving upward
	up      []float64 // when simple, instead of the loop: back is X·(I−D)⁻¹·diag(up)
	open    matrix    // A·end of the gate: from an arrival class to the arrival phase when execution begins, r×n
	cut     matrix    // A·cut of the gate, r×r
	leaving *sparse   // to level l−1
	joining *sparse   // to level l+1
}

// eliminate walks from level 0 to level c. With the notation of one level l, executing states E (a,n) and gate entries
// Z (q,n):
//
//	C = (I⊗W)·H_below        E → down → Z, rates
//	X = T⁻¹·C, Q = T⁻¹·(F⊗I)  E → Z, E → arrival above, probabilities
//	D = open·X               Z → E → Z
//	S = (I−D)⁻¹·(cut + open·Q)  Z → first arrival that leads above
//	J = Q + X·S              E → first arrival that leads above
//	H = (end·J + cut)·(I⊗U)   departure into l → gate of level l+1
func (s *system) eliminate() (*below, error) {
	b := &below{sys: s, levels: make([]*levelBelow, s.c)}
	h, err := b.eliminateEmpty()
	if err != nil {
		return nil, err
	}
	for l := 1; l < s.c; l++ {
		lev, err := s.newLevelBelow(l, h)
		if err != nil {
			return nil, err
		}
		b.levels[l] = lev
		h.release()
		if h, err = s.passLevel(l, lev); err != nil {
			return nil, err
		}
	}
	b.leaving = s.leaving(s.c)
	b.flow = newRaw(s.ar.n*b.leaving.rows, h.cols)
	b.leaving.kronMul(b.flow, h, s.ar.n)
	h.release()
	return b, nil
}

// eliminateEmpty returns H of level 0.
func (b *below) eliminateEmpty() (matrix, error) {
	s := b.sys
	f, err := factorGTH(s.ar.d0.clone(), s.ar.f.rowSums())
	if err != nil {
		return matrix{}, err
	}
	b.empty = f
	first := s.ar.f.clone()
	f.solve(first)
	u := s.joining(0)
	h := newRaw(s.ar.n, s.ar.classes*u.cols)
	u.mulKronRight(h, first, s.ar.classes)
	return h, nil
}

func (s *system) newLevelBelow(l int, h matrix) (*levelBelow, error) {
	m := s.moves(l)
	block, err := s.executing(l, m)
	if err != nil {
		return nil, err
	}
	lev := &levelBelow{
		k: s.lat.size(l), moves: m, block: block, leaving: s.leaving(l), joining: s.joining(l),
		open: mul(s.ar.a, s.up[l].end), cut: mul(s.ar.a, s.up[l].cut),
	}
	lev.back = newRaw(s.ar.n*lev.k, s.ar.classes*lev.k)
	lev.simple = s.ar.classes == 1 && m.off.empty()
	if lev.simple {
		lev.leaving.kronMulOver(lev.back, h, m.out)
	} else {
		lev.leaving.kronMul(lev.back, h, s.ar.n)
		block.solve(lev.back)
	}
	return lev, nil
}

// passLevel finishes the elimination of level l and returns its H.
func (s *system) passLevel(l int, lev *levelBelow) (matrix, error) {
	d := newRaw(s.ar.classes*lev.k, s.ar.classes*lev.k)
	kronRows(d, lev.open, lev.back, lev.k)
	if lev.simple {
		return s.passSimple(l, lev, d)
	}
	return s.passDense(l, lev, d)
}

func (s *system) passDense(l int, lev *levelBelow, d matrix) (matrix, error) {
	n, r, k := s.ar.n, s.ar.classes, lev.k
	q := newScratch(n*k, r*k)
	defer q.release()
	kronIdentityInto(q, s.ar.f, k)
	lev.block.solve(q)
	up := newScratch(r*k, r*k)
	defer up.release()
	kronIdentityInto(up, lev.cut, k)
	kronRowsAdd(up, lev.open, q, k)
	var err error
	if lev.loop, err = factorGTH(d, up.rowSums()); err != nil {
		return matrix{}, blockError(l, "service", -1, -1, "%w", err)
	}
	lev.loop.solve(up)      // S
	mulAdd(q, lev.back, up) // J
	h := newScratch(n*k, r*k)
	defer h.release()
	kronIdentityInto(h, s.down[l].cut, k)
	kronRowsAdd(h, s.down[l].end, q, k)
	out := newRaw(n*k, r*lev.joining.cols)
	lev.joining.mulKronRight(out, h, r)
	return out, nil
}

// passSimple is passDense where service and interarrival times are mixtures of exponentials: T, Q and cut + open·Q are
// diagonal, and J = Q + Y, Y = X·(I−D)⁻¹·(cut + open·Q), needs one product of dense blocks. Y takes the place of X and
// of the loop.
func (s *system) passSimple(l int, lev *levelBelow, d matrix) (matrix, error) {
	n, k := s.ar.n, lev.k
	q := newRaw(n, k)
	defer q.release()
	ups := newScratch(2, k)
	defer ups.release()
	up, exit := ups.row(0), ups.row(1)
	for a := range n {
		out, row := lev.moves.out[a*k:(a+1)*k], q.row(a)
		for i := range row {
			row[i] = s.ar.f.a[a] / out[i]
		}
		floats.AddScaled(up, lev.open.at(0, a), row)
	}
	floats.AddConst(lev.cut.at(0, 0), up)
	copy(exit, up)
	if err := invertGTH(d, exit); err != nil {
		return matrix{}, blockError(l, "service", -1, -1, "%w", err)
	}
	for i := range k {
		floats.Mul(d.row(i), up)
	}
	lev.up = append([]float64(nil), up...)
	y := newScratch(n*k, k)
	mulAdd(y, lev.back, d)
	d.release()
	lev.back.release()
	lev.back = y
	return s.upFrom(l, lev, q), nil
}

// upFrom returns H = (end·J + cut)·U for J = Q + Y, row by row.
func (s *system) upFrom(l int, lev *levelBelow, q matrix) matrix {
	n, k, g := s.ar.n, lev.k, s.down[l]
	out := newScratch(n*k, lev.joining.cols)
	runs := lev.joining.runs()
	mixed := newRaw(1, k)
	defer mixed.release()
	for a := range n {
		for i := range k {
			row, self := lev.back.row(a*k+i), q.at(a, i)
			if g.s > 0 {
				row, self = mixed.a, g.cut.a[a]
				clear(row)
				for b := range n {
					floats.AddScaled(row, g.end.at(a, b), lev.back.row(b*k+i))
					self += g.end.at(a, b) * q.at(b, i)
				}
			}
			to := out.row(a*k + i)
			for _, r := range runs {
				floats.AddScaled(to[r.col:r.col+r.n], r.val, row[r.row:r.row+r.n])
			}
			cols, vals := lev.joining.row(i)
			for e, j := range cols {
				to[j] += self * vals[e]
			}
		}
	}
	return out
}

// kronIdentity returns m ⊗ I_k.
func kronIdentity(m matrix, k int) matrix {
	out := newMatrix(m.rows*k, m.cols*k)
	kronIdentityInto(out, m, k)
	return out
}

// kronIdentityInto sets out, which is zero, to m ⊗ I_k.
func kronIdentityInto(out, m matrix, k int) {
	for i := range m.rows {
		for j := range m.cols {
			if v := m.at(i, j); v != 0 {
				for e := range k {
					out.a[(i*k+e)*out.cols+j*k+e] = v
				}
			}
		}
	}
}

// release gives back what only the way down needs; measures are read off what remains.
func (b *below) release() {
	b.flow.release()
	for _, lev := range b.levels[1:] {
		lev.back.release()
		if lev.loop != nil {
			lev.loop.release()
		}
		lev.back, lev.loop = matrix{}, nil
	}
	b.flow = matrix{}
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
	v := &visits{
		executing: make([][]float64, s.c),
		departing: make([][]float64, s.c),
		arriving:  make([][]float64, s.c),
	}
	n, r := s.ar.n, s.ar.classes
	for l := s.c - 1; l >= 1; l-- {
		lev := b.levels[l]
		v.departing[l] = y
		x := make([]float64, n*lev.k)
		kronVec(x, y, s.down[l].end, lev.k)
		z := make([]float64, r*lev.k)
		vecMulAdd(z, x, lev.back)
		if lev.simple {
			floats.Div(z, lev.up)
		} else {
			lev.loop.solveLeft(z)
		}
		kronVec(x, z, lev.open, lev.k)
		lev.block.solveLeft(x)
		v.executing[l], v.arriving[l] = x, z
		y = make([]float64, n*lev.leaving.cols)
		lev.leaving.kronLeft(y, x, n)
	}
	v.departing[0] = y
	x := append([]float64(nil), y...)
	b.empty.solveLeft(x)
	v.executing[0] = x
	return v
}
