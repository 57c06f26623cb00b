package phasetype

import (
	"cmp"
	"math"
	"slices"
)

// Aggregate returns a distribution of fewer phases that is near d, and how near, as long as the distribution function
// stays within tol of that of d everywhere and the second moment within tol of it relatively. Phases that are nearly
// equal are merged, two at a time, weighted by the times spent in them, which keeps the mean; from canonical form 1
// poles are taken out that zeros nearly cancel, and the mean is restored. It begins with [Dist.Reduce]; with tol 0 it
// ends there. An acyclic d stays acyclic.
//
// What changes the second and third moment least is tried first. With n phases that costs O(n³) for each phase that is
// saved, O(n²) if d is acyclic, and a comparison with d: a second or so for each of a hundred phases.
//
// Reference: for the weights J. G. Kemeny, J. L. Snell, Finite Markov Chains, Springer, 1976, ch. 6.
func (d Dist) Aggregate(tol float64) (Dist, Difference) {
	best := d.Reduce(0)
	original := NewLaw(d)
	difference := compareLaws(NewLaw(best), original)
	for best.n > 1 {
		next, apart, ok := best.merged(original, tol)
		if !ok {
			break
		}
		best, difference = next, apart
	}
	return best, difference
}

// merged takes the phase out of d that changes it least, and reports whether the result is within tol of the original.
func (d Dist) merged(original *Law, tol float64) (Dist, Difference, bool) {
	const tries = 3 // of those that change the moments least; each is compared with the original
	m2, m3 := original.d.Moment(2), original.d.Moment(3)
	type candidate struct {
		d    Dist
		cost float64
	}
	var candidates []candidate
	for _, c := range append(d.pairwise(), d.poles()...) {
		second := math.Abs(c.Moment(2)/m2 - 1)
		cost := second + math.Abs(c.Moment(3)/m3-1)
		if second <= tol && !math.IsNaN(cost) {
			candidates = append(candidates, candidate{c, cost})
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(a.cost, b.cost) })
	for _, c := range candidates[:min(tries, len(candidates))] {
		if apart := compareLaws(NewLaw(c.d), original); apart.CDF <= tol {
			return c.d, apart, true
		}
	}
	return Dist{}, Difference{}, false
}

// pairwise returns d with two phases merged.
func (d Dist) pairwise() []Dist {
	acyclic := d.Acyclic()
	var out []Dist
	for _, p := range d.alike() {
		class := make([]int, d.n)
		for i := range class {
			switch {
			case i == p.j:
				class[i] = p.i
			case i > p.j:
				class[i] = i - 1
			default:
				class[i] = i
			}
		}
		if c := d.lump(class); c.n < d.n && (!acyclic || c.Acyclic()) {
			out = append(out, c)
		}
	}
	return out
}

// poles returns d in canonical form 1, if it has one, without one of its rates, scaled to the same mean: parallel
// phases that are nearly equal have been turned there into a pole that a zero nearly cancels.
func (d Dist) poles() []Dist {
	c, err := d.canonicalOfAcyclic()
	if err != nil || c.n < 2 {
		return nil
	}
	chain := c.chain()
	var out []Dist
	for at := range c.n {
		less, ok := chain.without(at, 1, true)
		if !ok {
			continue
		}
		e, err := less.dist(d.atom)
		if err != nil || !(e.mean > 0) {
			continue
		}
		if e, err = e.Scale(d.mean / e.mean); err == nil {
			out = append(out, e)
		}
	}
	return out
}

// pair is two phases, i < j, and how much they differ.
type pair struct {
	i, j int
	far  float64
}

// alike returns pairs of phases, those first that differ least: all of a few phases, and the nearest of many.
func (d Dist) alike() []pair {
	const most = 128
	var pairs []pair
	for j := range d.n {
		for i := range j {
			pairs = append(pairs, pair{i, j, d.apart(i, j)})
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(a.far, b.far) })
	return pairs[:min(most, len(pairs))]
}

// apart tells how much two phases differ: in the logarithms of their rates, and in where they lead to.
func (d Dist) apart(i, j int) float64 {
	ri, rj := -d.Rate(i, i), -d.Rate(j, j)
	far := math.Abs(d.exit[i]/ri - d.exit[j]/rj)
	for k := range d.n {
		if k != i && k != j {
			far += math.Abs(d.t[i*d.n+k]/ri - d.t[j*d.n+k]/rj)
		}
	}
	return far + math.Abs(math.Log(ri)-math.Log(rj))
}
