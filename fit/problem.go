package fit

import (
	"errors"
	"math"
	"sort"
)

// problem is a checked sample, sorted and with equal values merged, and what to do with it.
type problem struct {
	opts   Options
	points []point
	total  float64 // sum of weights
	used   int     // values behind the points
	zeros  int     // values dropped
	r      float64 // resolution, 0: density
}

// point is a distinct value with the weight seen there and the weight known only to lie beyond it.
type point struct {
	x, seen, beyond float64
}

func newProblem(s Sample, o Options) (*problem, error) {
	p := &problem{opts: o, r: s.Resolution}
	for i, x := range s.Values {
		w, censored := 1.0, s.Censored != nil && s.Censored[i]
		if s.Weights != nil {
			w = s.Weights[i]
		}
		switch {
		case w == 0:
			continue
		case x == 0 && censored: // says nothing
			p.used++
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
	}
	sort.SliceStable(p.points, func(i, j int) bool { return p.points[i].x < p.points[j].x })
	p.merge()
	var seen float64
	for _, pt := range p.points {
		seen += pt.seen
	}
	switch {
	case seen == 0 && p.zeros > 0:
		return nil, &SampleError{"values", -1, "all values are zero; give the resolution of the clock"}
	case seen == 0:
		return nil, &SampleError{"values", -1, "no value was seen to end: all are censored or have weight zero"}
	case math.IsInf(p.total, 1):
		return nil, &SampleError{"weights", -1, "the sum of weights overflows"}
	}
	return p, nil
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

// candidate scores a solution on the data.
func (p *problem) candidate(name Family, e entry, s solution) (Candidate, error) {
	return Candidate{}, errors.New("fit: no score")
}
