package replay

import (
	"math"
	"slices"

	"github.com/partwise/partwise/validate/metric"
)

// span is a range of steps of a scale, both ends included.
type span struct{ from, to int }

// wider returns the span with by more steps on either side, cut off at step 0 and at step last, the ends of the scale.
func (s span) wider(by, last int) span { return span{max(s.from-by, 0), min(s.to+by, last)} }

// bisect returns two neighbouring steps of a span: the value is above 1 at the first, and not at the second. The ends
// of the given span must be so, too. values returns the values of the steps in a range, both ends included; it is
// called for single steps. The error comes from values.
func bisect(in span, values func(from, to int) ([]float64, error)) (span, error) {
	for in.to-in.from > 1 {
		middle := (in.from + in.to) / 2
		v, err := values(middle, middle)
		if err != nil {
			return in, err
		}
		if v[0] > 1 {
			in.from = middle
		} else {
			in.to = middle
		}
	}
	return in, nil
}

// meanAndEnds returns the mean, the lower end and the upper end of an interval, in this order. [intervalOfCrossings]
// numbers them 0, 1 and 2.
func meanAndEnds(e metric.Interval) []float64 { return []float64{e.Mean, e.Low, e.High} }

// intervalOfCrossings returns the interval of the place at which a ratio falls to 1, such as a cost or a number of
// nodes. Low and High are the places at which the two ends of the interval of the ratio fall to 1.
//
// crossing returns the place for number k of [meanAndEnds], and is called for k < n. n is 3, or 1 if the ratio has no
// interval. With 1, Low and High are NaN and HalfWidth is infinite. Otherwise HalfWidth is the larger distance of an
// end from Mean, and infinite if Mean or High is. The error comes from crossing; the interval is incomplete then.
func intervalOfCrossings(n int, crossing func(k int) (float64, error)) (e metric.Interval, err error) {
	e = metric.Interval{Low: math.NaN(), High: math.NaN(), HalfWidth: math.Inf(1)}
	for k, to := range []*float64{&e.Mean, &e.Low, &e.High}[:n] {
		if *to, err = crossing(k); err != nil {
			return e, err
		}
	}
	if n == 1 {
		return e, nil
	}
	// The ratio lies within its interval at every step, and so does its crossing. The interpolation between pooled levels,
	// which differ, can move the crossing of an end by less than a level beyond the crossing of the ratio.
	e.Low, e.High = min(e.Low, e.Mean), max(e.High, e.Mean)
	if !math.IsInf(e.High, 1) {
		e.HalfWidth = max(e.High-e.Mean, e.Mean-e.Low)
	}
	return e, nil
}

// crossingOf returns the place at which values fall to 1, on a scale of steps from 0 to last. A place is a step plus
// the part of the way to the next step. values returns the values of the steps in a range, both ends included.
//
// [fallsToOne] finds the place among the steps of the given span. While values further out could still move the place,
// the span is extended there by widening steps, up to the end of the scale. The error comes from values.
func crossingOf(in span, last, widening int, values func(from, to int) ([]float64, error)) (place float64, err error) {
	for {
		v, err := values(in.from, in.to)
		if err != nil {
			return 0, err
		}
		place, below, above := fallsToOne(v, indices)
		switch {
		case !below && in.from > 0:
			in.from = max(in.from-widening, 0)
		case !above && in.to < last:
			in.to = min(in.to+widening, last)
		default:
			return float64(in.from) + place, nil
		}
	}
}

// interpolate returns the value of a scale at a place: a step plus the part of the way to the next step. at returns the
// value of a step; between two steps the scale is linear. The value at the place +Inf is +Inf.
func interpolate(place float64, at func(step int) float64) float64 {
	if math.IsInf(place, 1) {
		return place
	}
	s := int(place)
	if part := place - float64(s); part > 0 {
		return at(s) + part*(at(s+1)-at(s))
	}
	return at(s)
}

// indices are the places of neighbouring steps, counted from the first of them.
func indices(i int) float64 { return float64(i) }

// fallsToOne returns the place at which the isotonic regression of the values falls to 1. at(i) is the place of value i,
// ascending with i. The result is the first place if the regression begins at 1 or below, and the last place if it never
// falls to 1.
//
// Neighbouring values that rise are pooled into one level (pool adjacent violators). Equal values are not pooled: the
// middle of a plateau depends on how much of the plateau is seen, its end does not. Between the middles of neighbouring
// levels the regression is linear. The place lies between two levels. below reports whether there is a level before
// these two, and above whether there is a level after them. If both hold, values further out hardly move the place.
// Values below 0 or above 2 count as 0 or 2, because only their distance from 1 matters.
func fallsToOne(values []float64, at func(i int) float64) (place float64, below, above bool) {
	type level struct{ sum, n, middle float64 }
	var levels []level
	for i, v := range values {
		levels = append(levels, level{min(max(v, 0), 2), 1, at(i)})
		for k := len(levels) - 1; k > 0; k-- {
			a, b := levels[k-1], levels[k]
			if a.sum*b.n >= b.sum*a.n {
				break
			}
			n := a.n + b.n
			levels = append(levels[:k-1], level{a.sum + b.sum, n, (a.n*a.middle + b.n*b.middle) / n})
		}
	}
	k := slices.IndexFunc(levels, func(l level) bool { return l.sum <= l.n })
	switch k {
	case 0:
		return at(0), false, true
	case -1:
		return at(len(values) - 1), true, false
	}
	a, b := levels[k-1], levels[k]
	high, low := a.sum/a.n-1, b.sum/b.n-1
	return a.middle + (b.middle-a.middle)*high/(high-low), k > 1, k < len(levels)-1
}
