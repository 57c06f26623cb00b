package metric

import (
	"cmp"
	"math"
	"slices"

	"github.com/partwise/partwise/validate/internal/batches"
	"gonum.org/v1/gonum/floats"
)

// SectionQuantile estimates the p-quantile of the values of all sections together. Empty sections are left out.
//
// The interval holds every q for which a test does not reject P(X > q) = 1 − p. The test is Student's for the
// pseudo-values of the logarithm of the share of values above q in the sections. Shares have no bias, unlike the
// quantiles of sections. Long times come in clusters, so that few sections hold most of them, and the pseudo-values are
// skewed. Therefore the statistic is corrected for their skewness.
//
// The correction knows only the clusters that came. For the upper end, the section with the largest share therefore
// counts twice, as the upper limit of the mean of a Poisson number counts one event more than came. In 3,000
// simulations of the queue H2/H2/8 at load 0.7, with 32 sections of 10,000 values, 87.5 % of the intervals of the 99th
// percentile covered. With the correction for skewness 89.0 % did, with the second count 93.4 %. If no value is large
// enough for an upper end, HalfWidth is infinite.
//
// References: S. Asmussen, P. W. Glynn, Stochastic Simulation, Springer, 2007, section III.4, for intervals of
// quantiles by inversion; F. Garwood, Fiducial limits for the Poisson distribution, Biometrika 28 (1936) 437–442, for
// the additional event; P. Hall, On the removal of skewness by transformation, J. R. Statist. Soc. B 54 (1992) 221–228.
func SectionQuantile(sections []*Histogram, p, confidence float64) Interval {
	return SectionQuantiles(sections, confidence, p)[0]
}

// SectionQuantiles estimates several quantiles of the same sections, each as [SectionQuantile] does. The tails of the
// sections take most of the time, and serve all quantiles.
func SectionQuantiles(sections []*Histogram, confidence float64, ps ...float64) []Interval {
	var all Histogram
	var filled []tail
	for _, h := range sections {
		if h.N() > 0 {
			all.Merge(h)
			filled = append(filled, tailOf(h))
		}
	}
	intervals := make([]Interval, len(ps))
	for k, p := range ps {
		intervals[k] = quantileInterval(&all, filled, p, confidence)
	}
	return intervals
}

// quantileInterval returns the p-quantile of all values, and its interval from the tails of the sections that are not
// empty.
func quantileInterval(all *Histogram, filled []tail, p, confidence float64) Interval {
	estimate := all.Quantile(p)
	switch {
	case math.IsNaN(estimate):
		return Interval{Mean: estimate, Low: estimate, High: estimate, HalfWidth: estimate, StdErr: estimate}
	case len(filled) < 2:
		i := Student(nil, confidence)
		i.Mean = estimate
		return i
	}
	i := Interval{Mean: estimate, DF: len(filled) - 1}
	least, most := all.span()
	below := math.Nextafter(least, 0) // every positive value exceeds it; a value may equal least
	limit := Quantile(i.DF, 1-(1-confidence)/2)
	longer := func(q float64) bool { return shareAbove(filled, q, 1-p, false) > limit }
	notShorter := func(q float64) bool { return shareAbove(filled, q, 1-p, true) >= -limit }
	if longer(below) { // otherwise the quantile may be 0, because some values are
		i.Low = boundary(least, i.Mean, longer)
	}
	if notShorter(below) {
		i.High = boundary(max(least, i.Mean), most, notShorter)
	}
	if i.High > 0 && most <= i.High*(1+2.0/(1<<subBits)) { // no value is large enough to be rejected
		i.High = math.Inf(1)
	}
	i.HalfWidth = (i.High - i.Low) / 2
	i.StdErr = i.HalfWidth / limit
	return i
}

// shareAbove returns Student's statistic of the difference between the share of the values of all sections that exceed
// q and an expected share. It compares logarithms and is corrected for skewness. If one section has all values above q,
// it compares the shares themselves. It is infinite without values above q, and if all sections have the same share. If
// again is set, the section with the largest share counts twice. There must be a section, and none may be empty.
func shareAbove(sections []tail, q, expected float64, again bool) float64 {
	share := func(x []float64) float64 { return x[0] / x[1] }
	sums := sumsAbove(sections, q)
	if again {
		sums = append(sums, slices.MaxFunc(sums, func(a, b []float64) int { return cmp.Compare(share(a), share(b)) }))
	}
	total := make([]float64, 2)
	for _, x := range sums {
		floats.Add(total, x)
	}
	_, stderr, skewness := moments(PseudoValues(sums, func(x []float64) float64 { return math.Log(share(x)) }))
	difference := math.Log(share(total) / expected)
	if math.IsNaN(stderr) || math.IsInf(stderr, 1) {
		shares := Jackknife(sums, share, 0.5)
		difference, stderr, skewness = shares.Mean-expected, shares.StdErr, 0
	}
	if stderr == 0 {
		return math.Copysign(math.Inf(1), difference)
	}
	most := mostSkewness * math.Sqrt(float64(len(sums)))
	return batches.Unskew(difference/stderr, min(most, max(-most, skewness)), len(sums))
}

// sumsAbove returns, for each section, how many of its values exceed q, and how many values it has. The list has room for
// one more section.
func sumsAbove(sections []tail, q float64) [][]float64 {
	sums, numbers := make([][]float64, len(sections), len(sections)+1), make([]float64, 2*len(sections))
	for k := range sections {
		sums[k], numbers = numbers[:2:2], numbers[2:]
		sums[k][0], sums[k][1] = sections[k].above(q), sections[k].n
	}
	return sums
}

// mostSkewness is the largest skewness of n pseudo-values that a statistic is corrected for, over √n. The correction is
// the beginning of a series in this number. Corrected for a number c, no statistic is below −1/c + c/6, which is −3.3
// for 0.3. So with more no interval would end.
const mostSkewness = 0.3

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
	spare []*Histogram // without values, for the next sections: they keep the range of classes of earlier ones
}

// Add counts values, one after the other, in the last section. It begins a new section whenever the last one is full.
func (s *Sections) Add(values ...float64) {
	for len(values) > 0 {
		last := len(s.list) - 1
		room := len(values)
		if last >= 0 && !s.Whole {
			room = min(room, int(s.size-s.list[last].N()))
		}
		if last < 0 || room == 0 {
			s.begin()
			continue
		}
		s.list[last].addAll(values[:room])
		values = values[room:]
	}
}

// begin appends an empty section. If there are already 64, it merges neighbours first and doubles the length of
// sections.
func (s *Sections) begin() {
	if s.size == 0 {
		s.size = 256
	}
	if len(s.list) == maxSections {
		s.merge()
	}
	next := &Histogram{}
	if last := len(s.spare) - 1; last >= 0 {
		next, s.spare = s.spare[last], s.spare[:last]
	}
	s.list = append(s.list, next)
}

// merge merges neighbours and doubles the length of sections. Every other histogram becomes spare.
func (s *Sections) merge() {
	for k := range maxSections / 2 {
		left, right := s.list[2*k], s.list[2*k+1]
		left.Merge(right)
		right.clear()
		s.list[k], s.spare = left, append(s.spare, right)
	}
	s.list = s.list[:maxSections/2]
	s.size *= 2
}

// Split returns the values in n sections of about the same length, or in fewer sections if s has fewer. Each of the new
// sections joins whole sections, and every value is in exactly one. The histograms are new.
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
