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

// rankingOf returns the order of values. The time is proportional to their number; see [sortedPlaces].
func rankingOf(x []float64) ranking {
	r := ranking{make([]float64, len(x)), make([]float64, len(x))}
	eachTie(x, func(from, to int, equal []uint32) {
		for i, place := range equal {
			r.sorted[from+i] = x[place]
			r.ranks[place] = float64(from+to+1) / 2
		}
	})
	return r
}

// ranks returns the ranks of values, from 1; equal values share the mean of theirs.
func ranks(x []float64) []float64 { return rankingOf(x).ranks }

// twiceRanks returns twice the ranks of values, from 1; equal values share the mean of theirs. Twice a rank is a whole number.
// The result takes the memory of the values.
func twiceRanks(v values) values {
	twice := v.whole
	switch most, small := smallWhole(v.whole); {
	case v.any != nil:
		twice = make([]uint32, v.len())
		twiceRanksBySorting(v.any, twice)
	case small:
		twiceRanksByCounting(v.whole, most)
	default:
		twiceRanksBySorting(v.whole, twice)
	}
	return values{whole: twice}
}

// twiceRanksBySorting sets the list twice to twice the ranks of the values x. Both may be the same list.
func twiceRanksBySorting[T number](x []T, twice []uint32) {
	eachTie(x, func(from, to int, equal []uint32) {
		for _, place := range equal {
			twice[place] = uint32(from + to + 1)
		}
	})
}

// twiceRanksByCounting replaces whole numbers from 0 to most by twice their ranks.
func twiceRanksByCounting(x []uint32, most int) {
	upTo := make([]uint32, most+2) // values below each number
	for _, v := range x {
		upTo[v+1]++
	}
	for k := range most + 1 {
		upTo[k+1] += upTo[k]
	}
	for i, v := range x {
		x[i] = upTo[v] + upTo[v+1] + 1
	}
}

// eachTie calls take for the places of each set of equal values, from the smallest value on: the values have the places from and
// on, and before to, in the order of all values. take may overwrite the values that it was given.
func eachTie[T number](x []T, take func(from, to int, equal []uint32)) {
	order := sortedPlaces(x)
	for from := 0; from < len(x); {
		value, to := x[order[from]], from+1
		for to < len(x) && x[order[to]] == value {
			to++
		}
		take(from, to, order[from:to])
		from = to
	}
}

// leastOfRadix is the number of values from which sorting by digits takes less time than by comparisons.
const leastOfRadix = 4096

// sortedPlaces returns the places of the values, from the smallest value on, in 8 bytes a value meanwhile.
//
// Many values are sorted by the digits of their bits, from the lowest digit on, each time keeping the order of equal digits. A
// digit that all values share, such as the lowest digits of whole seconds, needs no step.
//
// Reference: D. E. Knuth, The Art of Computer Programming, volume 3, 2nd ed., Addison-Wesley (1998), section 5.2.5, algorithm R.
func sortedPlaces[T number](x []T) []uint32 {
	order := make([]uint32, len(x))
	for i := range order {
		order[i] = uint32(i)
	}
	if len(x) < leastOfRadix {
		slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(x[a], x[b]) })
		return order
	}
	const bits = 11 // of a digit: the counts of its values stay in the cache
	var next [1 << bits]uint32
	other := make([]uint32, len(order))
	for shift := 0; shift < 64; shift += bits {
		clear(next[:])
		digit := func(v T) uint64 { return sortableBits(float64(v)) >> shift & (1<<bits - 1) }
		for _, v := range x {
			next[digit(v)]++
		}
		if int(next[digit(x[0])]) == len(x) {
			continue
		}
		before := uint32(0)
		for d, n := range next {
			next[d], before = before, before+n
		}
		for _, place := range order {
			d := digit(x[place])
			other[next[d]] = place
			next[d]++
		}
		order, other = other, order
	}
	return order
}

// sortableBits returns the bits of a number such that larger numbers have larger bits, as whole numbers: all bits of a negative
// number and the sign of the others are turned over.
func sortableBits(v float64) uint64 {
	b := math.Float64bits(v)
	if math.Signbit(v) {
		return ^b
	}
	return b | 1<<63
}

// sort sorts the numbers, the smallest first.
func (v *values) sort() {
	most, small := smallWhole(v.whole)
	switch {
	case v.any != nil:
		slices.Sort(v.any)
	case !small:
		slices.Sort(v.whole)
	default:
		sortByCounting(v.whole, most)
	}
}

// sortByCounting sorts whole numbers from 0 to most, the smallest first.
func sortByCounting(x []uint32, most int) {
	counts := make([]uint32, most+1)
	for _, v := range x {
		counts[v]++
	}
	i := 0
	for v, n := range counts {
		for range n {
			x[i] = uint32(v)
			i++
		}
	}
}

// smallWhole returns the largest of some numbers, and whether all are at most twice as many as there are numbers: then counts of each
// number take less time and memory than sorting.
func smallWhole(x []uint32) (most int, ok bool) {
	for _, v := range x {
		if int64(v) > 2*int64(len(x)) {
			return 0, false
		}
		most = max(most, int(v))
	}
	return most, true
}
