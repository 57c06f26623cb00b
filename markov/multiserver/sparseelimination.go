package multiserver

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// sparseInService is an [inServiceBlock] by whose inverse rows are multiplied in few operations each.
type sparseInService interface {
	inServiceBlock
	// solveTransposed overwrites the columns of b with T⁻ᵀ times them.
	solveTransposed(b block.Matrix)
}

// sparseElimination eliminates the levels of a queue whose blocks T are sparse. In the notation of
// [boundary.forwardElimination], with u the row sums of I − D, those of A·cut + ends·Q,
//
//	V = X·(I−D)⁻¹·diag(u),   J = ((I + V·diag(u)⁻¹·ends)·T⁻¹)·(F⊗I) + V·diag(u)⁻¹·cut.
//
// V comes from X·diag(u) in place, by [block.GaussJordan], for 2·n·r²·K³ operations a level, and is all that is kept of
// it; everything else is sparse. J and H are made of some rows of V at a time, transposed: so each transition combines
// two short rows, all of which lie in the cache.
type sparseElimination struct {
	*boundary
	jordan block.GaussJordan
}

// eliminateSparse is forwardElimination for service without cycles.
func (b *boundary) eliminateSparse(ctx context.Context) error {
	s := b.sys
	n, r := s.ar.n, s.ar.classes
	size := 0
	for l := 1; l < s.c; l++ {
		size += block.PaddedSize(n*s.index.size(l), r*s.index.size(l))
	}
	b.storage = block.NewStack(r*s.index.size(s.c), size)
	w := &sparseElimination{boundary: b, jordan: block.NewGaussJordan(r*s.index.size(s.c-1), n)}
	defer w.jordan.Release()
	first, err := b.eliminateLevelZero(ctx)
	if err != nil {
		return err
	}
	h := block.NewRaw(n, w.width(1))
	for i := range n {
		clear(h.Row(i)[copy(h.Row(i), first.Row(i)):])
	}
	first.Release()
	for l := 1; l < s.c; l++ {
		lev, err := b.newLevel(ctx, l)
		if err != nil {
			return err
		}
		up := w.upward(ctx, lev)
		v := b.storage.Next(n*lev.k, r*lev.k)
		lev.departure.kronMul(ctx, v.Matrix, h, n)
		lev.inService.Solve(ctx, v.RowRange(0, n*lev.k))
		for i := range n * lev.k {
			floats.Mul(v.Row(i)[:len(up)], up)
		}
		if err := w.jordan.Eliminate(ctx, v, lev.k, lev.ends, up); err != nil {
			return wrong(l, "service", -1, -1, "%w", err)
		}
		lev.excursions, lev.up = v.Matrix, up
		h.Release()
		h = w.onward(ctx, l, lev)
	}
	b.onward, b.departure = h, s.departureTransitions(ctx, s.c)
	b.flow = block.NewRaw(n*b.departure.rows, h.Cols)
	b.departure.kronMul(ctx, b.flow, h, n)
	return ctx.Err()
}

// width is that of H, which leads to level l: padded as the V of that level is, if there is one.
func (w *sparseElimination) width(l int) int {
	columns := w.sys.ar.classes * w.sys.index.size(l)
	if l == w.sys.c {
		return columns
	}
	return block.PaddedLen(columns)
}

// upward returns u, the row sums of A·cut + ends·Q.
func (w *sparseElimination) upward(ctx context.Context, lev *boundaryLevel) []float64 {
	s, k := w.sys, lev.k
	q := block.NewRaw(s.ar.n*k, 1) // T⁻¹·(F⊗I)·1
	defer q.Release()
	for a, rate := range s.ar.f.RowSums() {
		for i := range k {
			q.Data[a*k+i] = rate
		}
	}
	lev.inService.Solve(ctx, q)
	up := s.mem.floats(s.ar.classes * k)
	for class, cut := range lev.cut.RowSums() {
		row := up[class*k : (class+1)*k]
		floats.AddConst(cut, row)
		for a, end := range lev.ends.Row(class) {
			floats.AddScaled(row, end, q.Data[a*k:(a+1)*k])
		}
	}
	return up
}

// panelNumbers is how many numbers of each matrix of a panel stay in the cache, fewestColumns how many columns are worth
// combining.
const (
	panelNumbers  = 32768
	fewestColumns = 16
)

// onward returns H = (end·J + cut)·(I⊗U) of level l.
func (w *sparseElimination) onward(ctx context.Context, l int, lev *boundaryLevel) block.Matrix {
	n, k := w.sys.ar.n, lev.k
	h := block.NewRaw(n*k, w.width(l+1))
	columns := max(fewestColumns, panelNumbers/(n*k))
	step := min(k, (columns+n-1)/n)
	p := &onwardPanel{sys: w.sys, lev: lev, switchOver: w.sys.down[l], over: make([]float64, len(lev.up))}
	for i, u := range lev.up {
		p.over[i] = 1 / u
	}
	block.Share(k, step, n*k*n*k*(8+n), func(from, to int) {
		part := *p
		part.allocate(n*step, lev.arrival.cols)
		defer part.release()
		for i := from; i < to && ctx.Err() == nil; i += step {
			part.fill(h, i, min(i+step, to))
		}
	})
	return h
}

// onwardPanel makes some rows of H, from V to it by transposed matrices with a column for each.
type onwardPanel struct {
	sys        *system
	lev        *boundaryLevel
	switchOver *switchOver // after the departure
	over       []float64   // 1/u

	row  block.Matrix // of (end⊗I)·V
	v, x block.Matrix // (end⊗I)·V·diag(u)⁻¹, r·K rows, and (end⊗I)·(I + V·diag(u)⁻¹·ends)·T⁻¹, n·K rows
	j, h block.Matrix // end·J + cut, r·K rows, and rows of H
}

func (p *onwardPanel) allocate(columns, next int) {
	n, r, k := p.sys.ar.n, p.sys.ar.classes, p.lev.k
	p.row = block.NewRaw(1, r*k)
	p.v, p.x = block.NewRaw(r*k, columns), block.NewRaw(n*k, columns)
	p.j, p.h = block.NewRaw(r*k, columns), block.NewRaw(r*next, columns)
}

func (p *onwardPanel) release() {
	for _, m := range []block.Matrix{p.row, p.v, p.x, p.j, p.h} {
		m.Release()
	}
}

// fill sets the rows (a, i) of h for the occupancies from i0 to i1−1.
func (p *onwardPanel) fill(h block.Matrix, i0, i1 int) {
	n, r, k, lev := p.sys.ar.n, p.sys.ar.classes, p.lev.k, p.lev
	width := i1 - i0
	columns := n * width
	first := func(m block.Matrix) block.Matrix { return block.Over(m.Rows, columns, m.Data[:m.Rows*columns]) }
	v, x, j, out := first(p.v), first(p.x), first(p.j), first(p.h)
	clear(x.Data)
	for a := range n {
		for i := i0; i < i1; i++ {
			column := a*width + i - i0
			p.combine(a, i)
			for e, value := range p.row.Data {
				v.Data[e*columns+column] = value * p.over[e]
			}
			for b, end := range p.switchOver.end.Row(a) {
				x.Data[(b*k+i)*columns+column] = end
			}
		}
	}
	ctx := context.Background() // a panel is done in less than a millisecond
	kronRowsAdd(ctx, x, transposed(lev.ends), v, k)
	lev.inService.(sparseInService).solveTransposed(x)
	kronRows(ctx, j, transposed(p.sys.ar.f), x, k)
	kronRowsAdd(ctx, j, transposed(lev.cut), v, k)
	for a := range n {
		for q, cut := range p.switchOver.cut.Row(a) {
			for i := range width {
				j.Data[(q*k+i0+i)*columns+a*width+i] += cut
			}
		}
	}
	clear(out.Data)
	for q := range r {
		for i := range k {
			cols, vals := lev.arrival.row(i)
			for e, to := range cols {
				floats.AddScaled(out.Row(q*lev.arrival.cols+int(to)), vals[e], j.Row(q*k+i))
			}
		}
	}
	for a := range n {
		for i := i0; i < i1; i++ {
			row := h.Row(a*k + i)
			for e := range out.Rows {
				row[e] = out.Data[e*columns+a*width+i-i0]
			}
			clear(row[out.Rows:])
		}
	}
}

// combine sets the row to that of state (a, i) of (end⊗I)·V.
func (p *onwardPanel) combine(a, i int) {
	all := len(p.row.Data)
	if p.switchOver.phases == 0 {
		copy(p.row.Data, p.lev.excursions.Row(a*p.lev.k + i)[:all])
		return
	}
	clear(p.row.Data)
	for b, end := range p.switchOver.end.Row(a) {
		if end != 0 {
			floats.AddScaled(p.row.Data, end, p.lev.excursions.Row(b*p.lev.k + i)[:all])
		}
	}
}

// transposed returns a copy of a small matrix with rows and columns exchanged.
func transposed(m block.Matrix) block.Matrix {
	t := block.New(m.Cols, m.Rows)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			t.Data[j*t.Cols+i] = v
		}
	}
	return t
}

func (t triangular) solveTransposed(b block.Matrix) {
	for i, d := range t.out {
		row := b.Row(i)
		floats.Scale(1/d, row)
		cols, vals := t.off.row(i)
		for e, j := range cols {
			floats.AddScaled(b.Row(int(j)), vals[e], row)
		}
	}
}

func (t *arrivalTriangular) solveTransposed(b block.Matrix) {
	n, k := t.n, t.local.rows
	old := block.NewRaw(n, b.Cols)
	defer old.Release()
	for i := range k {
		for a := range n {
			copy(old.Row(a), b.Row(a*k+i))
		}
		inverse := t.inverse[i*n*n : (i+1)*n*n]
		cols, vals := t.local.row(i)
		for c := range n {
			row := b.Row(c*k + i)
			floats.ScaleTo(row, inverse[c], old.Row(0))
			for a := 1; a < n; a++ {
				if v := inverse[a*n+c]; v != 0 {
					floats.AddScaled(row, v, old.Row(a))
				}
			}
			for e, j := range cols {
				floats.AddScaled(b.Row(c*k+int(j)), vals[e], row)
			}
		}
	}
}
