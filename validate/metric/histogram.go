package metric

import (
	"iter"
	"math"
	"slices"
)

// subBits is the number of leading bits of the mantissa that tell classes apart. There are 2⁸ classes between a number
// and twice this number.
const subBits = 8

// Histogram counts nonnegative values in classes whose width is at most 1/256 of their values. Its memory depends on
// the range of the values and not on their number. The zero value is empty.
//
// Classes take 4 kB for each doubling of the values. The first 512 positive values are therefore kept in order, and only
// with more values put into classes. Sections of a few hundred values then take a tenth of the memory, whose pages took
// most of the time of their quantiles. Results are the same as with classes.
type Histogram struct {
	few     []float64 // the positive values in order, until there are more than mostFew
	first   int       // number of the first class that is kept
	classes []counted // from first on; nil while few holds the values
	zeros   float64   // values that are 0; NaN once a value was negative or NaN
	n       uint64
}

// mostFew is the largest number of values that a [Histogram] keeps as they are.
const mostFew = 512

// counted is a class of a [Histogram].
type counted struct {
	values uint64  // how many there are
	only   float64 // the value, if all are equal; 0 without values, and differ if they are not equal
}

// differ is the mark of a class whose values are not all equal; values of classes are positive.
const differ = -1

// class returns the number of the class of a value, at least leastNormal: the exponent and the leading subBits bits of
// the mantissa of its representation. Larger values have the same or a larger class.
func class(x float64) int { return int(math.Float64bits(x) >> (52 - subBits)) }

// border returns the least value of a class. The class ends where the next one begins.
func border(class int) float64 { return math.Float64frombits(uint64(class) << (52 - subBits)) }

// leastNormal is the smallest normal number. Smaller numbers have fewer leading bits than a class needs; they count as
// zero.
const leastNormal = 0x1p-1022

// Add counts a value. A value below leastNormal counts as 0. Once a value was negative or NaN, quantiles are NaN.
func (h *Histogram) Add(x float64) {
	h.n++
	if !(x >= leastNormal) {
		h.zeros++
		if !(x >= 0) {
			h.zeros = math.NaN()
		}
		return
	}
	h.put(x)
}

// put adds a positive value, at least leastNormal, to the values that are kept or to its class. It does not count in h.n.
func (h *Histogram) put(x float64) {
	if h.classes == nil {
		if len(h.few) < mostFew {
			at, _ := slices.BinarySearch(h.few, x)
			h.few = slices.Insert(h.few, at, x)
			return
		}
		h.classify()
	}
	c := h.at(class(x))
	c.values++
	if c.only != differ {
		c.see(x)
	}
}

// at returns a class, which h keeps from now on. It is valid until h is widened.
func (h *Histogram) at(number int) *counted {
	if k := number - h.first; uint(k) >= uint(len(h.classes)) {
		h.widen(number)
	}
	return &h.classes[number-h.first]
}

// classify puts the values that are kept as they are into classes, from a doubling below the least value to a doubling
// above the largest.
func (h *Histogram) classify() {
	few := h.few
	h.few = nil
	h.first = class(few[0]) - 1<<subBits
	h.classes = make([]counted, class(few[len(few)-1])+1<<subBits-h.first)
	for _, x := range few {
		h.put(x)
	}
}

// addAll counts values, as [Histogram.Add] does. Most are in a class that is kept and has different values already: the
// loop counts them without a call.
func (h *Histogram) addAll(values []float64) {
	first, classes, counted := h.first, h.classes, uint64(0)
	for _, x := range values {
		k := class(x) - first
		if uint(k) < uint(len(classes)) && classes[k].only == differ { // no zero, negative number or NaN has such a class
			classes[k].values++
			counted++
			continue
		}
		h.Add(x)
		first, classes = h.first, h.classes
	}
	h.n += counted
}

// see takes note of a value of the class, or of the mark that values differ.
func (c *counted) see(x float64) {
	switch c.only {
	case 0:
		c.only = x
	case x:
	default:
		c.only = differ
	}
}

// widen extends h.classes to a class outside of it; the new classes are empty. It adds spare classes on the same side, in
// proportion to the width of the histogram, so that repeated widening takes little time. h.first becomes the first
// class that is kept.
func (h *Histogram) widen(class int) {
	room := max(1<<subBits, len(h.classes)/2)
	from, to := h.first, h.first+len(h.classes)
	if class < from {
		from = class - room
	}
	if class >= to {
		to = class + room
	}
	classes := make([]counted, to-from)
	copy(classes[h.first-from:], h.classes)
	h.first, h.classes = from, classes
}

// occupied returns the classes that have values, by increasing number.
func (h *Histogram) occupied() iter.Seq2[int, counted] {
	if h.classes == nil {
		return occupiedBy(h.few)
	}
	return func(yield func(int, counted) bool) {
		for k, c := range h.classes {
			if c.values > 0 && !yield(h.first+k, c) {
				return
			}
		}
	}
}

// occupiedBy returns the classes of positive values that are sorted.
func occupiedBy(sorted []float64) iter.Seq2[int, counted] {
	return func(yield func(int, counted) bool) {
		for at := 0; at < len(sorted); {
			number, c := class(sorted[at]), counted{}
			for at < len(sorted) && class(sorted[at]) == number {
				c.values++
				c.see(sorted[at])
				at++
			}
			if !yield(number, c) {
				return
			}
		}
	}
}

// N returns the number of values, 0 if h is nil.
func (h *Histogram) N() uint64 {
	if h == nil {
		return 0
	}
	return h.n
}

// span returns a lower and an upper bound of the positive values: borders of their classes. Both are 0 without positive
// values.
func (h *Histogram) span() (least, most float64) {
	for number := range h.occupied() {
		if most == 0 {
			least = border(number)
		}
		most = border(number + 1)
	}
	return least, most
}

// clear removes all values. Classes that are kept remain, without values.
func (h *Histogram) clear() {
	h.few, h.zeros, h.n = h.few[:0], 0, 0
	clear(h.classes)
}

// clone returns a copy, which shares nothing with h.
func (h *Histogram) clone() Histogram {
	c := *h
	c.few, c.classes = slices.Clone(h.few), slices.Clone(h.classes)
	return c
}

// Merge adds the counts of o to h. o stays as it is.
func (h *Histogram) Merge(o *Histogram) {
	if h.n == 0 {
		*h = o.clone()
		return
	}
	h.n += o.n
	h.zeros += o.zeros
	for _, x := range o.few {
		h.put(x)
	}
	if o.classes == nil {
		return
	}
	if h.classes == nil {
		few := h.few
		h.few, h.first, h.classes = nil, o.first, make([]counted, len(o.classes))
		for _, x := range few {
			h.put(x)
		}
	}
	for k, c := range o.classes {
		if c.values > 0 {
			to := h.at(o.first + k)
			to.values += c.values
			to.see(c.only)
		}
	}
}

// Quantile returns the p-quantile, 0 < p < 1: the least value that a share p of the values does not exceed. It is exact in a
// class whose values are all equal, as in most classes if the values are few. Other values of a class are taken to be spread
// evenly over it. The quantile is NaN for an empty histogram and for any other p.
func (h *Histogram) Quantile(p float64) float64 {
	if h.n == 0 || math.IsNaN(h.zeros) || !(p > 0 && p < 1) {
		return math.NaN()
	}
	left := p*float64(h.n) - h.zeros
	if left <= 0 {
		return 0
	}
	last := 0.0
	for number, c := range h.occupied() {
		low, high := border(number), border(number+1)
		switch {
		case left > float64(c.values):
			left -= float64(c.values)
			last = high
		case c.only != differ:
			return c.only
		default:
			return low + (high-low)*left/float64(c.values)
		}
	}
	return last
}
