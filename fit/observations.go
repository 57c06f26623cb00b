package fit

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// observations are the data of a fit: sorted, with equal values merged. All times are scaled times: divided by scale, a
// power of two near their mean. The division is exact and keeps all numbers in range.
type observations struct {
	points      []point    // values and lower bounds
	intervals   []interval // sorted
	truncations []point    // times at which observation began, with the weight (observed) of what began there
	total       float64    // sum of weights
	observed    float64    // of the values
	uncensored  float64    // of the values and the intervals
	used        int        // values behind the points
	zeros       int        // values dropped
	fractional  bool       // a weight is not a whole number; see size
	squares     float64    // sum of squared weights, 0 if not known; see effectiveSize
	r           float64    // resolution; 0: values have a density
	scale       float64    // the power of two by which times are divided

	first, last float64 // the range of times, from the smallest positive one
	average     float64 // mean of the times; see mean
}

// point is a distinct value x, in scaled time. observed is the weight of the observations that end there. censored is
// the weight of the observations for which x is a lower bound.
type point struct {
	x, observed, censored float64
}

// interval is an interval (lo, hi] in which observations of weight w lie, in scaled time.
type interval struct {
	lo, hi, w float64
}

// gather returns the observations of a sample, sorted and with equal values merged, in the unit of the sample;
// [observations.rescale] scales them. For a sketch, the counts of observations and zeros are the counts of the values
// that it summarises. The sample must be checked and stays unchanged. The error comes from ctx; the observations are
// then incomplete.
func gather(ctx context.Context, s Sample) (observations, error) {
	o := observations{r: s.Resolution, scale: 1}
	o.points = make([]point, 0, len(s.Values))
	for i := range s.Values {
		if stopped(ctx, i) {
			break
		}
		o.add(s, i)
	}
	if s.sketch != nil {
		o.used, o.fractional, o.squares = s.sketch.used, s.sketch.fractional, s.sketch.squares
		if o.zeros > 0 {
			o.zeros = s.sketch.zeros
		}
		if o.r > 0 {
			o.used += s.sketch.zeros
		}
	}
	if ctx.Err() != nil {
		return o, ctx.Err()
	}
	o.points, o.truncations = merge(ctx, o.points), merge(ctx, o.truncations)
	sortWhile(ctx, slices.SortFunc, o.intervals, func(a, b interval) int {
		return cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(a.hi, b.hi))
	})
	return o, ctx.Err()
}

// add appends value i of a sample, counted from 0, to the points, intervals and truncations of o by its kind. Its
// weight is added to o.total, and to o.uncensored unless the value is a lower bound. The weight of an exact or rounded
// value among the points is also added to o.observed. o.used counts the value. A weight that is not whole sets
// o.fractional, even if its value is left out.
//
// Values of weight 0 and lower bounds of 0 are left out. Zeros without a resolution have no density: they are only
// counted, in o.zeros. A rounded value whose observation began inside its rounding interval becomes the interval from
// there on.
func (o *observations) add(s Sample, i int) {
	x, w, bound := s.Values[i], s.weight(i), s.lowerBound(i)
	isInterval := !bound && s.Upper != nil && s.Upper[i] > x
	o.fractional = o.fractional || isFractional(w)
	switch {
	case w == 0:
		return
	case x == 0 && bound: // says nothing
		return
	case x == 0 && o.r == 0 && !isInterval:
		o.zeros++
		return
	}
	began := 0.0
	if s.Truncated != nil {
		began = s.Truncated[i]
	}
	switch {
	case bound:
		o.points = append(o.points, point{x: x, censored: w})
	case isInterval:
		o.intervals = append(o.intervals, interval{max(x, began), s.Upper[i], w})
		o.uncensored += w
	case o.r > 0 && began > max(0, x-o.r/2): // it cannot have been rounded up from before observation began
		o.intervals = append(o.intervals, interval{began, x + o.r/2, w})
		o.uncensored += w
	default:
		o.points = append(o.points, point{x: x, observed: w})
		o.observed += w
		o.uncensored += w
	}
	if began > 0 {
		o.truncations = append(o.truncations, point{x: began, observed: w})
	}
	o.used++
	o.total += w
	o.squares += w * w
}

// size returns the number n of observations, for tests and standard errors. If all weights are whole numbers, they
// count observations, and n is their sum. Otherwise they say how much each row matters, and n is the number of rows
// used, o.used.
func (o *observations) size() float64 {
	if o.fractional {
		return float64(o.used)
	}
	return o.total
}

// effectiveSize returns how many observations of equal weight are as precise as these, for tests: [observations.size] if
// weights count observations, and otherwise (Σw)²/Σw².
//
// Reference: L. Kish, Survey Sampling, Wiley 1965.
func (o *observations) effectiveSize() float64 {
	if o.fractional && o.squares > 0 {
		return o.total / o.squares * o.total
	}
	return o.size()
}

// isFractional reports whether a weight, at most mostWeight, is not a whole number. Then it counts no observations. The
// conversion takes less time than math.Trunc, for each value that is added to a sketch.
func isFractional(w float64) bool { return w != float64(int64(w)) }

// merge returns the points sorted by value. Points of the same value are joined: their weights are added. It overwrites
// the list and returns its beginning, so the list must not be used any more. When ctx ends, the list is incomplete.
func merge(ctx context.Context, points []point) []point {
	sortWhile(ctx, slices.SortFunc, points, func(a, b point) int { return cmp.Compare(a.x, b.x) })
	k := 0
	for i, pt := range points {
		if stopped(ctx, i) {
			break
		}
		if k > 0 && points[k-1].x == pt.x {
			points[k-1].observed += pt.observed
			points[k-1].censored += pt.censored
			continue
		}
		points[k] = pt
		k++
	}
	return points[:k]
}

// sortWhile sorts all, in place, by one of the functions of package slices. After ctx has ended it takes all elements
// as equal, so that the sort ends soon, with elements out of order. Lists of at most 2^14 elements are always sorted.
func sortWhile[E any](
	ctx context.Context, sort func(all []E, compare func(a, b E) int), all []E, compare func(a, b E) int,
) {
	if len(all) <= chunk {
		sort(all, compare)
		return
	}
	compared, ended := 0, false
	sort(all, func(a, b E) int {
		if compared++; stopped(ctx, compared) {
			ended = true
		}
		if ended {
			return 0
		}
		return compare(a, b)
	})
}

// maxRatio is the largest ratio between two values, or between a value and the resolution, of a sample that can be
// fitted.
const maxRatio = 0x1p200

// rescale divides all times of o and its resolution, in place, by a power of two near the mean, so that numbers stay in
// range. It sets scale, first, last and average. The error is a *[SampleError]: all values are zero, their mean is
// below 1e-78 or above 1e78, or [observations.checkRange] fails.
func (o *observations) rescale() error {
	mean := o.mean()
	if mean == 0 {
		return &SampleError{"values", -1, "all values were rounded to zero, so that no distribution fits best; measure with a finer clock"}
	}
	if math.IsInf(mean, 1) {
		return &SampleError{"values", -1, "too large: the mean overflows"}
	}
	_, e := math.Frexp(mean)
	if e < -260 || e > 260 { // about 1e±78; rates near these are still far from the limits of a distribution
		return &SampleError{"values", -1, fmt.Sprintf("their mean is %g; choose another unit of time", mean)}
	}
	o.scale = math.Ldexp(1, e-1)
	for i := range o.points {
		o.points[i].x /= o.scale
	}
	for i := range o.truncations {
		o.truncations[i].x /= o.scale
	}
	for i := range o.intervals {
		o.intervals[i].lo /= o.scale
		o.intervals[i].hi /= o.scale
	}
	o.r /= o.scale
	o.findRange()
	o.average = o.mean()
	return o.checkRange()
}

// checkRange returns a *[SampleError] if the largest time is more than 2^200 times the smallest positive time or, for
// rounded values, the resolution. It also returns a *SampleError if the resolution is more than 2^200 times the mean,
// or if an exact value became 0 by scaling. Otherwise it returns nil.
func (o *observations) checkRange() error {
	if !(o.r < maxRatio) {
		return &SampleError{"resolution", -1, "more than 2^200 times the mean of the values"}
	}
	smallest := o.first
	if o.r > 0 {
		smallest = o.r
	}
	vanished := o.r == 0 && len(o.points) > 0 && o.points[0].x == 0
	if vanished || !(o.last/smallest < maxRatio) {
		return &SampleError{"values", -1,
			"the largest is more than 2^200 times the smallest, or the resolution; drop outliers"}
	}
	return nil
}

// findRange sets first and last, the smallest positive time and the largest time of all observations, in scaled time.
// Lower bounds, times of truncation and both ends of intervals count; all are finite. first is +Inf if no time is
// positive.
func (o *observations) findRange() {
	o.first, o.last = math.Inf(1), 0
	see := func(x float64) {
		if x > 0 {
			o.first = min(o.first, x)
		}
		o.last = max(o.last, x)
	}
	for _, pt := range o.points {
		see(pt.x)
	}
	for _, pt := range o.truncations {
		see(pt.x)
	}
	for _, s := range o.intervals {
		see(s.lo)
		see(s.hi)
	}
}

// mean returns the weighted mean of the times, in their present unit: the unit of the sample before
// [observations.rescale], scaled time after it. Lower bounds count as values, and intervals count at their middles. It
// shows the scale of the data; it does not estimate the mean of their distribution.
func (o *observations) mean() float64 {
	var sum float64
	for _, pt := range o.points {
		sum += (pt.observed + pt.censored) / o.total * pt.x
	}
	for _, s := range o.intervals {
		sum += s.w / o.total * (s.lo/2 + s.hi/2)
	}
	return sum
}

// grouped returns the values and lower bounds, without intervals and truncations. Up to a thousand distinct points are
// o.points themselves, so the caller must not change them. With more, the means of groups take their place. Values and
// lower bounds have groups of their own, 16 between x and 2x. An exact quadrature of the groups takes less time. The
// groups are incomplete if ctx ends.
func (o *observations) grouped(ctx context.Context) []point {
	const enough = 1000
	if len(o.points) <= enough {
		return o.points
	}
	var out []point
	for _, b := range o.bins(ctx, 16) {
		switch b.kind {
		case valueBin:
			out = append(out, point{x: b.x, observed: b.w})
		case censoredBin:
			out = append(out, point{x: b.x, censored: b.w})
		}
	}
	return out
}

// constant reports whether all observations are one value.
func (o *observations) constant() bool { return len(o.points) == 1 && len(o.intervals) == 0 }

// constantWarning returns the warning for observations of one value; it wraps [ErrConstant].
func (o *observations) constantWarning() error {
	tell := "one value tells"
	if o.used > 1 {
		tell = fmt.Sprintf("%d equal values tell", o.used)
	}
	return fmt.Errorf("%s nothing of how much the values vary: %w", tell, ErrConstant)
}
