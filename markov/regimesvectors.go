package markov

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/krylov"
)

// Passages from the regimes that are left into the last are found for one vector at a time where there are many phases,
// and the level seldom rises before they are left: sums over the levels are short then, and the chain of entries of the
// last level, of which all but the stationary vector is soon forgotten, is solved in few products.
const (
	vectorsFrom = 100 // phases of level b
	mostRise    = 0.6 // the largest probability of rising another level
)

// passages returns, for mean times x in the phases of level b that belong to regimes that are left, the flow into the last
// regime, at that level or in a first passage to it, level b being like those above. With w_k the times at k levels above,
// w_{k+1} = w_k·Up·(−U)⁻¹, and f_k the flow that enters the last regime there,
//
//	(… (f_k·G + f_{k−1})·G + …)·G + f_0.
func (c *regimeChain) passages(x []float64) []float64 {
	last := len(c.regimes) - 1
	width := len(c.members[last][c.b])
	flows, total := [][]float64{make([]float64, width)}, 0.0
	var times, rises [][]float64
	for t := range last {
		times = append(times, c.gather(x, t))
		rises = append(rises, make([]float64, len(times[t])))
	}
	for k := 0; ; k++ {
		flows = append(flows, make([]float64, width))
		up := 0.0
		for t, r := range c.regimes[:last] {
			clear(rises[t])
			r.rises.add(rises[t], times[t])
			up += floats.Norm(rises[t], 1) // x may have negative numbers
			for by := -min(k, 1); by <= 1; by++ {
				r.enters[1+by].add(flows[k+by], times[t])
			}
		}
		if total = max(total, up); !(up > negligible*total) {
			break
		}
		for t, r := range c.regimes[:last] {
			clear(times[t])
			if r.sojourns.Rows > 0 {
				block.VecMulAdd(times[t], rises[t], r.sojourns)
			}
		}
	}
	sum := flows[len(flows)-1]
	for k := len(flows) - 2; k >= 0; k-- {
		block.VecMulAdd(flows[k], sum, c.g)
		sum = flows[k]
	}
	return sum
}

// placedMoves are transitions between the phases of a regime in a level, or from these to those of another, by their places
// there.
type placedMove struct {
	from, to int32
	rate     float64
}

type placedMoves []placedMove

func (m placedMoves) add(to, from []float64) {
	for _, e := range m {
		to[e.to] += from[e.from] * e.rate
	}
}

// findPlaces sets the transitions above level b out of the phases of a regime that is left.
func (c *regimeChain) findPlaces(r *regimeLevels) {
	last := len(c.regimes) - 1
	for k, i := range c.members[r.number][c.b] {
		for _, m := range c.rows[c.b+1][i] {
			e := placedMove{int32(k), c.place[c.b][m.to], m.rate}
			switch {
			case c.of[c.b][m.to].Number == last:
				r.enters[1+m.by] = append(r.enters[1+m.by], e)
			case m.by > 0:
				r.rises = append(r.rises, e)
			}
		}
	}
}

// negligible is what the last term of a sum may be of the first.
const negligible = block.UnitRoundoff / 8

// enteredByVectors is entered by [krylov.GMRES], for corrections to a vector that has gone round a few times: y = y·P, P
// leading from the entries of the last level through all levels back to them. It is nil if they do not settle.
func (w *levelwise) enteredByVectors(ctx context.Context) []float64 {
	const (
		corrections, steps = 4, 60
		enough, settled    = 8 * block.UnitRoundoff, 32 * block.UnitRoundoff
	)
	y := normalised(w.round(block.Ones(len(w.levels[w.last].below.phases))))
	off := func() (r []float64, size float64) {
		r = w.round(y)
		floats.Sub(r, y)
		return r, floats.Norm(r, 1)
	}
	around := func(x []float64) []float64 {
		d := w.round(x)
		floats.SubTo(d, x, d)
		return d
	}
	r, size := off()
	for k := 0; k < corrections && size > enough && ctx.Err() == nil; k++ {
		d, _ := krylov.GMRES(ctx, around, r, enough/size, steps)
		floats.Add(y, d)
		was := size
		if r, size = off(); size > was/2 {
			break
		}
	}
	if !(size <= settled) {
		return nil
	}
	for i, v := range y {
		y[i] = max(0, v)
	}
	return normalised(w.round(y))
}

// round returns what a vector of the entries of the last level becomes until these are met again.
func (w *levelwise) round(entries []float64) []float64 {
	lower := &w.levels[w.last-1]
	x := make([]float64, len(w.phases(w.last)))
	w.levels[w.last].below.scatter(x, entries)
	w.solveLeft(x)
	down := make([]float64, len(w.phases(w.last-1)))
	w.flow(x, w.last, -1, down)
	return block.VecMul(lower.above.gather(down), lower.passages)
}
