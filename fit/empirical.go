package fit

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"github.com/partwise/partwise/fit/internal/productlimit"
)

// empirical is the survival function of the data.
type empirical struct {
	of *observations
	productlimit.Estimate
	// earliest and latest are the estimates with all ends at the lower and upper ends of their intervals; the estimate from
	// the exact times lies between them. They are nil if the steps are known at the ends of the intervals.
	earliest, latest *productlimit.Estimate
}

// newEmpirical returns the survival function of the data, in scaled time. It is the product-limit estimate, which is
// the empirical distribution if there is no censoring and truncation. A value x that was rounded to a multiple of r
// counts at x + r/2, the end of the interval that it stands for. Intervals count at their upper ends if they are
// disjoint, as in a histogram, and otherwise at their middles. After the last time it is exactly 0, unless this time is
// a lower bound. Steps are missing if ctx ends.
func newEmpirical(ctx context.Context, o *observations) *empirical {
	apart := o.disjoint()
	middle := place{1, .5}
	if apart {
		middle.interval = 1
	}
	e := &empirical{of: o, Estimate: o.estimate(ctx, middle, apart)}
	if !apart || o.r > 0 && (len(o.truncations) > 0 || o.observed < o.total) {
		earliest, latest := o.estimate(ctx, place{afterLower, afterLower}, false), o.estimate(ctx, place{1, 1}, false)
		e.earliest, e.latest = &earliest, &latest
	}
	return e
}

// place says where rounded values and intervals end: at the share of the way from the lower to the upper end of the
// interval.
type place struct{ rounded, interval float64 }

// afterLower is the share of an interval at its lower end. It is not 0, so that nobody ends before being observed.
const afterLower = 1e-9

// estimate returns the product-limit estimate with the ends at a place. apart says that the intervals are disjoint.
func (o *observations) estimate(ctx context.Context, at place, apart bool) productlimit.Estimate {
	events, risk := o.riskEvents(ctx, at, apart)
	return productlimit.New(ctx, events, risk, o.total)
}

// riskEvents returns the changes of the weight at risk, sorted by time, and risk, the weight at risk at time 0. The
// weight at risk is the weight of the observations that have begun and not ended. A value x ends between x − r/2 and
// x + r/2, where r is the resolution, and a lower bound x at x. Values and observations in intervals end at a place. The
// ends of intervals are edges if apart is true. A truncated observation begins at its truncation time. If ctx ends,
// the events are incomplete.
func (o *observations) riskEvents(ctx context.Context, at place, apart bool) (events []productlimit.Event, risk float64) {
	events = make([]productlimit.Event, 0, len(o.points)+len(o.intervals)+len(o.truncations))
	for i, pt := range o.points {
		if stopped(ctx, i) {
			break
		}
		if pt.observed > 0 {
			x := max(0, pt.x+(at.rounded-.5)*o.r)
			events = append(events, productlimit.Event{X: x, Ended: pt.observed, Edge: o.r > 0})
		}
		if pt.censored > 0 {
			events = append(events, productlimit.Event{X: pt.x, Left: pt.censored})
		}
	}
	for _, s := range o.intervals {
		x := s.lo*(1-at.interval) + s.hi*at.interval
		events = append(events, productlimit.Event{X: x, Ended: s.w, Edge: apart})
	}
	risk = o.total
	for _, pt := range o.truncations {
		risk -= pt.observed
		events = append(events, productlimit.Event{X: pt.x, Left: -pt.observed})
	}
	sortWhile(ctx, slices.SortStableFunc, events, func(a, b productlimit.Event) int { return cmp.Compare(a.X, b.X) })
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
