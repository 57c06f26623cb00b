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

// vectors returns Re Σ_j b_j·(own_j·a_j + unfinished_j·o) ⊗ ψ_j for each of the weights.
func (rp *repeatingPart) vectors(weights ...func(j int) spectrum.Weight) [][]float64 {
	n := rp.sys.ar.N
	shares := block.NewRaw(n*len(weights), rp.Psi.Rows) // of the rows of psi
	defer shares.Release()
	phases := make([]complex128, n)
	for j, m := range rp.List {
		for i, weight := range weights {
			rp.Vector(phases, j, weight(j))
			for a, v := range phases {
				v *= rp.b[j]
				row := shares.Row(i*n + a)[m.Row:]
				row[0] = real(v)
				if m.Pair {
					row[1] = -imag(v)
				}
			}
		}
	}
	all := block.New(shares.Rows, rp.k)
	block.FewMulAdd(all, shares, rp.Psi)
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
	rp.b = rp.FromReal(rp.balance.b)
	levels := rp.vectors(rp.AtLevel(0), rp.AtLevel(1))
	for _, v := range levels {
		if err := checkNegative(v); err != nil {
			return nil, nil, err
		}
	}
	if entry, inService, err = rp.levelCOfModes(ctx, b, levels); err == nil {
		rp.step = floats.SubTo(levels[0], levels[0], inService)
		rp.balance.trim()
	}
	return entry, inService, err
}

// levelCOfModes takes the step from levels c and c+1 as the modes give them.
func (rp *repeatingPart) levelCOfModes(ctx context.Context, b *boundary, levels [][]float64) (
	entry, inService []float64, err error) {
	x, next := levels[0], levels[1]
	if entry, err = b.returning(ctx, x); err != nil {
		return nil, nil, err
	}
	inService = make([]float64, len(x))
	statespace.KronVec(inService, entry, rp.beginning(), rp.k)
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

// beginning returns the phases of the arrivals in which service begins after an entry of level c, before the next arrival, by
// class of the entry.
func (rp *repeatingPart) beginning() block.Matrix {
	if rp.SwitchOver != nil {
		return rp.switchOver.ending
	}
	return rp.sys.ar.A
}

// sumsOfModes returns Σ_k k(k−1)…·x_{c+k} for no, one and two factors, levelC being x_c.
func (rp *repeatingPart) sumsOfModes(levelC []float64) (x [3][]float64) {
	copy(x[:], rp.vectors(rp.Moment(0), rp.Moment(1), rp.Moment(2)))
	floats.Add(x[0], levelC)
	return x
}

// massOfModes returns the sum of the elements of vectors.
func (rp *repeatingPart) massOfModes(weight func(j int) spectrum.Weight) float64 {
	total := 0.0
	for j, b := range rp.b {
		total += real(b * rp.Mass(j, weight(j)))
	}
	return total
}
