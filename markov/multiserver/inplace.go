package multiserver

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// inPlaceElimination eliminates the levels of a queue of mixtures. With up = A·cut + ends·Q, a diagonal, a level is
// known by
//
//	V = X·(I−D)⁻¹·diag(up),   J = Q + V,
//
// and V₀ = X·diag(up) = T⁻¹·(I⊗W)·H·diag(up) follows from the V of the level below by a few terms for each number. V₀
// is turned into V in place, by [block.GaussJordan]: 2·n·K³ multiplications replace 3·n·K³, and nothing is ever
// subtracted.
type inPlaceElimination struct {
	b       *boundary
	v       block.Padded // V of the level last eliminated, n·K rows
	q       block.Matrix // Q, n × K
	up      []float64    // diagonal of A·cut + ends·Q, then zeros
	product statespace.TransitionProduct
	jordan  block.GaussJordan
	levels  *block.Stack
	scale   []float64 // 1/out
}

// newInPlaceElimination starts at level 0.
func (b *boundary) newInPlaceElimination() *inPlaceElimination {
	s := b.sys
	n, most := s.ar.N, s.index.Size(s.c)
	size := block.PaddedSize(n, 1)
	for l := 1; l < s.c; l++ {
		size += block.PaddedSize(n*s.index.Size(l), s.index.Size(l))
	}
	w := &inPlaceElimination{
		b: b, q: block.Over(n, 1, block.Ones(n)), levels: block.NewStack(most, size),
		jordan: block.NewGaussJordan(s.index.Size(s.c-1), n), scale: make([]float64, most),
		product: statespace.TransitionProduct{
			Row: block.NewRaw(1, block.PaddedLen(most)), Rates: make([]float64, 4*most), Weights: make([]float64, 4*most),
		},
	}
	w.v = w.levels.Next(n, 1)
	clear(w.v.Data)
	return w
}

// release gives back all but the levels.
func (w *inPlaceElimination) release() {
	w.product.Row.Release()
	w.jordan.Release()
}

// eliminateInPlace is forwardElimination for mixtures.
func (b *boundary) eliminateInPlace(ctx context.Context) error {
	s := b.sys
	n := s.ar.N
	var err error
	if b.levelZero, err = block.FactorGTH(ctx, s.ar.D0.Clone(), s.ar.F.RowSums()); err != nil {
		return err
	}
	w := b.newInPlaceElimination()
	defer w.release()
	b.storage = []*block.Stack{w.levels}
	arrival, switchOver := s.arrivalTransitions(ctx, 0), s.down[0]
	b.levels[0].arrival = arrival
	for l := 1; l < s.c; l++ {
		lev, err := b.newLevel(ctx, l)
		if err != nil {
			return err
		}
		q, up := w.upward(lev)
		v := w.levels.Next(n*lev.k, lev.k)
		w.setExcursions(ctx, v.Matrix, lev.departure, arrival, switchOver, lev.moves.out, up)
		w.v, w.q, w.up = v, q, up
		if err := w.jordan.Eliminate(ctx, v, lev.k, lev.ends, up); err != nil {
			return statespace.Wrong(l, "service", -1, -1, "%w", err)
		}
		w.conserve(lev, v.Matrix)
		lev.excursions, lev.up = v.Matrix, up[:lev.k]
		arrival, switchOver = lev.arrival, s.down[l]
	}
	b.departure = s.departureTransitions(ctx, s.c)
	k := b.departure.Rows
	flow := block.NewRaw(n*k, block.PaddedLen(k))
	defer flow.Release()
	w.setExcursions(ctx, flow, b.departure, arrival, switchOver, nil, nil)
	b.flow = block.NewRaw(n*k, k)
	for i := range n * k {
		copy(b.flow.Row(i), flow.Row(i))
	}
	return nil
}

// conserve scales the rows of V to the probabilities that a job departs before one comes, which are their sums but for roundings:
// these would add up from level to level.
func (w *inPlaceElimination) conserve(lev *boundaryLevel, v block.Matrix) {
	served := lev.departure.RowSums()
	for i, out := range lev.moves.out {
		row := v.Row(i)[:lev.k]
		floats.Scale(served[i%lev.k]/(out*block.Sum(row)), row)
	}
}

// upward returns Q and the diagonal of A·cut + ends·Q.
func (w *inPlaceElimination) upward(lev *boundaryLevel) (q block.Matrix, up []float64) {
	s := w.b.sys
	q, up = block.New(s.ar.N, lev.k), make([]float64, block.PaddedLen(lev.k))
	for a := range s.ar.N {
		out, row := lev.moves.out[a*lev.k:(a+1)*lev.k], q.Row(a)
		for i := range row {
			row[i] = s.ar.F.Data[a] / out[i]
		}
		floats.AddScaled(up[:lev.k], lev.ends.At(0, a), row)
	}
	floats.AddConst(lev.cut.At(0, 0), up[:lev.k])
	return q, up
}

// setExcursions sets to, but for its columns beyond the occupancies, to diag(out)⁻¹·(I⊗W)·H·diag(up), H = (end·J +
// cut)·(I⊗U) leading from a departure to the level last eliminated, through its switch-over, to the next entry above
// it; nil stands for ones.
func (w *inPlaceElimination) setExcursions(
	ctx context.Context, to block.Matrix, departure, arrival *statespace.Sparse, g *switchOver, out, up []float64) {
	v, q := w.v, w.q
	if g.phases > 0 {
		n, k := q.Rows, q.Cols
		through := block.NewStack(w.b.sys.index.Size(w.b.sys.c), block.PaddedSize(n*k, k))
		defer through.Release()
		v, q = w.throughSwitchOver(g, through.Next(n*k, k))
	}
	w.product.Set(arrival, up)
	move := w.product.Combine
	if w.product.ArrivalShifts() && w.product.DepartureShifts(departure) {
		move = w.product.CombinePairs
	}
	for a := range q.Rows {
		if ctx.Err() != nil {
			return
		}
		from, over := a*departure.Rows, w.scale[:departure.Rows]
		for i := range over {
			over[i] = 1
			if out != nil {
				over[i] = 1 / out[from+i]
			}
		}
		move(to.RowRange(from, from+departure.Rows), over, departure, v, a*departure.Cols, q.Row(a))
	}
}

// throughSwitchOver returns end·V, in the place of v, and end·Q + cut.
func (w *inPlaceElimination) throughSwitchOver(g *switchOver, v block.Padded) (block.Padded, block.Matrix) {
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
