package logstats

import (
	"cmp"
	"math"
	"slices"
)

// ranking is the order of values.
type ranking struct {
	sorted []float64
	ranks  []float64 // from 1, in the order of the values; equal values share the mean of their ranks
}

// rankingOf returns the order of values. The time is proportional to their number; see [sortPlaced].
func rankingOf(x []float64) ranking {
	order := make([]placed, len(x))
	for i, v := range x {
		order[i] = placed{v, i}
	}
	order = sortPlaced(order)
	r := ranking{make([]float64, len(x)), make([]float64, len(x))}
	for from := 0; from < len(x); {
		to := from + 1
		for to < len(x) && order[to].value == order[from].value {
			to++
		}
		for i, o := range order[from:to] {
			r.sorted[from+i] = o.value
			r.ranks[o.place] = float64(from+to+1) / 2
		}
		from = to
	}
	return r
}

// ranks returns the ranks of values, from 1; equal values share the mean of theirs.
func ranks(x []float64) []float64 {
	if most, small := smallWhole(x); small {
		return ranksByCounting(x, most)
	}
	return rankingOf(x).ranks
}

// placed is a value with its place in a list.
type placed struct {
	value float64
	place int
}

// leastOfRadix is the number of values from which sorting by digits takes less time than by comparisons.
const leastOfRadix = 4096

// sortPlaced returns the values from the smallest on. It overwrites the list.
//
// Many values are sorted by the digits of their bits, from the lowest digit on, each time keeping the order of equal digits. A digit that
// all values share, such as the lowest digits of whole seconds, needs no step.
//
// Reference: D. E. Knuth, The Art of Computer Programming, volume 3, 2nd ed., Addison-Wesley (1998), section 5.2.5, algorithm R.
func sortPlaced(order []placed) []placed {
	if len(order) < leastOfRadix {
		slices.SortFunc(order, func(a, b placed) int { return cmp.Compare(a.value, b.value) })
		return order
	}
	const bits = 11 // of a digit: the counts of its values stay in the cache
	var next [1 << bits]int
	other := make([]placed, len(order))
	for shift := 0; shift < 64; shift += bits {
		clear(next[:])
		digit := func(p *placed) uint64 { return sortableBits(p.value) >> shift & (1<<bits - 1) }
		for i := range order {
			next[digit(&order[i])]++
		}
		if next[digit(&order[0])] == len(order) {
			continue
		}
		before := 0
		for d, n := range next {
			next[d], before = before, before+n
		}
		for i := range order {
			d := digit(&order[i])
			other[next[d]] = order[i]
			next[d]++
		}
		order, other = other, order
	}
	return order
}

// sortableBits returns the bits of a number such that larger numbers have larger bits, as whole numbers: all bits of a negative number and
// the sign of the others are turned over.
func sortableBits(v float64) uint64 {
	b := math.Float64bits(v)
	if math.Signbit(v) {
		return ^b
	}
	return b | 1<<63
}

// sortValues sorts values, the smallest first.
func sortValues(x []float64) {
	most, small := smallWhole(x)
	if !small {
		slices.Sort(x)
		return
	}
	counts := make([]int, most+1)
	for _, v := range x {
		counts[int(v)]++
	}
	i := 0
	for v, n := range counts {
		for range n {
			x[i] = float64(v)
			i++
		}
	}
}

// smallWhole returns the largest of some values, and whether all are whole numbers from 0 to twice as many as there are values: then counts
// of each number take less time and memory than sorting.
func smallWhole(x []float64) (most int, ok bool) {
	for _, v := range x {
		if !(v >= 0 && v <= 2*float64(len(x))) || v != math.Trunc(v) {
			return 0, false
		}
		most = max(most, int(v))
	}
	return most, true
}

// ranksByCounting returns the ranks of whole numbers from 0 to most.
func ranksByCounting(x []float64, most int) []float64 {
	upTo := make([]int, most+2) // values below each number
	for _, v := range x {
		upTo[int(v)+1]++
	}
	for k := range most + 1 {
		upTo[k+1] += upTo[k]
	}
	r := make([]float64, len(x))
	for i, v := range x {
		r[i] = float64(upTo[int(v)]+upTo[int(v)+1]+1) / 2
	}
	return r
}
