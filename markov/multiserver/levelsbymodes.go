package multiserver

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/spectrum"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// vectors returns the sums of the modes with each of the weights.
func (rp *repeatingPart) vectors(weights ...spectrum.Weight) [][]float64 {
	n, o := rp.sys.ar.N, rp.Order()
	w := make([]complex128, o)
	all := rp.Combined(n*len(weights), func(to []complex128, j int) {
		for i, weight := range weights {
			copy(w, rp.b[j*o:])
			weight(j, w)
			rp.Vector(to[i*n:(i+1)*n], j, w)
		}
	})
	x := make([][]float64, len(weights))
	for i := range x {
		x[i] = all.RowRange(i*n, (i+1)*n).Data
	}
	return x
}

// levelCByModes is levelCByMatrices by modes. Where they nearly cancel, occupancies that are rare among those of level c lose
// digits; one step of the balance equations, which are sums of nonnegative terms, gives them back: y = x·flow and x_c =
// (y·(A⊗I) + x_{c+1}·(I⊗V))·T⁻¹, where the row A is that of arrivals whose
// switch-over ends before the next arrival.
func (rp *repeatingPart) levelCByModes(ctx context.Context, b *boundary) (entry, inService []float64, err error) {
	if rp.balance, err = rp.solveBalance(ctx, b); err != nil {
		return nil, nil, err
	}
	rp.b = rp.balance.positive(rp.balance.b)
	levels := rp.vectors(rp.AtLevel(0), rp.AtLevel(1))
	for _, v := range levels {
		if err := checkNegative(v); err != nil {
			return nil, nil, err
		}
	}
	if entry, inService, err = rp.levelCOfModes(ctx, b, levels); err == nil {
		rp.step = floats.SubTo(levels[0], levels[0], inService)
	}
	return entry, inService, err
}

// levelCOfModes takes the step from levels c and c+1 as the modes give them.
func (rp *repeatingPart) levelCOfModes(ctx context.Context, b *boundary, levels [][]float64) (
	entry, inService []float64, err error) {
	x, next := levels[0], levels[1]
	entry = b.returning(x)
	inService = make([]float64, len(x))
	rp.beginning(inService, entry)
	rp.refill.KronLeft(inService, next, rp.sys.ar.N)
	t, err := rp.sys.inServiceBlock(ctx, rp.sys.c, &rp.moves)
	if err != nil {
		return nil, nil, err
	}
	t.SolveLeft(inService)
	return entry, inService, nil
}

// negativeTol is the share of a vector that rounding may have made negative.
const negativeTol = 1e-8

// checkNegative refuses a vector whose negative entries matter. Those that do not matter are kept: errors of modes cancel in what
// follows from all entries together, and would not if entries of one sign were set to zero.
func checkNegative(x []float64) error {
	negative := 0.0
	for _, v := range x {
		negative -= min(0, v)
	}
	total := block.Sum(x)
	if math.IsNaN(total) || total == 0 {
		return fmt.Errorf("spectral expansion: a level has no probabilities: %w", markov.ErrInaccurate)
	}
	if !(negative <= negativeTol*total) {
		return fmt.Errorf("spectral expansion: %.1g of a level is negative: %w", negative/total, markov.ErrInaccurate)
	}
	return nil
}

// beginning adds the flows by which service begins at level c, entry being the entries of it.
func (rp *repeatingPart) beginning(to, entry []float64) {
	g, k := rp.switchOver, rp.k
	if g.phases == 0 {
		statespace.KronVec(to, entry, rp.sys.ar.A, k)
		return
	}
	statespace.KronVec(to, floats.ScaleTo(make([]float64, len(entry)), g.atom, entry), rp.sys.ar.A, k)
	statespace.KronVec(to, rp.started(entry), g.ending, k)
}

// sumsOfModes returns Σ_k k(k−1)…·x_{c+k} for no, one and two factors, levelC being x_c.
func (rp *repeatingPart) sumsOfModes(levelC []float64) (x [3][]float64) {
	copy(x[:], rp.vectors(rp.Moment(0), rp.Moment(1), rp.Moment(2)))
	floats.Add(x[0], levelC)
	return x
}

// massOfModes returns the sum of the elements of vectors.
func (rp *repeatingPart) massOfModes(weight spectrum.Weight) float64 {
	total := 0.0
	o := rp.Order()
	w := make([]complex128, o)
	for j := range rp.List {
		copy(w, rp.b[j*o:])
		weight(j, w)
		total += real(rp.Mass(j, w))
	}
	return total
}
