package fit

import (
	"math"
)

// bin is a group of neighbouring values: their mean, its logarithm and their weight. For rounded data it stands for
// the interval (lo, hi]; beyond marks lower bounds.
type bin struct {
	x, log, w float64
	lo, hi    float64
	beyond    bool
}

// bins groups the data on a logarithmic grid with perOctave bins between x and 2x. The mean of a bin represents it up
// to the second order of its width.
func (p *problem) bins(perOctave float64) []bin {
	var out []bin
	add := func(beyond bool, weight func(point) float64) {
		last := math.Inf(-1)
		from := len(out)
		for _, pt := range p.points {
			w := weight(pt)
			if w == 0 {
				continue
			}
			cell := math.Inf(-1)
			if pt.x > 0 {
				cell = math.Floor(math.Log2(pt.x) * perOctave)
			}
			if len(out) == from || cell != last || pt.x <= 4*p.r {
				out = append(out, bin{beyond: beyond})
				last = cell
			}
			b := &out[len(out)-1]
			b.w += w
			b.x += w * pt.x
		}
	}
	add(false, func(pt point) float64 { return pt.seen })
	add(true, func(pt point) float64 { return pt.beyond })
	for i := range out {
		b := &out[i]
		b.x /= b.w
		b.log = math.Log(b.x)
		b.lo, b.hi = max(0, b.x-p.r/2), b.x+p.r/2
	}
	return out
}
