package metric

import "math"

// subBits is the number of bits of the mantissa that tell classes apart: 2⁸ classes to a doubling.
const subBits = 8

// Histogram counts nonnegative values in classes whose width is at most 1/256 of their values, in memory that depends
// on the range of the values and not on their number. Its zero value is empty.
type Histogram struct {
	first  int      // number of the first class that is kept
	counts []uint64 // of the classes from first on
	zeros  float64  // values that are 0; NaN once a value was negative or NaN
	n      uint64
}

// class is the number of the class of a positive value: the leading bits of its representation.
func class(x float64) int { return int(math.Float64bits(x) >> (52 - subBits)) }

// border returns the least value of a class.
func border(class int) float64 { return math.Float64frombits(uint64(class) << (52 - subBits)) }

// leastNormal: numbers below it have fewer leading bits than a class; they count as zero.
const leastNormal = 0x1p-1022

// Add counts a value. Quantiles are NaN once a value was negative or NaN.
func (h *Histogram) Add(x float64) {
	h.n++
	if !(x >= leastNormal) {
		if h.zeros++; !(x >= 0) {
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

// widen makes room for a class, and some more on its side: the more, the wider the histogram is.
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

// N returns the number of values.
func (h *Histogram) N() uint64 { return h.n }

// Merge adds the values of o.
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

// Quantile returns the p-quantile, 0 < p < 1: the values of a class are taken to be spread evenly over it. Of an empty
// histogram, and for another p, it is NaN.
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

// SectionQuantile estimates the p-quantile of the values of all sections together, with a Student interval from how
// those of the sections scatter about it (sectioning). Unlike the mean of the sections' quantiles it has no bias of the
// order of one over their length. Sections that are empty are left out.
//
// Reference: S. Asmussen, P. W. Glynn, Stochastic Simulation, Springer, 2007, section III.5.
func SectionQuantile(sections []*Histogram, p, confidence float64) Interval {
	var all Histogram
	var values []float64
	for _, h := range sections {
		if h.N() > 0 {
			all.Merge(h)
			values = append(values, h.Quantile(p))
		}
	}
	i := Student(values, confidence)
	if len(values) < 2 {
		return i
	}
	mean, n := all.Quantile(p), float64(len(values))
	var squares float64
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	i.StdErr = math.Sqrt(squares / (n - 1) / n)
	i.HalfWidth = Quantile(i.DF, 1-(1-confidence)/2) * i.StdErr
	i = i.About(mean)
	i.Low = max(0, i.Low)
	return i
}

// maxSections bounds the memory of Sections.
const maxSections = 64

// Sections cuts one run into sections of equally many values, a Histogram each. When there are 64, neighbours are
// merged and the sections become twice as long. Its zero value is empty.
type Sections struct {
	Whole bool // the run is not cut
	size  uint64
	list  []*Histogram
}

// Add counts a value in the last section.
func (s *Sections) Add(x float64) {
	n := len(s.list)
	if n == 0 || !s.Whole && s.list[n-1].N() == s.size {
		s.begin()
		n = len(s.list)
	}
	s.list[n-1].Add(x)
}

func (s *Sections) begin() {
	if s.size == 0 {
		s.size = 256
	}
	if len(s.list) == maxSections {
		for k := range maxSections / 2 {
			s.list[2*k].Merge(s.list[2*k+1])
			s.list[k] = s.list[2*k]
		}
		s.list = s.list[:maxSections/2]
		s.size *= 2
	}
	s.list = append(s.list, &Histogram{})
}

// Split returns n sections of as nearly the same length as whole sections allow, fewer if there are fewer; all values
// are in one of them.
func (s *Sections) Split(n int) []*Histogram {
	n = min(n, len(s.list))
	out := make([]*Histogram, n)
	for k := range out {
		out[k] = &Histogram{}
		for i := k * len(s.list) / n; i < (k+1)*len(s.list)/n; i++ {
			out[k].Merge(s.list[i])
		}
	}
	return out
}
