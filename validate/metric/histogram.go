package metric

import "math"

// subBits is the number of leading bits of the mantissa that tell classes apart. There are 2⁸ classes between a number
// and twice this number.
const subBits = 8

// Histogram counts nonnegative values in classes whose width is at most 1/256 of their values. Its memory depends on
// the range of the values and not on their number. The zero value is empty.
type Histogram struct {
	first  int      // number of the first class that is kept
	counts []uint64 // of the classes from first on
	zeros  float64  // values that are 0; NaN once a value was negative or NaN
	n      uint64
}

// class returns the number of the class of a positive value: the leading bits of its representation.
func class(x float64) int { return int(math.Float64bits(x) >> (52 - subBits)) }

// border returns the least value of a class.
func border(class int) float64 { return math.Float64frombits(uint64(class) << (52 - subBits)) }

// leastNormal is the smallest normal number. Smaller numbers have fewer leading bits than a class needs; they count as
// zero.
const leastNormal = 0x1p-1022

// Add counts a value. Quantiles are NaN once a value was negative or NaN.
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
	if uint(k) >= uint(len(h.counts)) {
		h.widen(class(x))
		k = class(x) - h.first
	}
	h.counts[k]++
}

// widen extends the counts to a class. It adds spare classes on the same side, in proportion to the width of the
// histogram, so that repeated widening takes little time.
func (h *Histogram) widen(class int) {
	room := max(1<<subBits, len(h.counts))
	from, to := h.first, h.first+len(h.counts)
	if len(h.counts) == 0 {
		from, to = class-room, class+room
	}
	if class < from {
		from = class - room
	}
	if class >= to {
		to = class + room
	}
	counts := make([]uint64, to-from)
	if len(h.counts) > 0 {
		copy(counts[h.first-from:], h.counts)
	}
	h.first, h.counts = from, counts
}

// N returns the number of values, 0 if h is nil.
func (h *Histogram) N() uint64 {
	if h == nil {
		return 0
	}
	return h.n
}

// tail is a histogram with the numbers of values from each class on, so that above takes the same time for any number of classes.
type tail struct {
	*Histogram
	higher []uint64 // by class: values of the class and of those above it; a last number is 0
}

// tailOf returns the tail of a histogram, which must not change afterwards.
func tailOf(h *Histogram) tail {
	t := tail{h, make([]uint64, len(h.counts)+1)}
	for k := len(h.counts) - 1; k >= 0; k-- {
		t.higher[k] = t.higher[k+1] + h.counts[k]
	}
	return t
}

// above returns how many values exceed q > 0. The values of a class are taken to be spread evenly over it.
func (t *tail) above(q float64) float64 {
	at, part := class(q), 0.0
	k := at - t.first
	if 0 <= k && k < len(t.counts) {
		low, high := border(at), border(at+1)
		part = float64(t.counts[k]) * (high - q) / (high - low)
	}
	return part + float64(t.higher[min(max(0, k+1), len(t.counts))])
}

// span returns a lower and an upper bound of the positive values; both are 0 without positive values.
func (h *Histogram) span() (least, most float64) {
	for k, c := range h.counts {
		if c > 0 {
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
	for k, c := range o.counts {
		if c == 0 {
			continue
		}
		at := o.first + k
		if i := at - h.first; i < 0 || i >= len(h.counts) {
			h.widen(at)
		}
		h.counts[at-h.first] += c
	}
}

// Quantile returns the p-quantile, 0 < p < 1. The values of a class are taken to be spread evenly over the class. The
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
	for k, c := range h.counts {
		if c == 0 {
			continue
		}
		low, high := border(h.first+k), border(h.first+k+1)
		if left <= float64(c) {
			return low + (high-low)*left/float64(c)
		}
		left -= float64(c)
		last = high
	}
	return last
}
