package multiserver

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// elimination eliminates the levels one after the other. What a level has to know of an arrival is what that found: its class
// and one of the occupancies of the level below, of which there are fewer; arrivals enter a level by I⊗U of the level below
// it. With E the states (a, n) in service of a level l and Z what the arrivals that lead to it find,
//
//	X = T⁻¹·(I⊗W)·H of level l−1, Q = T⁻¹·(F⊗I)   E → level l−1 → Z, E → arrival at level l
//	ends = (I⊗U)·(A·end),  cut = (I⊗U)·(A·cut)    Z → E, Z → next arrival before service begins
//	D = ends·X,  u = (cut + ends·Q)·1             Z → E → Z, Z → arrival at level l
//	V = X·(I−D)⁻¹·diag(u),   J = ((I + V·diag(u)⁻¹·ends)·T⁻¹)·(F⊗I) + V·diag(u)⁻¹·cut,
//
// and H = end·J + cut leads from a departure to level l to what the next arrival there finds. V comes from X·diag(u) in place, by [block.GaussJordan], for
// 2·n·r²·K_l·K_{l−1}² operations a level, and is all that is kept of it; everything else is sparse.
type elimination struct {
	*boundary
	jordan block.GaussJordan
}

// eliminateUpward eliminates the levels up to level top.
func (b *boundary) eliminateUpward(ctx context.Context) error {
	s := b.sys
	var err error
	if b.levelZero, err = block.FactorGTH(ctx, s.ar.D0.Clone(), s.ar.F.RowSums()); err != nil {
		return err
	}
	b.levels[0] = boundaryLevel{k: 1, arrival: s.arrivalTransitions(ctx, 0)}
	for l := 1; l < s.c; l++ {
		lev, err := b.newLevel(ctx, l)
		if err != nil {
			return err
		}
		lev.found = b.levels[l-1].arrival
	}
	b.departure = s.departureTransitions(ctx, s.c)
	return b.eliminateLevels(ctx, 1)
}

// eliminateLevels eliminates the levels up to top, those below the given one being eliminated already.
func (b *boundary) eliminateLevels(ctx context.Context, from int) error {
	s := b.sys
	n, r := s.ar.N, s.ar.Classes
	if from > b.top {
		return ctx.Err()
	}
	size := 0
	for l := from; l <= b.top; l++ {
		size += block.PaddedSize(n*s.index.Size(l), r*s.index.Size(l-1))
	}
	storage := block.NewStack(r*s.index.Size(b.top+1), size)
	b.storage = append(b.storage, storage)
	w := &elimination{boundary: b, jordan: block.NewGaussJordan(r*s.index.Size(b.top), n)}
	defer w.jordan.Release()
	for l := from; l <= b.top; l++ {
		lev := &b.levels[l]
		h := b.onward(ctx, l-1)
		v := storage.Next(n*lev.k, r*lev.found.Rows)
		lev.up = w.upward(ctx, lev)
		lev.departure.KronMul(ctx, v.Matrix, h, n)
		h.Release()
		lev.inService.Solve(ctx, v.RowRange(0, n*lev.k))
		lev.excursions = v.Matrix
		var err error
		if b.factored && l == b.top {
			err = lev.factor(ctx, v)
		} else {
			err = lev.eliminate(ctx, v, &w.jordan)
		}
		if err != nil {
			return statespace.Wrong(l, "service", -1, -1, "%w", err)
		}
	}
	return ctx.Err()
}

// eliminate turns X into V.
func (lev *boundaryLevel) eliminate(ctx context.Context, x block.Padded, jordan *block.GaussJordan) error {
	for i := range x.Rows {
		floats.Mul(x.Row(i)[:len(lev.up)], lev.up)
	}
	return jordan.EliminateBy(ctx, x, lev.entering(), lev.up)
}

// factor takes the place of eliminate for a level whose H nobody asks for: factors of I − D, of order N = r·K_{l−1}, take
// N³/3 operations in place of n·K_l·N², and a vector that goes through the level N² more.
func (lev *boundaryLevel) factor(ctx context.Context, x block.Padded) (err error) {
	d := lev.entering().Of(x, len(lev.up))
	lev.loop, err = block.FactorGTH(ctx, d, slices.Clone(lev.up))
	return err
}

// unfactor eliminates level top if it is factored. What has factors can be eliminated, unless ctx ends.
func (b *boundary) unfactor(ctx context.Context) {
	lev := &b.levels[b.top]
	b.factored = false
	if lev.loop == nil {
		return
	}
	lev.loop.Release()
	lev.loop = nil
	jordan := block.NewGaussJordan(b.sys.ar.Classes*lev.k, b.sys.ar.N)
	defer jordan.Release()
	_ = lev.eliminate(ctx, block.Padded{Matrix: lev.excursions}, &jordan)
}

// onwardOfZero returns H of level 0, padded as the V of the next level is.
func (b *boundary) onwardOfZero(ctx context.Context) block.Matrix {
	ar := b.sys.ar
	first := ar.F.Clone()
	b.levelZero.Solve(ctx, first)
	h := block.NewScratch(ar.N, block.PaddedLen(ar.Classes))
	for i := range ar.N {
		copy(h.Row(i), first.Row(i))
	}
	return h
}

// entering returns the rows of ends, by which arrivals come into service.
func (lev *boundaryLevel) entering() block.Combinations {
	c := block.Combinations{Start: []int32{0}}
	for q := range lev.ends.Rows {
		for i := range lev.found.Rows {
			cols, vals := lev.found.Row(i)
			for a, end := range lev.ends.Row(q) {
				if end == 0 {
					continue
				}
				for e, j := range cols {
					c.Rows = append(c.Rows, int32(a*lev.k)+j)
					c.Weights = append(c.Weights, end*vals[e])
				}
			}
			c.Start = append(c.Start, int32(len(c.Rows)))
		}
	}
	return c
}

// upward returns u.
func (w *elimination) upward(ctx context.Context, lev *boundaryLevel) []float64 {
	s, k := w.sys, lev.k
	q := block.NewRaw(s.ar.N*k, 1) // T⁻¹·(F⊗I)·1
	defer q.Release()
	for a, rate := range s.ar.F.RowSums() {
		for i := range k {
			q.Data[a*k+i] = rate
		}
	}
	lev.inService.Solve(ctx, q)
	up := make([]float64, s.ar.Classes*lev.found.Rows)
	entered := make([]float64, k)
	for class, cut := range lev.cut.RowSums() {
		for i := range entered {
			entered[i] = cut
		}
		for a, end := range lev.ends.Row(class) {
			floats.AddScaled(entered, end, q.Data[a*k:(a+1)*k])
		}
		row := up[class*lev.found.Rows:]
		for i := range lev.found.Rows {
			cols, vals := lev.found.Row(i)
			for e, j := range cols {
				row[i] += vals[e] * entered[j]
			}
		}
	}
	return up
}

// rowsAtOnce is how many rows of H follow from V together.
const rowsAtOnce = 32

// onward returns H of level l, padded as the V of the next level is.
func (b *boundary) onward(ctx context.Context, l int) block.Matrix {
	if l == 0 {
		return b.onwardOfZero(ctx)
	}
	n, r, lev := b.sys.ar.N, b.sys.ar.Classes, &b.levels[l]
	k := lev.k
	h := block.NewRaw(n*k, block.PaddedLen(r*k))
	block.Share(n*k, rowsAtOnce, n*k*n*k*(8+n), func(from, to int) {
		found, z := block.NewRaw(rowsAtOnce, len(lev.up)), block.NewRaw(rowsAtOnce, r*k)
		defer found.Release()
		defer z.Release()
		x := make([]float64, n*k)
		for i := from; i < to && ctx.Err() == nil; i += rowsAtOnce {
			rows := min(rowsAtOnce, to-i)
			lev.timesV(found.RowRange(0, rows), b.sys.down[l].end, i)
			lev.found.MulKronRight(ctx, z.RowRange(0, rows), found.RowRange(0, rows), r)
			for row := range rows {
				b.onwardRow(h.Row(i+row), x, z.Row(row), l, i+row)
			}
		}
	})
	return h
}

// timesV sets rows to those of (end⊗I)·V·diag(u)⁻¹ from the given one on.
func (lev *boundaryLevel) timesV(rows, end block.Matrix, first int) {
	clear(rows.Data)
	for i := range rows.Rows {
		row := rows.Row(i)
		for a, p := range end.Row((first + i) / lev.k) {
			if p != 0 {
				floats.AddScaled(row, p, lev.excursions.Row(a*lev.k + (first+i)%lev.k)[:len(row)])
			}
		}
		floats.Div(row, lev.up)
	}
}

// onwardRow sets h to a row of H of level l from the entries z of the level that follow; x is room for its states in service.
func (b *boundary) onwardRow(h, x, z []float64, l, row int) {
	lev, after := &b.levels[l], b.sys.down[l]
	k, phase, place := lev.k, row/lev.k, row%lev.k
	clear(x)
	for a, p := range after.end.Row(phase) {
		x[a*k+place] = p
	}
	statespace.KronVec(x, z, lev.ends, k)
	lev.inService.SolveLeft(x)
	clear(h)
	h = h[:len(z)]
	for q, p := range after.cut.Row(phase) {
		h[q*k+place] = p
	}
	statespace.KronVec(h, x, b.sys.ar.F, k)
	statespace.KronVec(h, z, lev.cut, k)
	floats.Scale(1/block.Sum(h), h) // first passages; roundings would add up from level to level
}
