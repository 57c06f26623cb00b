package phasetype

import (
	"context"
	"math"
	"slices"
)

// defaultTol is the relative size of changes of a representation that Reduce takes for rounding.
const defaultTol = 1e-10

// Reduce returns a distribution equivalent to d, with fewer phases if it finds any to save. It omits phases that cannot
// be reached, and lumps phases that have the same rates into every class of phases, or out of every class. An acyclic
// representation is converted to canonical form 1 and loses the phases whose pole is cancelled by a zero, as long as
// alpha stays nonnegative.
//
// tol is the relative difference that counts as rounding, 1e-10 if it is not positive. If the result differs from d by
// more, in the sense of [Compare], the phases that can be reached are returned as they are. With hundreds of phases
// this takes many seconds. The error is that of ctx if it ends.
//
// Reference: P. Buchholz, Exact and ordinary lumpability in finite Markov chains, J. Appl. Probab. 31 (1994) 59–75.
func (d Dist) Reduce(ctx context.Context, tol float64) (Dist, error) {
	if err := begin(ctx); err != nil {
		return Dist{}, err
	}
	reduced := d.reduced(ctx, tol)
	if err := begin(ctx); err != nil {
		return Dist{}, err
	}
	return reduced, nil
}

// reduced is Reduce; what it returns after ctx has ended is meaningless.
func (d Dist) reduced(ctx context.Context, tol float64) Dist {
	if !(tol > 0) {
		tol = defaultTol
	}
	if d.IsZero() {
		return Dist{}
	}
	d = d.pruned()
	law := NewLaw(d)
	for same := tol; same >= 0x1p-52; same /= 100 { // a small change of a representation may be a large one of the tail
		smaller := d.smaller(ctx, same)
		if smaller.n == d.n || ctx.Err() != nil {
			break
		}
		if compareLaws(ctx, NewLaw(smaller), law).Within(tol) {
			return smaller
		}
	}
	return d
}

// smaller returns d with fewer phases, taking differences up to tol for rounding.
func (d Dist) smaller(ctx context.Context, tol float64) Dist {
	best := d
	for again := true; again; {
		n := best.n
		best = best.lump(best.ordinary(ctx, tol))
		best = best.lump(best.exact(ctx, tol))
		again = best.n < n && ctx.Err() == nil
	}
	if c, err := best.snapped(tol).canonicalOfAcyclic(ctx); err == nil {
		if shorter, err := c.chain().cancelled(ctx, tol).dist(d.atom); err == nil && shorter.n < best.n {
			return shorter
		}
	}
	return best
}

// snapped returns d with rates out of phases that differ by at most tol made equal. Otherwise a superfluous phase would
// remain, entered with a probability that is only a rounding error.
func (d Dist) snapped(tol float64) Dist {
	rates := d.chain().rates
	slices.Sort(rates)
	start := 0 // of a run of equal rates
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

// pruned returns d without the phases that cannot be reached.
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

// lump returns the chain of classes of phases, without the phases of a negative class. The phases of a class are
// weighted by the expected times spent in them, which preserves the expected times spent in the classes, and so the
// mean.
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
		// Updating the mean member by member leaves rows that are equal unchanged by rounding.
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
func (d Dist) ordinary(ctx context.Context, tol float64) []int {
	return refine(ctx, make([]int, d.n), tol, func(row []float64, i int, class []int) {
		row[len(row)-1] = d.exit[i]
		for j, c := range class {
			if c != class[i] {
				row[c] += d.t[i*d.n+j]
			}
		}
	})
}

// exact returns the coarsest classes of phases with the same initial probability and the same rates from every class;
// the rates from a phase's own class include its diagonal.
func (d Dist) exact(ctx context.Context, tol float64) []int {
	var scale float64
	for i := range d.n {
		scale = math.Max(scale, -d.Rate(i, i))
	}
	return refine(ctx, make([]int, d.n), tol, func(row []float64, j int, class []int) {
		row[len(row)-1] = d.alpha[j] * scale
		for i, c := range class {
			row[c] += d.t[i*d.n+j]
		}
	})
}

// refine splits classes of phases until all members of a class have the same rows up to tol, relative to the largest
// entry. A row has an entry for each class and one more. When ctx ends it returns classes of one phase each.
func refine(ctx context.Context, class []int, tol float64, fill func(row []float64, i int, class []int)) []int {
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
			if ctx.Err() != nil {
				return singletons(n)
			}
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

// singletons returns n classes of one phase each.
func singletons(n int) []int {
	class := make([]int, n)
	for i := range class {
		class[i] = i
	}
	return class
}

// same reports whether the entries differ by at most tol times the largest.
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
