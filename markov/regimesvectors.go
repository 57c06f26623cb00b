package markov

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/reduction"
)

// Passages from the regimes that are left into the last are found for one vector at a time where there are many phases,
// and the level seldom rises before they are left: sums over the levels are short then, and the chain of entries of the
// last level, of which all but the stationary vector is soon forgotten, is solved in few products. That there is only one
// such vector, which an elimination would see, follows where every phase leads up: from high above level b all phases of
// the last regime are reached.
const (
	vectorsFrom = 100 // phases of level b
	mostRise    = 0.6 // the largest probability of rising another level
)

// mayGoByVectors reports whether vectors are worth it, by the number of phases, and unique.
func (c *regimeChain) mayGoByVectors() bool {
	for _, rows := range c.rows[c.b:] {
		for _, row := range rows {
			if !slices.ContainsFunc(row, func(m move) bool { return m.by > 0 }) {
				return false
			}
		}
	}
	return len(c.of[c.b]) >= vectorsFrom
}

// fewTerms is up to how many terms of a sum are found for each vector: sums of more are doubled before.
const fewTerms = 10

// doublings returns how often sums over the levels are doubled of which each term is at most so large a part of the one
// before, up to mostDoublings for mostRise.
func doublings(share float64) int {
	return max(0, int(math.Ceil(math.Log2(math.Log(negligible)/math.Log(share)/fewTerms))))
}

const mostDoublings = 3

// findStrides finds, for each regime that is left, what [regimeChain.passages] sums: with R = Up·(−U)⁻¹ and G that of the
// last regime,
//
//	S = Σ_{k<n} R^k·B·G^k,  R^n,  G^n,  B = Down_t0 + Local_t0·G + Up_t0·G²,  n = 2^doublings, share being the largest row sum of R.
func (c *regimeChain) findStrides(ctx context.Context, share float64) {
	c.strideG = []block.Matrix{c.g}
	for k := range doublings(share) {
		c.strideG = append(c.strideG, times(ctx, c.strideG[k], c.strideG[k]))
	}
	last := len(c.strideG) - 1
	for _, r := range c.regimes[:len(c.regimes)-1] {
		if r.sojourns.Rows == 0 {
			continue
		}
		r.strideR, r.strideS, r.risesInto = r.r, c.class(r).Returns(ctx, c.g), !r.into.Up.IsZero()
		for _, g := range c.strideG[:last] {
			block.MulAddEntries(ctx, r.strideS, r.strideR, times(ctx, r.strideS, g))
			r.strideR = times(ctx, r.strideR, r.strideR)
		}
	}
}

// passages returns, for mean times x in the phases of level b that belong to regimes that are left, the flow into the last
// regime, at that level or in a first passage to it, level b being like those above:
//
//	x·Local_t0 + x·Up_t0·G + x·R·Σ_k R^k·B·G^k.
func (c *regimeChain) passages(x []float64) []float64 {
	last := len(c.regimes) - 1
	flow := make([]float64, len(c.members[last][c.b]))
	var sums [][]float64 // by k, in strides
	for t, r := range c.regimes[:last] {
		if r.sojourns.Rows == 0 {
			continue
		}
		own := c.gather(x, t)
		block.VecMulAdd(flow, own, r.into.Local)
		if r.risesInto {
			block.VecMulAdd(flow, block.VecMul(own, r.into.Up), c.g)
		}
		v := block.VecMul(own, r.r)
		least := negligible * floats.Norm(v, 1) // there may be negative numbers
		for k := 0; floats.Norm(v, 1) > least; k++ {
			if k == len(sums) {
				sums = append(sums, make([]float64, len(flow)))
			}
			block.VecMulAdd(sums[k], v, r.strideS)
			v = block.VecMul(v, r.strideR)
		}
	}
	for k := len(sums) - 1; k > 0; k-- {
		block.VecMulAdd(sums[k-1], sums[k], c.strideG[len(c.strideG)-1])
	}
	if len(sums) > 0 {
		floats.Add(flow, sums[0])
	}
	return flow
}

// negligible is what the last term of a sum may be of the first.
const negligible = block.UnitRoundoff / 8

// enteredByVectors is entered by [reduction.GMRES], for corrections to a vector that has gone round a few times: y = y·P, P
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
		d, _ := reduction.GMRES(ctx, around, r, enough/size, steps)
		floats.Add(y, d)
		y = normalised(y) // corrections are right but for any multiple of the solution
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
