package multiserver

import (
	"context"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/reduction"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// forwardElimination eliminates the levels one after the other, by entries of each level: a witness of [elimination]. With E the
// states (a, n) in service of a level l and Z its entries (q, n), ends = A·end:
//
//	C = (I⊗W)·H of level l−1     E → level l−1 → Z, rates
//	X = T⁻¹·C, Q = T⁻¹·(F⊗I)     E → Z, E → arrival at level l, probabilities
//	D = ends·X                   Z → E → Z
//	S = (I−D)⁻¹·(A·cut + ends·Q)  Z → first arrival that leads to level l+1
//	J = Q + X·S                  E → first arrival that leads to level l+1
//	H = (end·J + cut)·(I⊗U)      departure to level l → entry of level l+1
func (b *boundary) forwardElimination(ctx context.Context) (flow block.Matrix, err error) {
	s := b.sys
	h, err := b.eliminateLevelZero(ctx)
	if err != nil {
		return flow, err
	}
	for l := 1; l < s.c; l++ {
		lev, err := b.newLevel(ctx, l)
		if err != nil {
			return flow, err
		}
		lev.excursions = block.NewRaw(s.ar.N*lev.k, s.ar.Classes*lev.k)
		lev.departure.KronMul(ctx, lev.excursions, h, s.ar.N)
		lev.inService.Solve(ctx, lev.excursions)
		h.Release()
		if h, err = s.eliminateLevel(ctx, l, lev); err != nil {
			return flow, err
		}
	}
	b.departure = s.departureTransitions(ctx, s.c)
	flow = block.NewRaw(s.ar.N*b.departure.Rows, h.Cols)
	b.departure.KronMul(ctx, flow, h, s.ar.N)
	h.Release()
	return flow, ctx.Err()
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

// eliminateLevel finishes the elimination of level l and returns its H.
func (s *system) eliminateLevel(ctx context.Context, l int, lev *boundaryLevel) (block.Matrix, error) {
	n, r, k := s.ar.N, s.ar.Classes, lev.k
	d := block.NewScratch(r*k, r*k)
	statespace.KronRowsAdd(ctx, d, lev.ends, lev.excursions, k)
	if err := ctx.Err(); err != nil { // here and below: these blocks are large, and fresh memory is slow
		return block.Matrix{}, err
	}
	q := block.KronIdentity(s.ar.F, k)
	lev.inService.Solve(ctx, q)
	if err := ctx.Err(); err != nil {
		return block.Matrix{}, err
	}
	up := block.KronIdentity(lev.cut, k)
	statespace.KronRowsAdd(ctx, up, lev.ends, q, k)
	loop, err := block.FactorGTH(ctx, d, up.RowSums())
	if err != nil {
		return block.Matrix{}, statespace.Wrong(l, "service", -1, -1, "%w", err)
	}
	lev.loop = loop
	lev.escape, lev.found = block.Ones(r*k), identity(k) // what an arrival finds is its entry here
	loop.Solve(ctx, up)                                  // S
	block.MulAdd(ctx, q, lev.excursions, up)             // J
	if err := ctx.Err(); err != nil {
		return block.Matrix{}, err
	}
	h := block.KronIdentity(s.down[l].Cut, k)
	statespace.KronRowsAdd(ctx, h, s.down[l].End, q, k)
	reduction.Stochastic(h) // first passages; roundings would add up from level to level
	out := block.NewRaw(n*k, r*lev.arrival.Cols)
	lev.arrival.MulKronRight(ctx, out, h, r)
	return out, ctx.Err()
}

// identity returns I_k.
func identity(k int) *statespace.Sparse {
	b := statespace.NewSparse(nil, k, k, k)
	for i := range k {
		b.Add(i, 1)
		b.EndRow()
	}
	return &b.Sparse
}
