package phasetype

import (
	"math"
	"slices"
)

// Reduce returns a distribution equivalent to d, with fewer phases if these ways find any: phases that are never
// reached are left out; phases are lumped that have the same rates into every class of phases, or out of every class;
// an acyclic representation is turned into canonical form 1 and loses the phases whose pole is cancelled by a zero, as
// long as alpha remains nonnegative. Compare its order with [Dist.Degree]: if they agree, no representation is smaller.
// tol is the relative difference that counts as rounding, 1e-10 if it is not positive. A result that differs from d by
// more, in the sense of [Compare], is not returned; then it is d with unreached phases left out. That comparison costs
// O(n³), some seconds for several hundred phases.
//
// Reference: P. Buchholz, Exact and ordinary lumpability in finite Markov chains, J. Appl. Probab. 31 (1994) 59–75.
func (d Dist) Reduce(tol float64) Dist {
	if !(tol > 0) {
		tol = defaultTol
	}
	if d.IsZero() {
		return Dist{}
	}
	d = d.pruned()
	law := NewLaw(d)
	for same := tol; same >= 0x1p-52; same /= 100 { // what is small in a representation may matter in the tail
		less := d.smaller(same)
		if less.n == d.n {
			break
		}
		if compareLaws(NewLaw(less), law).within(tol) {
			return less
		}
	}
	return d
}

// smaller tries to leave out phases, with the differences that tol allows.
func (d Dist) smaller(tol float64) Dist {
	best := d
	for again := true; again; {
		n := best.n
		best = best.lump(best.ordinary(tol))
		best = best.lump(best.exact(tol))
		again = best.n < n
	}
	if c, err := best.snapped(tol).canonicalOfAcyclic(); err == nil {
		if less, err := c.chain().cancelled(tol, true).dist(d.atom); err == nil && less.n < best.n {
			return less
		}
	}
	return best
}

// snapped returns d with rates of leaving phases that are the same up to tol made equal: else a phase to spare would
// remain, entered with the probability of a rounding error.
func (d Dist) snapped(tol float64) Dist {
	rates := d.chain().rates
	slices.Sort(rates)
	start := 0 // of a run of rates that are the same
	snap := make(map[float64]float64, d.n)
	for k, r := range rates {
		if r-rates[start] > tol*r {
			start = k
		}
		snap[r] = rates[start]
	}
	moves, exit := append([]float64(nil), d.t...), append([]float64(nil), d.exit...)
	changed := false
	for i := range d.n {
		r := -d.Rate(i, i)
		by := snap[r] / r
		changed = changed || by != 1
		moves[i*d.n+i] = 0
		exit[i] *= by
		for j := range d.n {
			moves[i*d.n+j] *= by
		}
	}
	if !changed {
		return d
	}
	out, err := fromRates(d.alpha, moves, exit)
	if err != nil {
		return d
	}
	return out
}

// pruned returns d without the phases that are never reached.
func (d Dist) pruned() Dist {
	class := make([]int, d.n)
	n := 0
	for i, ok := range d.reached() {
		class[i] = -1
		if ok {
			class[i] = n
			n++
		}
	}
	if n == d.n {
		return d
	}
	return d.lump(class)
}

// lump returns the chain of classes of phases, those of a negative class left out. The phases of a class are weighted
// by the expected times spent in them, so that the expected times spent in the classes, and with them the mean, remain.
//
// Reference: J. G. Kemeny, J. L. Snell, Finite Markov Chains, Springer, 1976, ch. 6.
func (d Dist) lump(class []int) Dist {
	n := slices.Max(class) + 1
	if n == d.n {
		return d
	}
	weight := append([]float64(nil), d.alpha...)
	d.eliminate().solveRow(weight)
	alpha := make([]float64, n)
	for i, c := range class {
		if c >= 0 {
			alpha[c] += d.alpha[i]
		}
	}
	moves, exit := make([]float64, n*n), make([]float64, n)
	seen := make([]float64, n)
	row := make([]float64, n)
	for i, c := range class {
		if c < 0 {
			continue
		}
		clear(row)
		for j, to := range class {
			if to >= 0 && to != c {
				row[to] += d.t[i*d.n+j]
			}
		}
		// The mean so far moves towards each member by its share, so that rows that are the same stay as they are.
		seen[c] += weight[i]
		share := weight[i] / seen[c]
		exit[c] += share * (d.exit[i] - exit[c])
		for to, q := range row {
			moves[c*n+to] += share * (q - moves[c*n+to])
		}
	}
	out, err := fromRates(alpha, moves, exit)
	if err != nil { // weights that underflow
		return d
	}
	return out
}

// ordinary returns the coarsest classes of phases with the same exit rate and the same rates into every other class.
func (d Dist) ordinary(tol float64) []int {
	return refine(make([]int, d.n), tol, func(row []float64, i int, class []int) {
		row[len(row)-1] = d.exit[i]
		for j, c := range class {
			if c != class[i] {
				row[c] += d.t[i*d.n+j]
			}
		}
	})
}

// exact returns the coarsest classes of phases with the same initial probability, in which the same flow comes from
// every class, what each loses being part of what it gets from its own.
func (d Dist) exact(tol float64) []int {
	var scale float64
	for i := range d.n {
		scale = math.Max(scale, -d.Rate(i, i))
	}
	return refine(make([]int, d.n), tol, func(row []float64, j int, class []int) {
		row[len(row)-1] = d.alpha[j] * scale
		for i, c := range class {
			row[c] += d.t[i*d.n+j]
		}
	})
}

// refine splits classes of phases until all members of each have the same rows up to tol, relative to the largest entry
// of either. row has an entry for each class and one more.
func refine(class []int, tol float64, fill func(row []float64, i int, class []int)) []int {
	n := len(class)
	count := 1
	for {
		type kind struct {
			class int
			row   []float64
		}
		var kinds []kind
		next := make([]int, n)
		for i := range n {
			row := make([]float64, count+1)
			fill(row, i, class)
			next[i] = slices.IndexFunc(kinds, func(k kind) bool { return k.class == class[i] && same(k.row, row, tol) })
			if next[i] < 0 {
				next[i] = len(kinds)
				kinds = append(kinds, kind{class[i], row})
			}
		}
		if len(kinds) == count {
			return next
		}
		class, count = next, len(kinds)
	}
}

func same(a, b []float64, tol float64) bool {
	var scale float64
	for i := range a {
		scale = math.Max(scale, math.Max(math.Abs(a[i]), math.Abs(b[i])))
	}
	for i := range a {
		if math.Abs(a[i]-b[i]) > tol*scale {
			return false
		}
	}
	return true
}
