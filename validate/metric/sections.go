package metric

import "math"

// SectionQuantile estimates the p-quantile of the values of all sections together. Empty sections are left out.
//
// The interval holds every q for which 1 − p lies in the interval of P(X > q). The interval of P(X > q) is that of
// [JackknifePositive] over the shares of values above q in the sections. Shares have no bias, unlike the quantiles of
// sections, and their interval follows the scatter of rare long times. If no value is large enough for an upper end,
// HalfWidth is infinite.
//
// Reference: S. Asmussen, P. W. Glynn, Stochastic Simulation, Springer, 2007, section III.4, for intervals of quantiles
// by inversion.
func SectionQuantile(sections []*Histogram, p, confidence float64) Interval {
	var all Histogram
	var filled []*Histogram
	for _, h := range sections {
		if h.N() > 0 {
			all.Merge(h)
			filled = append(filled, h)
		}
	}
	estimate := all.Quantile(p)
	switch {
	case math.IsNaN(estimate):
		return Interval{Mean: estimate, Low: estimate, High: estimate, HalfWidth: estimate, StdErr: estimate}
	case len(filled) < 2:
		i := Student(nil, confidence)
		i.Mean = estimate
		return i
	}
	above := func(q float64) Interval { return shareAbove(filled, q, confidence) }
	i := above(estimate)
	i.Mean = estimate
	least, most := all.Range()
	longer := func(q float64) bool { return above(q).Low > 1-p }
	notShorter := func(q float64) bool { return !(above(q).High < 1-p) }
	i.Low, i.High = 0, 0
	if longer(least) { // otherwise the quantile may be 0, because some values are
		i.Low = boundary(least, i.Mean, longer)
	}
	if notShorter(least) {
		i.High = boundary(max(least, i.Mean), most, notShorter)
	}
	if above(most).High >= 1-p {
		i.High = math.Inf(1)
	}
	i.HalfWidth = (i.High - i.Low) / 2
	i.StdErr = i.HalfWidth / Quantile(i.DF, 1-(1-confidence)/2)
	return i
}

// shareAbove returns the share of the values of all sections that exceed q, with its interval.
func shareAbove(sections []*Histogram, q, confidence float64) Interval {
	sums := make([][]float64, len(sections))
	for k, h := range sections {
		sums[k] = []float64{h.Above(q), float64(h.N())}
	}
	return JackknifePositive(sums, func(x []float64) float64 { return x[0] / x[1] }, confidence)
}

// boundary returns the largest q between low and high for which a condition holds, by bisection, to the width of a
// class of a [Histogram]. The condition must hold below q and fail above. boundary returns low if the condition holds
// nowhere.
func boundary(low, high float64, holds func(q float64) bool) float64 {
	for high > low*(1+1.0/(1<<subBits)) {
		middle := math.Sqrt(max(low, leastNormal) * high)
		if holds(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// maxSections bounds the memory of Sections.
const maxSections = 64

// Sections cuts the values of one run into sections of equally many values, with a Histogram for each. When there are
// 64 sections, neighbours are merged and sections become twice as long. The zero value is empty.
type Sections struct {
	Whole bool // the run is not cut
	size  uint64
	list  []*Histogram
}

// Add counts a value in the last section, and begins a new section if the last one is full.
func (s *Sections) Add(x float64) {
	n := len(s.list)
	if n == 0 || !s.Whole && s.list[n-1].N() == s.size {
		s.begin()
		n = len(s.list)
	}
	s.list[n-1].Add(x)
}

// begin appends an empty section. If there are already 64, it merges neighbours first and doubles the length of
// sections.
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

// Split returns the values in n sections of about the same length, or in fewer if there are fewer. Each of the new
// sections joins whole sections, and every value is in exactly one.
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
