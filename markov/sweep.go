package markov

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/gemm"
)

// mixtures reports whether service and interarrival times are mixtures of exponentials: then T is diagonal, and so are Q
// and cut + open·Q in the notation of [below.climb].
func (s *system) mixtures() bool {
	if s.ar.classes != 1 || !s.ar.still {
		return false
	}
	for _, t := range s.t {
		if !t.zero() {
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
// the gate's entries are swept out of it, a block B of them at a time and beside the others C,
//
//	S = open·V,  D = S·diag(up)⁻¹,  Z = (I − D_BB)⁻¹,
//	V_C += V_B·diag(up_B)⁻¹·Z·S_BC,  V_B = V_B·diag(up_B)⁻¹·Z·diag(up_B),
//
// where S are the same combinations of the rows of V throughout: neither D nor an inverse of its size is ever made, and
// 2·n·K³ multiplications replace 3·n·K³. What I − D_BB has on its diagonal is the flow out of the block, a sum: to
// entries that are still to be swept, and upward, directly or from those that have been. Nothing is ever subtracted, and
// as rows of V keep their sums, roundings do not grow from level to level.
type sweeping struct {
	b     *below
	v     rows      // V of the level last done, n·K rows, columns from K on zero
	q     matrix    // Q, n × K
	up    []float64 // diagonal of cut + open·Q, then zeros
	joins joins
	// The levels lie one after the other in one block, of which used numbers are.
	storage matrix
	used    int
	block   sweepBlock
}

// rows are a matrix inside storage that has zeros before them and numbers behind them.
type rows struct {
	matrix
	storage []float64
	at      int
}

// sweepBlock is what a block of entries needs while it is swept out.
type sweepBlock struct {
	s, e   matrix
	z      gemm.Square // D_BB and what flows out, then the inverse
	over   []float64   // 1/up
	leaves []float64   // what a visit adds to the flow out of the block: 1/up, one for entries that have been swept
	open   []float64   // by row of the block and arrival phase, zeros up to four
	rows   []int32
	scale  []float64 // 1/out
}

// swept is the number of entries swept out at a time.
const swept = gemm.Side

// padded is the number of columns for n numbers and at least one zero, rounded up to what the kernels take best.
func padded(n int) int { return n/4*4 + 4 }

// newSweeping starts at the empty level.
func (b *below) newSweeping() *sweeping {
	s := b.sys
	n, widest := s.ar.n, padded(s.lat.size(s.c-1))
	margin := s.margin()
	size := 2*margin + n*padded(1)
	for l := 1; l < s.c; l++ {
		size += padded(n*s.lat.size(l)) * padded(s.lat.size(l))
	}
	w := &sweeping{b: b, q: matrix{n, 1, ones(n)}, storage: newRaw(1, size), used: margin}
	clear(w.storage.a[:margin])
	clear(w.storage.a[size-margin:])
	w.v = w.room(n, padded(1))
	clear(w.v.a)
	w.block = sweepBlock{
		s: newRaw(swept, widest), e: newRaw(swept, widest), over: s.mem.floats(widest), leaves: s.mem.floats(widest),
		open: s.mem.floats(4 * swept), rows: s.mem.ints(n), scale: s.mem.floats(s.lat.size(s.c)),
	}
	most := s.lat.size(s.c)
	w.joins = joins{row: newRaw(1, padded(most)), rates: s.mem.floats(4 * most), weights: s.mem.floats(4 * most)}
	return w
}

// margin is how many numbers before and behind the rows of a level combinations of shifted rows touch, a row and
// a shift.
func (s *system) margin() int { return padded(s.lat.size(s.c)) + shift }

// shift is the number of places by which rows may be shifted.
const shift = 4

// release gives back all but the levels.
func (w *sweeping) release() {
	w.joins.row.release()
	w.block.s.release()
	w.block.e.release()
}

// room returns the next rows of the storage.
func (w *sweeping) room(n, cols int) rows {
	r := rows{matrix{n, cols, w.storage.a[w.used : w.used+n*cols]}, w.storage.a, w.used}
	w.used += n * cols
	return r
}

// sweep walks from level 0 to level c.
func (b *below) sweep() error {
	s := b.sys
	n := s.ar.n
	var err error
	if b.empty, err = factorGTH(s.ar.d0.clone(), s.ar.f.rowSums()); err != nil {
		return err
	}
	w := b.newSweeping()
	defer w.release()
	b.storage = w.storage
	joining, gate := s.joining(0), s.down[0]
	for l := 1; l < s.c; l++ {
		lev, err := b.level(l)
		if err != nil {
			return err
		}
		q, up := w.leadingUp(lev)
		v := w.room(padded(n*lev.k), padded(lev.k))
		clear(v.a[n*lev.k*v.cols:])
		w.descendTo(v.matrix, lev.leaving, joining, gate, lev.moves.out, up)
		w.v, w.q, w.up = v, q, up
		if err := w.sweepOut(lev); err != nil {
			return blockError(l, "service", -1, -1, "%w", err)
		}
		lev.back, lev.up = v.matrix, up[:lev.k]
		joining, gate = lev.joining, s.down[l]
	}
	b.leaving = s.leaving(s.c)
	k := b.leaving.rows
	flow := newRaw(n*k, padded(k))
	defer flow.release()
	w.descendTo(flow, b.leaving, joining, gate, nil, nil)
	b.flow = newRaw(n*k, k)
	for i := range n * k {
		copy(b.flow.row(i), flow.row(i))
	}
	return nil
}

// leadingUp returns Q and the diagonal of cut + open·Q.
func (w *sweeping) leadingUp(lev *levelBelow) (q matrix, up []float64) {
	s := w.b.sys
	q, up = s.mem.matrix(s.ar.n, lev.k), s.mem.floats(padded(lev.k))
	for a := range s.ar.n {
		out, row := lev.moves.out[a*lev.k:(a+1)*lev.k], q.row(a)
		for i := range row {
			row[i] = s.ar.f.a[a] / out[i]
		}
		floats.AddScaled(up[:lev.k], lev.open.at(0, a), row)
	}
	floats.AddConst(lev.cut.at(0, 0), up[:lev.k])
	return q, up
}

// descendTo sets to, but for its columns beyond the occupancies, to diag(out)⁻¹·(I⊗W)·H·diag(up), H = (end·J + cut)·(I⊗U)
// being what leads up from a departure into the level last done, through its gate; nil stands for ones.
func (w *sweeping) descendTo(to matrix, leaving, joining *sparse, g *gate, out, up []float64) {
	v, q := w.v, w.q
	if g.s > 0 {
		through := newScratch(1, len(v.a)+2*w.b.sys.margin())
		defer through.release()
		v, q = w.through(g, through.a)
	}
	w.joins.set(joining, up)
	move := w.joins.combine
	if w.joins.shifts() && w.joins.pairs(leaving) {
		move = w.joins.combinePairs
	}
	for a := range q.rows {
		from, over := a*leaving.rows, w.block.scale[:leaving.rows]
		for i := range over {
			over[i] = 1
			if out != nil {
				over[i] = 1 / out[from+i]
			}
		}
		move(to.blockRows(from, from+leaving.rows), over, leaving, v, a*leaving.cols, q.row(a))
	}
}

// through returns end·V and end·Q + cut, the former in storage, which is zero.
func (w *sweeping) through(g *gate, storage []float64) (v rows, q matrix) {
	n, k := w.q.rows, w.q.cols
	size := k * w.v.cols
	margin := w.b.sys.margin()
	v = rows{matrix{w.v.rows, w.v.cols, storage[margin : margin+len(w.v.a)]}, storage, margin}
	q = newMatrix(n, k)
	for a := range n {
		floats.AddConst(g.cut.a[a], q.row(a))
		for b := range n {
			floats.AddScaled(v.a[a*size:(a+1)*size], g.end.at(a, b), w.v.a[b*size:(b+1)*size])
			floats.AddScaled(q.row(a), g.end.at(a, b), w.q.row(b))
		}
	}
	return v, q
}

// sweepOut turns V₀ into V.
func (w *sweeping) sweepOut(lev *levelBelow) error {
	b := &w.block
	for i, u := range w.up[:lev.k] {
		b.over[i] = 1 / u
	}
	copy(b.leaves, b.over[:lev.k])
	clear(b.leaves[lev.k:w.v.cols])
	for j := range swept {
		copy(b.open[4*j:4*j+4], lev.open.a)
	}
	for j := 0; j < lev.k; j += swept {
		if err := w.sweepOutBlock(lev, j, min(j+swept, lev.k)); err != nil {
			return err
		}
	}
	return nil
}

func (w *sweeping) sweepOutBlock(lev *levelBelow, j0, j1 int) error {
	b, v := &w.block, w.v
	m := j1 - j0
	s, e := matrix{m, v.cols, b.s.a[:m*v.cols]}, matrix{m, v.cols, b.e.a[:m*v.cols]}
	w.combined(s, lev, j0)
	clear(b.leaves[j0:j1])
	for j := range m {
		row, z := s.row(j), &b.z[j]
		floats.MulTo(z[:m], row[j0:j1], b.over[j0:j1])
		clear(z[m:])
		z[gemm.Side] = w.up[j0+j] + floats.Dot(row, b.leaves[:v.cols])
	}
	if k := gemm.InvertSquare(&b.z, m); k < m {
		return fmt.Errorf("markov: entry %d of %d is never left: %w", j0+k, lev.k, ErrReducible)
	}
	for j := range m {
		floats.Scale(b.over[j0+j], b.z[j][:m])
		b.leaves[j0+j] = 1
	}
	clear(e.a)
	gemm.Add(blas64.General{Rows: m, Cols: m, Stride: len(b.z[0]), Data: b.z.Numbers()}, s.general(), e.general())
	for j := range m {
		floats.MulTo(e.row(j)[j0:j1], b.z[j][:m], w.up[j0:j1])
	}
	gemm.Sweep(v.general(), j0, e.general())
	return nil
}

// combined sets s to the rows of open·V from j0 on.
func (w *sweeping) combined(s matrix, lev *levelBelow, j0 int) {
	n, v := len(w.block.rows), w.v
	if n <= 4 {
		var starts [4]int
		for a := range starts {
			starts[a] = (min(a, n-1)*lev.k + j0) * v.cols
		}
		gemm.CombineRows(s.general(), nil, w.block.open, v.a, starts, v.cols)
		return
	}
	rows := w.block.rows
	for j := range s.rows {
		for a := range rows {
			rows[a] = int32(a*lev.k + j0 + j)
		}
		gemm.Combine(s.row(j), nil, lev.open.a, rows, v.a, v.cols)
	}
}
