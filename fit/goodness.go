package fit

import (
	"math"
	"sort"

	"github.com/partwise/partwise/phasetype"
)

// Goodness compares the data with the fitted distribution.
type Goodness struct {
	KS float64
	// AD is the Anderson–Darling statistic n·∫(F_n−F)²/(F·(1−F)) dF, over the range of the data; 0 for rounded values and
	// intervals, where it is not defined.
	AD      float64
	Moments []MomentPair // orders 1 to 3; of the observed values, empty when some are censored, hidden or intervals
	Tail    []TailPoint  // at the quantiles .5, .9, .99, .999, .9999 of the data, as far as there are enough values
}

// MomentPair is a raw moment E[X^Order] of the data beside that of the fit.
type MomentPair struct {
	Order     int
	Data, Fit float64
}

// TailPoint compares survival functions at one value.
type TailPoint struct {
	Value     float64 // a quantile of the data
	Data, Fit float64 // P(X > Value)
}

// step is where the distribution function of the data rises: its survival function falls from before to after at x.
type step struct {
	x, before, after float64
	edge             bool // of an interval: only what is after it is known
}

// steps returns the distribution of the data, in rising order. It is the product-limit estimate, which without
// censoring and truncation is the empirical distribution. Intervals count at their upper ends if they are disjoint, as
// those of a histogram are, and otherwise in their middle.
//
// Reference: E. L. Kaplan, P. Meier, Nonparametric estimation from incomplete observations, J. Amer. Statist. Assoc. 53
// (1958) 457–481.
func (p *problem) steps() []step {
	if p.empirical != nil {
		return p.empirical
	}
	type event struct {
		x, seen, left float64 // weight that ends here, and that leaves unseen; negative: that enters
		edge          bool
	}
	var events []event
	for _, pt := range p.points {
		if pt.observed > 0 {
			events = append(events, event{pt.x + p.r/2, pt.observed, 0, p.r > 0})
		}
		if pt.censored > 0 {
			events = append(events, event{pt.x, 0, pt.censored, false})
		}
	}
	apart := p.disjoint()
	for _, s := range p.intervals {
		x := s.hi
		if !apart {
			x = s.lo/2 + s.hi/2
		}
		events = append(events, event{x, s.w, 0, apart})
	}
	risk := p.total
	for _, pt := range p.truncations {
		risk -= pt.observed
		events = append(events, event{pt.x, 0, -pt.observed, false})
	}
	sort.SliceStable(events, func(i, j int) bool { return events[i].x < events[j].x })
	survival := 1.0
	for i := 0; i < len(events); {
		x, seen, left, edge := events[i].x, 0.0, 0.0, false
		for ; i < len(events) && events[i].x == x; i++ {
			seen += events[i].seen
			left += events[i].left
			edge = edge || events[i].edge
		}
		if seen > 0 && risk > 0 {
			after := survival * max(0, 1-seen/risk)
			if i == len(events) && left == 0 {
				after = 0
			}
			p.empirical = append(p.empirical, step{x, survival, after, edge})
			survival = after
		}
		risk -= seen + left
	}
	return p.empirical
}

// disjoint reports whether no two different intervals overlap and no value lies inside one.
func (p *problem) disjoint() bool {
	for i := 1; i < len(p.intervals); i++ {
		a, b := p.intervals[i-1], p.intervals[i]
		if (a.lo != b.lo || a.hi != b.hi) && b.lo < a.hi {
			return false
		}
	}
	for _, s := range p.intervals {
		i := sort.Search(len(p.points), func(i int) bool { return p.points[i].x > s.lo })
		if i < len(p.points) && p.points[i].x < s.hi {
			return false
		}
	}
	return true
}

// goodness compares d with the data, given that it is above the earliest time at which observation began.
func (p *problem) goodness(d phasetype.Dist) Goodness {
	fit := p.curve(d)
	whole := p.observableMass(fit)
	var g Goodness
	left := []float64{.5, .1, .01, .001, .0001}
	a := andersonDarling{last: 1}
	for _, st := range p.steps() {
		s := min(1, fit.at(st.x)/whole)
		g.KS = max(g.KS, math.Abs(s-st.after))
		if !st.edge {
			g.KS = max(g.KS, math.Abs(s-st.before))
			a.add(st.before, s)
		}
		// Beyond a quantile there should be ten values to speak of.
		for len(left) > 0 && st.after <= left[0] {
			if left[0]*float64(p.used) >= 10 {
				g.Tail = append(g.Tail, TailPoint{Value: st.x * p.scale, Data: st.after, Fit: s})
			}
			left = left[1:]
		}
	}
	if steps := p.steps(); p.r == 0 && len(p.intervals) == 0 && len(steps) > 0 {
		if steps[len(steps)-1].after == 0 {
			a.finish()
		}
		g.AD = p.total * a.sum
	}
	if p.observed == p.total && len(p.truncations) == 0 {
		g.Moments = p.moments(d)
	}
	return g
}

// visible returns the probability of what lies above the earliest time at which observation began.
func (p *problem) observableMass(fit *curve) float64 {
	if len(p.truncations) == 0 {
		return 1
	}
	var late float64
	for _, pt := range p.truncations {
		late += pt.observed
	}
	if late < p.total*(1-1e-12) { // some were observed from 0
		return 1
	}
	return max(fit.at(p.truncations[0].x), minPositive)
}

// andersonDarling sums ∫ (c−F)²/(F·(1−F)) dF over the stretches on which the distribution function c of the data is
// constant; between F = a and b it is c²·log(b/a) + (1−c)²·log((1−a)/(1−b)) − (b−a).
//
// Reference: T. W. Anderson, D. A. Darling, A test of goodness of fit, J. Amer. Statist. Assoc. 49 (1954) 765–769.
type andersonDarling struct {
	sum, last float64 // last: the fitted survival where the stretch begins
}

// add ends a stretch on which the survival function of the data is survival where that of the fit is s.
func (a *andersonDarling) add(survival, s float64) {
	s = min(max(s, minPositive), a.last)
	c, from, to := 1-survival, 1-a.last, 1-s
	part := survival*survival*math.Log(a.last/s) - (to - from)
	if c > 0 && from > 0 {
		part += c * c * math.Log(to/from)
	}
	a.sum += max(0, part)
	a.last = s
}

// finish adds the stretch above the largest value, on which c = 1.
func (a *andersonDarling) finish() {
	if from := 1 - a.last; from > 0 {
		a.sum += max(0, -math.Log(from)-a.last)
	}
}

// moments compares the first three raw moments.
func (p *problem) moments(d phasetype.Dist) []MomentPair {
	var out []MomentPair
	for order := 1; order <= 3; order++ {
		var sum float64
		for _, pt := range p.points {
			sum += pt.observed / p.total * math.Pow(pt.x, float64(order))
		}
		out = append(out, MomentPair{order, sum * math.Pow(p.scale, float64(order)), d.Moment(order)})
	}
	return out
}
