package multiserver

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/spectrum"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// one weighs all modes alike.
func one(spectrum.Mode) complex128 { return 1 }

// vectors returns Re Σ_j b_j·weight(j)·(a_j ⊗ ψ_j) for each of the weights.
func (rp *repeatingPart) vectors(weights ...func(spectrum.Mode) complex128) [][]float64 {
	of := make([]func(int) complex128, len(weights))
	for i, weight := range weights {
		of[i] = func(j int) complex128 { return weight(rp.List[j]) }
	}
	return rp.weighted(of)
}

// weighted is vectors for weights by the number of the mode.
func (rp *repeatingPart) weighted(weights []func(int) complex128) [][]float64 {
	n := rp.sys.ar.N
	shares := block.NewRaw(n*len(weights), rp.Psi.Rows) // of the rows of psi
	defer shares.Release()
	for j, m := range rp.List {
		for i, weight := range weights {
			w := rp.b[j] * weight(j)
			for a, v := range m.A {
				row := shares.Row(i*n + a)[m.Row:]
				row[0] = real(w * v)
				if m.Pair {
					row[1] = -imag(w * v)
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
// ((A⊗I)·y + x_{c+1}·(I⊗V))·T⁻¹.
func (rp *repeatingPart) levelCByModes(ctx context.Context, b *boundary) (entry, inService []float64, err error) {
	if rp.balance, err = rp.solveBalance(ctx, b); err != nil {
		return nil, nil, err
	}
	rp.b = rp.FromReal(rp.balance.b)
	levels := rp.vectors(one, ratio)
	for _, v := range levels {
		if err := checkNegative(v); err != nil {
			return nil, nil, err
		}
	}
	return rp.levelCOfModes(ctx, b, levels)
}

// levelCOfModes takes the step from levels c and c+1 as the modes give them.
func (rp *repeatingPart) levelCOfModes(ctx context.Context, b *boundary, levels [][]float64) (
	entry, inService []float64, err error) {
	x, next := levels[0], levels[1]
	if entry, err = b.returning(ctx, x); err != nil {
		return nil, nil, err
	}
	inService = make([]float64, len(x))
	statespace.KronVec(inService, entry, rp.sys.ar.A, rp.k)
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
	if total := block.Sum(x); !(negative <= negativeTol*total) {
		return fmt.Errorf("spectral expansion: %.1g of a level is negative: %w", negative/total, markov.ErrInaccurate)
	}
	return nil
}

// sumsOfModes returns Σ_k k(k−1)…·x_{c+k} for no, one and two factors, levelC being x_c.
func (rp *repeatingPart) sumsOfModes(levelC []float64) (x [3][]float64) {
	copy(x[:], rp.vectors(
		func(m spectrum.Mode) complex128 { return m.Z / m.Gap },
		func(m spectrum.Mode) complex128 { return m.Z / (m.Gap * m.Gap) },
		func(m spectrum.Mode) complex128 { return 2 * m.Z * m.Z / (m.Gap * m.Gap * m.Gap) },
	))
	floats.Add(x[0], levelC)
	return x
}

// mass returns Σ_j b_j·weight(j)·z_j^k·|a_j ⊗ ψ_j|, k levels above that of the coefficients.
func (rp *repeatingPart) mass(k int, weight func(spectrum.Mode) complex128) float64 {
	total := 0.0
	for j, m := range rp.List {
		total += real(rp.b[j] * weight(m) * m.Power(k) * m.Total)
	}
	return total
}

// ratio weighs modes as one level higher.
func ratio(m spectrum.Mode) complex128 { return m.Z }

// tail weighs modes by their sum over all further levels.
func tail(m spectrum.Mode) complex128 { return 1 / m.Gap }
