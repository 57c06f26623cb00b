package reduction

import (
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
func logarithmicReduction(b Blocks, maxIter int) (block.Matrix, int, error) {
	maxIter = iterations(maxIter)
	n := b.Local.Rows
	exit := b.Up.RowSums()
	floats.Add(exit, b.Down.RowSums())
	f, err := block.FactorGTH(b.Local.Clone(), exit)
	if err != nil {
		return block.Matrix{}, 0, err
	}
	h, l := b.Up.Clone(), b.Down.Clone()
	f.Solve(h)
	f.Solve(l)
	g, t := l.Clone(), h.Clone()
	for k := 1; k <= maxIter; k++ {
		hh, ll := block.Mul(h, h), block.Mul(l, l)
		cross := block.Mul(h, l)
		block.MulAdd(cross, l, h)
		out := hh.RowSums()
		floats.Add(out, ll.RowSums())
		f, err := block.FactorGTH(cross, out)
		if err != nil {
			return block.Matrix{}, k, err
		}
		f.Solve(hh)
		f.Solve(ll)
		h, l = hh, ll
		add := block.Mul(t, l)
		done := settledAll(g, add)
		floats.Add(g.Data, add.Data)
		if done {
			u := b.Local.Clone()
			block.MulAdd(u, b.Up, g)
			return u, k, nil
		}
		next := block.New(n, n)
		block.MulAdd(next, t, h)
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
