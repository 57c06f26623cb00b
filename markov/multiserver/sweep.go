package multiserver

import (
	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// mixtures reports whether service and interarrival times are mixtures of exponentials: then T is diagonal, and so are Q
// and cut + open·Q in the notation of [below.climb].
func (s *system) mixtures() bool {
	if s.ar.classes != 1 || !s.ar.still {
		return false
	}
	for _, t := range s.t {
		if !t.IsZero() {
			return false
		}
	}
	return true
}

// sweeping eliminates the levels of a queue of mixtures. With up = cut + open·Q, a diagonal, a level is known by
//
//	V = X·(I−D)⁻¹·diag(up),   J = Q + V,
//
// and the way from the level below is V₀ = X·diag(up) = T⁻¹·(I⊗W)·H·diag(up), a few terms for each entry. From V₀ to V
// it is an elimination in place, [GaussJordan]: 2·n·K³ multiplications replace 3·n·K³, and nothing is ever subtracted.
type sweeping struct {
	b      *below
	v      block.Padded // V of the level last done, n·K rows
	q      block.Matrix // Q, n × K
	up     []float64    // diagonal of cut + open·Q, then zeros
	joins  joins
	jordan *block.GaussJordan
	levels *block.Stack
	scale  []float64 // 1/out
}

// newSweeping starts at the empty level.
func (b *below) newSweeping() *sweeping {
	s := b.sys
	n, most := s.ar.n, s.lat.size(s.c)
	shapes := make([][2]int, 1, s.c)
	shapes[0] = [2]int{n, 1}
	for l := 1; l < s.c; l++ {
		shapes = append(shapes, [2]int{n * s.lat.size(l), s.lat.size(l)})
	}
	w := &sweeping{
		b: b, q: block.Over(n, 1, block.Ones(n)), levels: block.NewStack(most, shapes...),
		jordan: block.NewGaussJordan(s.lat.size(s.c-1), n), scale: s.mem.floats(most),
		joins: joins{row: block.NewRaw(1, block.PaddedLen(most)), rates: s.mem.floats(4 * most), weights: s.mem.floats(4 * most)},
	}
	w.v = w.levels.Next(n, 1)
	clear(w.v.Data)
	return w
}

// release gives back all but the levels.
func (w *sweeping) release() {
	w.joins.row.Release()
	w.jordan.Release()
}

// sweep walks from level 0 to level c.
func (b *below) sweep() error {
	s := b.sys
	n := s.ar.n
	var err error
	if b.empty, err = block.FactorGTH(s.ar.d0.Clone(), s.ar.f.RowSums()); err != nil {
		return err
	}
	w := b.newSweeping()
	defer w.release()
	b.storage = w.levels
	joining, gate := s.joining(0), s.down[0]
	for l := 1; l < s.c; l++ {
		lev, err := b.level(l)
		if err != nil {
			return err
		}
		q, up := w.leadingUp(lev)
		v := w.levels.Next(n*lev.k, lev.k)
		w.descendTo(v.Matrix, lev.leaving, joining, gate, lev.moves.out, up)
		w.v, w.q, w.up = v, q, up
		if err := w.jordan.Eliminate(v, lev.k, lev.open.Data, up); err != nil {
			return wrong(l, "service", -1, -1, "%w", err)
		}
		lev.back, lev.up = v.Matrix, up[:lev.k]
		joining, gate = lev.joining, s.down[l]
	}
	b.leaving = s.leaving(s.c)
	k := b.leaving.rows
	flow := block.NewRaw(n*k, block.PaddedLen(k))
	defer flow.Release()
	w.descendTo(flow, b.leaving, joining, gate, nil, nil)
	b.flow = block.NewRaw(n*k, k)
	for i := range n * k {
		copy(b.flow.Row(i), flow.Row(i))
	}
	return nil
}

// leadingUp returns Q and the diagonal of cut + open·Q.
func (w *sweeping) leadingUp(lev *levelBelow) (q block.Matrix, up []float64) {
	s := w.b.sys
	q, up = s.mem.matrix(s.ar.n, lev.k), s.mem.floats(block.PaddedLen(lev.k))
	for a := range s.ar.n {
		out, row := lev.moves.out[a*lev.k:(a+1)*lev.k], q.Row(a)
		for i := range row {
			row[i] = s.ar.f.Data[a] / out[i]
		}
		floats.AddScaled(up[:lev.k], lev.open.At(0, a), row)
	}
	floats.AddConst(lev.cut.At(0, 0), up[:lev.k])
	return q, up
}

// descendTo sets to, but for its columns beyond the occupancies, to diag(out)⁻¹·(I⊗W)·H·diag(up), H = (end·J + cut)·(I⊗U)
// being what leads up from a departure into the level last done, through its gate; nil stands for ones.
func (w *sweeping) descendTo(to block.Matrix, leaving, joining *sparse, g *gate, out, up []float64) {
	v, q := w.v, w.q
	if g.s > 0 {
		n, k := q.Rows, q.Cols
		through := block.NewStack(w.b.sys.lat.size(w.b.sys.c), [2]int{n * k, k})
		defer through.Release()
		v, q = w.through(g, through.Next(n*k, k))
	}
	w.joins.set(joining, up)
	move := w.joins.combine
	if w.joins.shifts() && w.joins.pairs(leaving) {
		move = w.joins.combinePairs
	}
	for a := range q.Rows {
		from, over := a*leaving.rows, w.scale[:leaving.rows]
		for i := range over {
			over[i] = 1
			if out != nil {
				over[i] = 1 / out[from+i]
			}
		}
		move(to.RowRange(from, from+leaving.rows), over, leaving, v, a*leaving.cols, q.Row(a))
	}
}

// through returns end·V, in the place of v, and end·Q + cut.
func (w *sweeping) through(g *gate, v block.Padded) (block.Padded, block.Matrix) {
	n, k := w.q.Rows, w.q.Cols
	size := k * w.v.Cols
	clear(v.Data)
	q := block.New(n, k)
	for a := range n {
		floats.AddConst(g.cut.Data[a], q.Row(a))
		for b := range n {
			floats.AddScaled(v.Data[a*size:(a+1)*size], g.end.At(a, b), w.v.Data[b*size:(b+1)*size])
			floats.AddScaled(q.Row(a), g.end.At(a, b), w.q.Row(b))
		}
	}
	return v, q
}
