package fit

import (
	"fmt"
	"math"
	"sort"
)

// problem is a checked sample, sorted and with equal values merged, and what to do with it. Times are divided by scale,
// a power of two near their mean, which is exact and keeps everything in range.
type problem struct {
	opts   Options
	points []point
	total  float64 // sum of weights
	seen   float64 // of those seen to end
	used   int     // values behind the points
	zeros  int     // values dropped
	r      float64 // resolution, 0: density
	scale  float64

	scoring *mesh // made when first needed
}

// point is a distinct value with the weight seen there and the weight known only to lie beyond it.
type point struct {
	x, seen, beyond float64
}

func newProblem(s Sample, o Options) (*problem, error) {
	p := &problem{opts: o, r: s.Resolution, scale: 1}
	p.points = make([]point, 0, len(s.Values))
	for i, x := range s.Values {
		w, censored := 1.0, s.Censored != nil && s.Censored[i]
		if s.Weights != nil {
			w = s.Weights[i]
		}
		switch {
		case w == 0:
			continue
		case x == 0 && censored: // says nothing
			continue
		case x == 0 && p.r == 0:
			p.zeros++
			continue
		}
		pt := point{x: x, seen: w}
		if censored {
			pt = point{x: x, beyond: w}
		}
		p.points = append(p.points, pt)
		p.used++
		p.total += w
		p.seen += pt.seen
	}
	switch {
	case p.seen == 0 && p.zeros > 0:
		return nil, &SampleError{"values", -1, "all values are zero; give the resolution of the clock"}
	case p.seen == 0:
		return nil, &SampleError{"values", -1, "no value was seen to end: all are censored or have weight zero"}
	case math.IsInf(p.total, 1):
		return nil, &SampleError{"weights", -1, "the sum of weights overflows"}
	}
	sort.SliceStable(p.points, func(i, j int) bool { return p.points[i].x < p.points[j].x })
	p.merge()
	return p, p.rescale()
}

func (p *problem) merge() {
	k := 0
	for _, pt := range p.points {
		if k > 0 && p.points[k-1].x == pt.x {
			p.points[k-1].seen += pt.seen
			p.points[k-1].beyond += pt.beyond
			continue
		}
		p.points[k] = pt
		k++
	}
	p.points = p.points[:k]
}

// widest is the largest ratio between values, or between a value and the resolution, that can be fitted.
const widest = 0x1p200

// rescale divides times by a power of two near the mean.
func (p *problem) rescale() error {
	mean := p.mean()
	if mean == 0 { // all rounded to zero
		mean = p.r / 4
	}
	if math.IsInf(mean, 1) {
		return &SampleError{"values", -1, "too large: the mean overflows"}
	}
	_, e := math.Frexp(mean)
	if e < -260 || e > 260 { // about 1e±78; rates near these are still far from the limits of a distribution
		return &SampleError{"values", -1, fmt.Sprintf("their mean is %g; choose another unit of time", mean)}
	}
	p.scale = math.Ldexp(1, e-1)
	for i := range p.points {
		p.points[i].x /= p.scale
	}
	p.r /= p.scale
	smallest := p.r
	if p.r == 0 {
		smallest = p.points[0].x
	}
	if last := p.points[len(p.points)-1].x; !(last/smallest < widest) {
		return &SampleError{"values", -1, "the largest is more than 2^200 times the smallest, or the resolution; drop outliers"}
	}
	return nil
}

// mean returns the mean of the values, lower bounds taken for values.
func (p *problem) mean() float64 {
	var sum float64
	for _, pt := range p.points {
		sum += (pt.seen + pt.beyond) / p.total * pt.x
	}
	return sum
}

// thinned returns the points themselves, or, if there are very many, the means of groups of them.
func (p *problem) thinned() []point {
	const enough = 1000
	if len(p.points) <= enough {
		return p.points
	}
	var out []point
	for _, b := range p.bins(16) {
		pt := point{x: b.x, seen: b.w}
		if b.beyond {
			pt = point{x: b.x, beyond: b.w}
		}
		out = append(out, pt)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].x < out[j].x })
	return out
}
