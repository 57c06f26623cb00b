package reduction

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// logarithmicReduction finds the first-passage matrix G, and U from it. H and L are the probabilities that the chain,
// observed on every 2^k-th level, goes up or down next; G = L₀ + H₀·L₁ + H₀·H₁·L₂ + ⋯. Like the cyclic reduction it is
// carried out without subtractions: 1 − (HL+LH)·1 = (HH+LL)·1 gives the pivots. Cost about 15·n³ a step.
//
// Reference: G. Latouche, V. Ramaswami, A logarithmic reduction algorithm for quasi-birth-and-death processes,
// J. Appl. Probab. 30 (1993) 650–674.
func logarithmicReduction(ctx context.Context, b Blocks, maxIter int) (block.Matrix, int, error) {
	maxIter = iterations(maxIter)
	n := b.Local.Rows
	exit := b.Up.RowSums()
	floats.Add(exit, b.Down.RowSums())
	f, err := block.FactorGTH(ctx, block.CopyOf(ctx, b.Local), exit)
	if err != nil {
		return block.Matrix{}, 0, err
	}
	h, l := block.CopyOf(ctx, b.Up), block.CopyOf(ctx, b.Down)
	f.Solve(ctx, h)
	f.Solve(ctx, l)
	g, t := block.CopyOf(ctx, l), block.CopyOf(ctx, h)
	for k := 1; k <= maxIter; k++ {
		if err := ctx.Err(); err != nil {
			return block.Matrix{}, k, err
		}
		hh, ll := block.Mul(ctx, h, h), block.Mul(ctx, l, l)
		cross := block.Mul(ctx, h, l)
		block.MulAdd(ctx, cross, l, h)
		out := hh.RowSums()
		floats.Add(out, ll.RowSums())
		f, err := block.FactorGTH(ctx, cross, out)
		if err != nil {
			return block.Matrix{}, k, err
		}
		f.Solve(ctx, hh)
		f.Solve(ctx, ll)
		h, l = hh, ll
		add := block.Mul(ctx, t, l)
		done := settledAll(g, add)
		floats.Add(g.Data, add.Data)
		if done {
			u := block.CopyOf(ctx, b.Local)
			block.MulAdd(ctx, u, b.Up, g)
			return u, k, ctx.Err()
		}
		next := block.New(n, n)
		block.MulAdd(ctx, next, t, h)
		t = next
	}
	return block.Matrix{}, maxIter, fmt.Errorf("logarithmic reduction: %w after %d steps", ErrNoConvergence, maxIter)
}

// settledAll is settled with the diagonal.
func settledAll(g, d block.Matrix) bool {
	for i, v := range d.Data {
		if v > EntryTol*g.Data[i] {
			return false
		}
	}
	return true
}
