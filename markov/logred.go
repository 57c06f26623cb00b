package markov

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
)

// logarithmicReduction finds the first-passage matrix G, and U from it. H and L are the probabilities that the chain,
// observed on every 2^k-th level, goes up or down next; G = L₀ + H₀·L₁ + H₀·H₁·L₂ + ⋯. Like the cyclic reduction it is
// carried out without subtractions: 1 − (HL+LH)·1 = (HH+LL)·1 gives the pivots. Cost about 15·n³ a step.
//
// Reference: G. Latouche, V. Ramaswami, A logarithmic reduction algorithm for quasi-birth-and-death processes,
// J. Appl. Probab. 30 (1993) 650–674.
func logarithmicReduction(b blocks, maxIter int) (matrix, int, error) {
	n := b.local.rows
	exit := b.up.rowSums()
	floats.Add(exit, b.down.rowSums())
	f, err := factorGTH(b.local.clone(), exit)
	if err != nil {
		return matrix{}, 0, err
	}
	h, l := b.up.clone(), b.down.clone()
	f.solve(h)
	f.solve(l)
	g, t := l.clone(), h.clone()
	for k := 1; k <= maxIter; k++ {
		hh, ll := mul(h, h), mul(l, l)
		cross := mul(h, l)
		mulAdd(cross, l, h)
		out := hh.rowSums()
		floats.Add(out, ll.rowSums())
		f, err := factorGTH(cross, out)
		if err != nil {
			return matrix{}, k, err
		}
		f.solve(hh)
		f.solve(ll)
		h, l = hh, ll
		add := mul(t, l)
		done := settledAll(g, add)
		floats.Add(g.a, add.a)
		if done {
			u := b.local.clone()
			mulAdd(u, b.up, g)
			return u, k, nil
		}
		next := newMatrix(n, n)
		mulAdd(next, t, h)
		t = next
	}
	return matrix{}, maxIter, fmt.Errorf("markov: logarithmic reduction: %w after %d steps", ErrNoConvergence, maxIter)
}

// settledAll is settled with the diagonal.
func settledAll(g, d matrix) bool {
	for i, v := range d.a {
		if v > entryTol*g.a[i] {
			return false
		}
	}
	return true
}
