package fit

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"

	"github.com/partwise/partwise/phasetype"
)

// Goodness compares the data with the fitted distribution.
type Goodness struct {
	KS float64 // Kolmogorov–Smirnov distance, the largest between the distribution functions
	// AD is the Anderson–Darling statistic n·∫(F_n−F)²/(F·(1−F)) dF over the range of the data. It is not defined for rounded
	// values and intervals, and 0 for these.
	AD      float64
	Moments []Pair // raw moments E[X^At] of orders 1 to 3; none if some values are censored, truncated or intervals
	Tail    []Pair // P(X > At) at the quantiles .5, .9, .99, .999, .9999 of the data, as far as there are enough values
}

// Pair is a number of the data and the same number of the fit.
type Pair struct {
	At        float64 // the order of a moment, the value of a tail probability, the probability of a quantile, or the lag
	Data, Fit float64
}

// step is a step of the survival function of the data, which falls from before to after at x.
type step struct {
	x, before, after float64
	edge             bool // x is the end of an interval, and the survival function is known only at x
}

// steps returns the survival function of the data, by ascending times. It is the product-limit estimate, which is the
// empirical distribution if there is no censoring and truncation. Intervals count at their upper ends if they are
// disjoint, as in a histogram, and otherwise at their middles.
//
// Reference: E. L. Kaplan, P. Meier, Nonparametric estimation from incomplete observations, J. Amer. Statist. Assoc. 53
// (1958) 457–481.
func (p *problem) steps(ctx context.Context) []step {
	if p.empirical != nil {
		return p.empirical
	}
	events, risk := p.riskEvents(ctx)
	survival := 1.0
	p.empirical = make([]step, 0, len(events))
	for i, round := 0, 0; i < len(events) && !stopped(ctx, round); round++ {
		x, ended, left, edge := events[i].x, 0.0, 0.0, false
		for ; i < len(events) && events[i].x == x; i++ {
			ended += events[i].ended
			left += events[i].left
			edge = edge || events[i].edge
		}
		if ended > 0 && risk > 0 {
			after := survival * max(0, 1-ended/risk)
			if i == len(events) && left == 0 {
				after = 0
			}
			p.empirical = append(p.empirical, step{x, survival, after, edge})
			survival = after
		}
		risk -= ended + left
	}
	return p.empirical
}

// riskEvent is a change of the weight at risk, the weight of the observations that have begun and not ended.
type riskEvent struct {
	x     float64
	ended float64 // weight of the observations that end here
	left  float64 // weight of the observations that are censored here, minus the weight of those that begin here
	edge  bool    // see [step]
}

// riskEvents returns the changes by ascending times, and the weight at risk at time 0.
func (p *problem) riskEvents(ctx context.Context) (events []riskEvent, risk float64) {
	events = make([]riskEvent, 0, len(p.points)+len(p.intervals)+len(p.truncations))
	for i, pt := range p.points {
		if stopped(ctx, i) {
			break
		}
		if pt.observed > 0 {
			events = append(events, riskEvent{pt.x + p.r/2, pt.observed, 0, p.r > 0})
		}
		if pt.censored > 0 {
			events = append(events, riskEvent{pt.x, 0, pt.censored, false})
		}
	}
	apart := p.disjoint()
	for _, s := range p.intervals {
		x := s.hi
		if !apart {
			x = s.lo/2 + s.hi/2
		}
		events = append(events, riskEvent{x, s.w, 0, apart})
	}
	risk = p.total
	for _, pt := range p.truncations {
		risk -= pt.observed
		events = append(events, riskEvent{pt.x, 0, -pt.observed, false})
	}
	sortWhile(ctx, slices.SortStableFunc, events, func(a, b riskEvent) int { return cmp.Compare(a.x, b.x) })
	return events, risk
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

// goodness returns how well d fits the data; see [problem.distances].
func (p *problem) goodness(ctx context.Context, d phasetype.Dist) Goodness {
	g := p.distances(ctx, p.curve(ctx, d).at)
	if p.observed == p.total && len(p.truncations) == 0 {
		g.Moments = p.moments(ctx, d)
	}
	return g
}

// distances compares a survival function, of times divided by scale, with that of the data. If all observations are
// truncated, the survival function is taken conditional on a time longer than the earliest truncation.
func (p *problem) distances(ctx context.Context, survival func(x float64) float64) Goodness {
	whole := p.observableMass(survival)
	var g Goodness
	left := []float64{.5, .1, .01, .001, .0001}
	a := andersonDarling{last: 1}
	steps := p.steps(ctx)
	for i, st := range steps {
		if stopped(ctx, i) {
			return g
		}
		s := min(1, survival(st.x)/whole)
		g.KS = max(g.KS, math.Abs(s-st.after))
		if !st.edge {
			g.KS = max(g.KS, math.Abs(s-st.before))
			a.add(st.before, s)
		}
		for len(left) > 0 && st.after <= left[0] {
			if left[0]*float64(p.used) >= 10 { // with fewer values beyond it, a quantile is too uncertain
				g.Tail = append(g.Tail, Pair{st.x * p.scale, st.after, s})
			}
			left = left[1:]
		}
	}
	if p.r == 0 && len(p.intervals) == 0 && len(steps) > 0 {
		if steps[len(steps)-1].after == 0 {
			a.finish()
		}
		g.AD = p.total * a.sum
	}
	return g
}

// observableMass returns the probability of times longer than the earliest truncation, 1 if not all are truncated.
func (p *problem) observableMass(survival func(x float64) float64) float64 {
	if len(p.truncations) == 0 {
		return 1
	}
	var truncated float64
	for _, pt := range p.truncations {
		truncated += pt.observed
	}
	if truncated < p.total*(1-1e-12) {
		return 1
	}
	return max(survival(p.truncations[0].x), minPositive)
}

// andersonDarling sums ∫ (c−F)²/(F·(1−F)) dF over the steps of the data, where the distribution function c of the data is
// constant on each step. From F = a to F = b the integral is
//
//	c²·log(b/a) + (1−c)²·log((1−a)/(1−b)) − (b−a).
//
// Reference: T. W. Anderson, D. A. Darling, A test of goodness of fit, J. Amer. Statist. Assoc. 49 (1954) 765–769.
type andersonDarling struct {
	sum, last float64 // last: fitted survival function at the end of the last step
}

// add adds the integral over a step to a.sum. On the step the survival function of the data is survival. The fitted
// survival function falls from a.last, its value at the end of the step before, to s; then s becomes a.last. s is kept
// positive and at most a.last, so that rounding errors have no effect.
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

// finish adds the integral above the largest value to a.sum, where the distribution function of the data is 1.
func (a *andersonDarling) finish() {
	if from := 1 - a.last; from > 0 {
		a.sum += max(0, -math.Log(from)-a.last)
	}
}

// moments compares the first three raw moments.
func (p *problem) moments(ctx context.Context, d phasetype.Dist) []Pair {
	var out []Pair
	for order := 1; order <= 3; order++ {
		at := float64(order)
		var sum float64
		for i, pt := range p.points {
			if stopped(ctx, i) {
				return nil
			}
			sum += pt.observed / p.total * math.Pow(pt.x, at)
		}
		out = append(out, Pair{at, sum * math.Pow(p.scale, at), d.Moment(order)})
	}
	return out
}

// ksLimit returns the KS distance that 5 % of samples of n values exceed if the distribution is the true one. If it was
// fitted, fewer samples do.
func ksLimit(n int) float64 { return 1.358 / math.Sqrt(float64(max(n, 1))) }

// rejected reports whether the KS distance exceeds the limit.
func (g Goodness) rejected(n int) bool { return g.KS > ksLimit(n) }
