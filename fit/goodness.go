package fit

import (
	"math"

	"github.com/partwise/partwise/phasetype"
)

// goodness compares d with the data. The distribution of the data is the product-limit estimate, which without
// censoring is the empirical distribution.
//
// Reference: E. L. Kaplan, P. Meier, Nonparametric estimation from incomplete observations, J. Amer. Statist. Assoc. 53
// (1958) 457–481.
func (p *problem) goodness(d phasetype.Dist) Goodness {
	fit := p.curve(d)
	var g Goodness
	risk, survival := p.total, 1.0
	left := []float64{.5, .1, .01, .001, .0001}
	for _, pt := range p.points {
		before := survival
		if pt.seen > 0 && risk > 0 {
			survival *= max(0, 1-pt.seen/risk)
		}
		risk -= pt.seen + pt.beyond
		if pt.seen == 0 {
			continue
		}
		x := pt.x + p.r/2
		s := fit.at(x)
		g.KS = max(g.KS, math.Abs(s-survival))
		if p.r == 0 {
			g.KS = max(g.KS, math.Abs(s-before))
		}
		// Beyond a quantile there should be ten values to speak of.
		for len(left) > 0 && survival <= left[0] {
			if left[0]*float64(p.used) >= 10 {
				g.Tail = append(g.Tail, TailPoint{Value: x * p.scale, Data: survival, Fit: s})
			}
			left = left[1:]
		}
	}
	if p.seen == p.total {
		g.Moments = p.moments(d)
	}
	return g
}

// moments compares the first three raw moments.
func (p *problem) moments(d phasetype.Dist) []MomentPair {
	var out []MomentPair
	for order := 1; order <= 3; order++ {
		var sum float64
		for _, pt := range p.points {
			sum += pt.seen / p.total * math.Pow(pt.x, float64(order))
		}
		out = append(out, MomentPair{order, sum * math.Pow(p.scale, float64(order)), d.Moment(order)})
	}
	return out
}
