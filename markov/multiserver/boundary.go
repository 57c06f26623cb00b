package multiserver

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// eliminateBoundary eliminates levels 0..c−1.
func (s *system) eliminateBoundary(ctx context.Context) (*boundary, error) {
	b := s.newBoundary()
	return b, b.eliminateUpward(ctx)
}

// backSubstitution finds the levels from c−1 down to 0: departures to level l are a flow y, of which y·end reaches the
// states in service before an arrival, and excursions to lower levels bring the entries z.
func (b *boundary) backSubstitution(ctx context.Context, y []float64) (*boundaryFlows, error) {
	s := b.sys
	v, n := newFlows(len(b.levels)), s.ar.N
	for l := s.c - 1; l >= 1; l-- {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		lev := &b.levels[l]
		v.exponents[l] = v.exponents[l+1] + block.Rescale(y)
		v.departures[l] = y
		x, z := b.excursion(l, y)
		b.conserve(l, y, x, z)
		v.inService[l], v.arrivals[l] = x, z
		y = make([]float64, n*lev.departure.Cols)
		lev.departure.KronLeft(y, x, n)
	}
	v.exponents[0] = v.exponents[1] + block.Rescale(y)
	v.departures[0] = y
	x := append([]float64(nil), y...)
	b.levelZero.SolveLeft(x)
	v.inService[0] = x
	return v, nil
}

// conserve scales the states in service x and the entries z of level l so that as many jobs come to level l+1 from level l as
// depart to it, y. Excursions to lower levels keep all flow but for roundings, which would add up from level to level.
func (b *boundary) conserve(l int, y, x, z []float64) {
	comes := make([]float64, b.sys.ar.Classes*b.levels[l].k)
	b.found(comes, l, y, x, z)
	f := block.Sum(y) / block.Sum(comes)
	floats.Scale(f, x)
	floats.Scale(f, z)
}

// returning returns the entries of level c to which x, states in service there, leads through lower levels.
func (b *boundary) returning(x []float64) []float64 { return b.rise(b.sys.c-1, b.departing(x)) }

// returns is returning as a matrix, n·K × r·K: the rate from each state in service at level c to each of its entries.
func (b *boundary) returns(ctx context.Context) block.Matrix {
	if b.flow.Data != nil {
		return b.flow
	}
	s, l := b.sys, b.sys.c-1
	n, r := s.ar.N, s.ar.Classes
	h := b.onward(ctx, l)
	defer h.Release()
	up := b.levels[l].arrival
	first := block.NewRaw(h.Rows, r*up.Cols)
	defer first.Release()
	up.MulKronRight(ctx, first, h, r)
	b.flow = block.NewRaw(n*b.departure.Rows, first.Cols)
	b.departure.KronMul(ctx, b.flow, first, n)
	return b.flow
}

// release gives back what only back substitution needs; measures are read off what remains.
func (b *boundary) release() {
	if b.flow.Data != nil {
		b.flow.Release()
	}
	for l := range b.levels[1:] {
		b.levels[1+l].excursions = block.Matrix{}
	}
	if b.storage != nil {
		b.storage.Release()
	}
	b.flow, b.storage = block.Matrix{}, nil
}
