package metric

import "math"

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
