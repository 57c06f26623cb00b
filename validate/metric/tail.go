package metric

import (
	"cmp"
	"slices"
)

// tail holds the occupied classes of a histogram with the numbers of values from each class on. So [tail.above] finds a
// number of values by a binary search.
type tail struct {
	n       float64 // values of the histogram, zeros included
	classes []tailClass
}

// tailClass is a class in a [tail].
type tailClass struct {
	number int
	only   float64 // as in counted
	values uint64  // values of the class
	higher uint64  // values of higher classes
}

// tailOf returns the tail of histogram h. It does not follow later changes of h.
func tailOf(h *Histogram) tail {
	t := tail{float64(h.N()), make([]tailClass, 0, max(len(h.few), len(h.classes)))}
	for number, c := range h.occupied() {
		t.classes = append(t.classes, tailClass{number: number, only: c.only, values: c.values})
	}
	higher := uint64(0)
	for k, c := range slices.Backward(t.classes) {
		t.classes[k].higher = higher
		higher += c.values
	}
	return t
}

// above returns how many values exceed q > 0. It is exact in a class whose values are all equal: all or none exceed q.
// Other values of a class are taken to be spread evenly over it, as in [Histogram.Quantile].
func (t *tail) above(q float64) float64 {
	at := class(q)
	k, found := slices.BinarySearchFunc(t.classes, at, func(c tailClass, number int) int { return cmp.Compare(c.number, number) })
	if k == len(t.classes) {
		return 0
	}
	c := &t.classes[k]
	part := float64(c.values)
	switch low, high := border(at), border(at+1); {
	case !found: // the class is higher than that of q
	case c.only == differ:
		part = part * (high - q) / (high - low)
	case c.only <= q:
		part = 0
	}
	return part + float64(c.higher)
}
