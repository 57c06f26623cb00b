package metric

import "math"

// subBits is the number of leading bits of the mantissa that tell classes apart. There are 2⁸ classes between a number
// and twice this number.
const subBits = 8

// Histogram counts nonnegative values in classes whose width is at most 1/256 of their values. Its memory depends on
// the range of the values and not on their number. The zero value is empty.
type Histogram struct {
	first   int       // number of the first class that is kept
	classes []counted // from first on
	zeros   float64   // values that are 0; NaN once a value was negative or NaN
	n       uint64
}

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
	k := class(x) - h.first
	if uint(k) >= uint(len(h.classes)) {
		h.widen(class(x))
		k = class(x) - h.first
	}
	c := &h.classes[k]
	c.values++
	if c.only != differ {
		c.see(x)
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
	room := max(1<<subBits, len(h.classes))
	from, to := h.first, h.first+len(h.classes)
	if len(h.classes) == 0 {
		from, to = class-room, class+room
	}
	if class < from {
		from = class - room
	}
	if class >= to {
		to = class + room
	}
	classes := make([]counted, to-from)
	if len(h.classes) > 0 {
		copy(classes[h.first-from:], h.classes)
	}
	h.first, h.classes = from, classes
}

// N returns the number of values, 0 if h is nil.
func (h *Histogram) N() uint64 {
	if h == nil {
		return 0
	}
	return h.n
}

// tail is a histogram with the numbers of values from each class on, so that above takes the same time for any number
// of classes.
type tail struct {
	*Histogram
	higher []uint64 // by class: values of the class and of those above it; a last number is 0
}

// tailOf returns histogram h with the numbers of values from each class on, for [tail.above]. h must not change
// afterwards.
func tailOf(h *Histogram) tail {
	t := tail{h, make([]uint64, len(h.classes)+1)}
	for k := len(h.classes) - 1; k >= 0; k-- {
		t.higher[k] = t.higher[k+1] + h.classes[k].values
	}
	return t
}

// above returns how many values exceed q > 0. It is exact in a class whose values are all equal: all or none exceed q.
// Other values of a class are taken to be spread evenly over it, as in [Histogram.Quantile].
func (t *tail) above(q float64) float64 {
	at, part := class(q), 0.0
	k := at - t.first
	if 0 <= k && k < len(t.classes) {
		low, high := border(at), border(at+1)
		values := float64(t.classes[k].values)
		switch only := t.classes[k].only; {
		case only == differ:
			part = values * (high - q) / (high - low)
		case only > q:
			part = values
		}
	}
	return part + float64(t.higher[min(max(0, k+1), len(t.classes))])
}

// span returns a lower and an upper bound of the positive values: borders of their classes. Both are 0 without positive
// values.
func (h *Histogram) span() (least, most float64) {
	for k, c := range h.classes {
		if c.values > 0 {
			if most == 0 {
				least = border(h.first + k)
			}
			most = border(h.first + k + 1)
		}
	}
	return least, most
}

// Merge adds the counts of o to h. o stays as it is.
func (h *Histogram) Merge(o *Histogram) {
	h.n += o.n
	h.zeros += o.zeros
	for k, c := range o.classes {
		if c.values == 0 {
			continue
		}
		at := o.first + k
		if i := at - h.first; i < 0 || i >= len(h.classes) {
			h.widen(at)
		}
		to := &h.classes[at-h.first]
		to.values += c.values
		to.see(c.only)
	}
}

// Quantile returns the p-quantile, 0 < p < 1: the least value that a share p of the values does not exceed. It is exact in a class whose
// values are all equal, as in most classes if the values are few. Other values of a class are taken to be spread evenly over it. The
// quantile is NaN for an empty histogram and for any other p.
func (h *Histogram) Quantile(p float64) float64 {
	if h.n == 0 || math.IsNaN(h.zeros) || !(p > 0 && p < 1) {
		return math.NaN()
	}
	left := p*float64(h.n) - h.zeros
	if left <= 0 {
		return 0
	}
	last := 0.0
	for k, c := range h.classes {
		if c.values == 0 {
			continue
		}
		low, high := border(h.first+k), border(h.first+k+1)
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
