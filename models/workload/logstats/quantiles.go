package logstats

import (
	"math"
	"slices"
)

// quantile returns the value below which a share p of sorted values lies. Between two values it interpolates linearly, so
// that the median of an even number of values is the mean of the middle two. It returns NaN of no values, or if p is not a share.
func quantile(sorted []float64, p float64) float64 {
	v := values{any: sorted}
	return v.quantileOfSorted(p)
}

// quantileOfSorted returns the [quantile] of the numbers, which must be sorted.
func (v *values) quantileOfSorted(p float64) float64 {
	n := v.len()
	if n == 0 || !(0 <= p && p <= 1) {
		return math.NaN()
	}
	below, part := placeOf(n, p)
	return between(v.at(below), v.at(min(below+1, n-1)), part)
}

// quantileBySelection returns the [quantile] of at least one value in any order, in a time proportional to their number. It puts
// the values into another order.
func quantileBySelection[T number](values []T, p float64) float64 {
	k, part := placeOf(len(values), p)
	partition(values, k)
	below, above := values[k], values[k]
	if k+1 < len(values) {
		above = slices.Min(values[k+1:])
	}
	return between(float64(below), float64(above), part)
}

// quantile returns the quantile of at least one number, and puts the numbers into another order; see [quantileBySelection].
func (v *values) quantile(p float64) float64 {
	if v.any != nil {
		return quantileBySelection(v.any, p)
	}
	return quantileBySelection(v.whole, p)
}

// placeOf returns the place of a quantile among so many sorted values, and the part of the way to the next place.
func placeOf(n int, p float64) (k int, part float64) {
	at := p * float64(n-1)
	return int(at), at - math.Floor(at)
}

// between returns the value that lies at a part of the way from one value to another.
func between(below, above, part float64) float64 { return below + part*(above-below) }

// partition moves the values such that the one at place k is where it would be if all were sorted: none before it is larger, none
// behind it is smaller.
//
// Reference: C. A. R. Hoare, Algorithm 65: Find, Communications of the ACM 4 (1961) 321–322.
func partition[T number](x []T, k int) {
	for from, to := 0, len(x)-1; from < to; {
		pivot := medianOfThree(x[from], x[from+(to-from)/2], x[to])
		i, j := from, to
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			to = j
		case k >= i:
			from = i
		default:
			return
		}
	}
}

// medianOfThree returns the middle one of three values.
func medianOfThree[T number](a, b, c T) T { return max(min(a, b), min(max(a, b), c)) }
