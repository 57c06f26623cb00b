package fit

import (
	"cmp"
	"context"
	"slices"
	"sort"
)

// step is a step of the survival function of the data, which falls from before to after at x.
type step struct {
	x, before, after float64
	edge             bool // x is the end of an interval, and the survival function is known only at x
}

// empirical is the survival function of the data.
type empirical struct {
	of    *observations
	steps []step // by ascending times
}

// newEmpirical returns the survival function of the data, in scaled time. It is the product-limit estimate, which is
// the empirical distribution if there is no censoring and truncation. A value x that was rounded to a multiple of r
// counts at x + r/2, the end of the interval that it stands for. Intervals count at their upper ends if they are
// disjoint, as in a histogram, and otherwise at their middles. After the last time it is exactly 0, unless this time is
// a lower bound. Steps are missing if ctx ends.
//
// Reference: E. L. Kaplan, P. Meier, Nonparametric estimation from incomplete observations, J. Amer. Statist. Assoc. 53
// (1958) 457–481.
func newEmpirical(ctx context.Context, o *observations) *empirical {
	events, risk := o.riskEvents(ctx)
	survival := 1.0
	e := &empirical{of: o, steps: make([]step, 0, len(events))}
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
			e.steps = append(e.steps, step{x, survival, after, edge})
			survival = after
		}
		risk -= ended + left
	}
	return e
}

// riskEvent is a change of the weight at risk, the weight of the observations that have begun and not ended.
type riskEvent struct {
	x     float64
	ended float64 // weight of the observations that end here
	left  float64 // weight of the observations that are censored here, minus the weight of the observations that begin here
	edge  bool    // see [step]
}

// riskEvents returns the changes of the weight at risk, sorted by time, and risk, the weight at risk at time 0. The
// weight at risk is the weight of the observations that have begun and not ended. A value x ends at x + r/2, where r is
// the resolution, and a lower bound x at x. An observation in an interval ends at the upper end of the interval where
// intervals are disjoint, otherwise in the middle. A truncated observation begins at its truncation time. If ctx ends,
// the events are incomplete.
func (o *observations) riskEvents(ctx context.Context) (events []riskEvent, risk float64) {
	events = make([]riskEvent, 0, len(o.points)+len(o.intervals)+len(o.truncations))
	for i, pt := range o.points {
		if stopped(ctx, i) {
			break
		}
		if pt.observed > 0 {
			events = append(events, riskEvent{pt.x + o.r/2, pt.observed, 0, o.r > 0})
		}
		if pt.censored > 0 {
			events = append(events, riskEvent{pt.x, 0, pt.censored, false})
		}
	}
	apart := o.disjoint()
	for _, s := range o.intervals {
		x := s.hi
		if !apart {
			x = s.lo/2 + s.hi/2
		}
		events = append(events, riskEvent{x, s.w, 0, apart})
	}
	risk = o.total
	for _, pt := range o.truncations {
		risk -= pt.observed
		events = append(events, riskEvent{pt.x, 0, -pt.observed, false})
	}
	sortWhile(ctx, slices.SortStableFunc, events, func(a, b riskEvent) int { return cmp.Compare(a.x, b.x) })
	return events, risk
}

// disjoint reports whether no two different intervals overlap and no value or lower bound lies strictly inside an
// interval. Intervals that share an end, and equal intervals, are disjoint. Intervals are sorted.
func (o *observations) disjoint() bool {
	for i := 1; i < len(o.intervals); i++ {
		a, b := o.intervals[i-1], o.intervals[i]
		if (a.lo != b.lo || a.hi != b.hi) && b.lo < a.hi {
			return false
		}
	}
	for _, s := range o.intervals {
		i := sort.Search(len(o.points), func(i int) bool { return o.points[i].x > s.lo })
		if i < len(o.points) && o.points[i].x < s.hi {
			return false
		}
	}
	return true
}
