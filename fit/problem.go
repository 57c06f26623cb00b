package fit

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// problem is a checked sample, sorted and with equal values merged, with the options of its fit. Times are divided by
// scale, a power of two near their mean. The division is exact and keeps all numbers in range.
type problem struct {
	opts        Options
	sample      Sample     // as it was given
	points      []point    // values and lower bounds
	intervals   []interval // sorted
	truncations []point    // times at which observation began, with the weight (observed) of what began there
	total       float64    // sum of weights
	observed    float64    // of the values
	uncensored  float64    // of the values and the intervals
	used        int        // values behind the points
	zeros       int        // values dropped
	r           float64    // resolution; 0: values have a density
	scale       float64

	first, last float64     // the range of times, from the smallest positive one
	average     float64     // mean of the times; see mean
	scoringQuad *quadrature // made when first needed
	empirical   []step      // the same
}

// point is a distinct value x. observed is the weight of the observations that end there, censored the weight of those
// for which x is a lower bound.
type point struct {
	x, observed, censored float64
}

// interval is an interval (lo, hi] that holds the weight w.
type interval struct {
	lo, hi, w float64
}

// newProblem returns the observations of a sample, checked, sorted and divided by their unit. The error says what is
// wrong with the sample or the options, or is that of ctx.
func newProblem(ctx context.Context, s Sample, o Options) (*problem, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	p, err := gather(ctx, s, o)
	switch {
	case err != nil:
		return nil, err
	case p.uncensored == 0 && p.zeros > 0:
		return nil, &SampleError{"values", -1, "all values are zero; give the resolution of the clock"}
	case p.uncensored == 0:
		return nil, &SampleError{"values", -1, "all values are censored or have weight zero"}
	case math.IsInf(p.total, 1):
		return nil, &SampleError{"weights", -1, "the sum of weights overflows"}
	}
	return p, p.rescale()
}

// gather returns the observations of a sample, sorted. The error is that of ctx.
func gather(ctx context.Context, s Sample, o Options) (*problem, error) {
	p := &problem{opts: o, sample: s, r: s.Resolution, scale: 1}
	p.points = make([]point, 0, len(s.Values))
	for i := range s.Values {
		if stopped(ctx, i) {
			break
		}
		p.add(s, i)
	}
	if s.sketch != nil {
		p.used = s.sketch.used
		if p.zeros > 0 {
			p.zeros = s.sketch.zeros
		}
		if p.r > 0 {
			p.used += s.sketch.zeros
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	p.points, p.truncations = merge(ctx, p.points), merge(ctx, p.truncations)
	sortWhile(ctx, slices.SortFunc, p.intervals, func(a, b interval) int {
		return cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(a.hi, b.hi))
	})
	return p, ctx.Err()
}

// add adds value i of s.
func (p *problem) add(s Sample, i int) {
	x, w, bound := s.Values[i], s.weight(i), s.lowerBound(i)
	isInterval := !bound && s.Upper != nil && s.Upper[i] > x
	switch {
	case w == 0:
		return
	case x == 0 && bound: // says nothing
		return
	case x == 0 && p.r == 0 && !isInterval:
		p.zeros++
		return
	}
	began := 0.0
	if s.Truncated != nil {
		began = s.Truncated[i]
	}
	switch {
	case bound:
		p.points = append(p.points, point{x: x, censored: w})
	case isInterval:
		p.intervals = append(p.intervals, interval{max(x, began), s.Upper[i], w})
		p.uncensored += w
	case p.r > 0 && began > max(0, x-p.r/2): // it cannot have been rounded up from before observation began
		p.intervals = append(p.intervals, interval{began, x + p.r/2, w})
		p.uncensored += w
	default:
		p.points = append(p.points, point{x: x, observed: w})
		p.observed += w
		p.uncensored += w
	}
	if began > 0 {
		p.truncations = append(p.truncations, point{x: began, observed: w})
	}
	p.used++
	p.total += w
}

// merge sorts points by value and joins those with the same value. It reuses the storage of the list, which it
// overwrites. When ctx ends, the list is incomplete.
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

// sortWhile sorts all by one of the functions of package slices. After ctx has ended it takes all elements as equal, so
// that the sort ends soon.
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

// rescale divides all times of the problem by p.scale, a power of two near the mean, so that numbers stay in range. It
// sets p.scale, the range and the mean. The error says that values are too large, too small or too far apart.
func (p *problem) rescale() error {
	mean := p.mean()
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
	p.scale = math.Ldexp(1, e-1)
	for i := range p.points {
		p.points[i].x /= p.scale
	}
	for i := range p.truncations {
		p.truncations[i].x /= p.scale
	}
	for i := range p.intervals {
		p.intervals[i].lo /= p.scale
		p.intervals[i].hi /= p.scale
	}
	p.r /= p.scale
	p.findRange()
	p.average = p.mean()
	return p.checkRange()
}

// checkRange returns an error if values are too far apart.
func (p *problem) checkRange() error {
	if !(p.r < maxRatio) {
		return &SampleError{"resolution", -1, "more than 2^200 times the mean of the values"}
	}
	smallest := p.first
	if p.r > 0 {
		smallest = p.r
	}
	vanished := p.r == 0 && len(p.points) > 0 && p.points[0].x == 0
	if vanished || !(p.last/smallest < maxRatio) {
		return &SampleError{"values", -1,
			"the largest is more than 2^200 times the smallest, or the resolution; drop outliers"}
	}
	return nil
}

// findRange sets p.first and p.last, the smallest positive and the largest time.
func (p *problem) findRange() {
	p.first, p.last = math.Inf(1), 0
	see := func(x float64) {
		if x > 0 {
			p.first = min(p.first, x)
		}
		p.last = max(p.last, x)
	}
	for _, pt := range p.points {
		see(pt.x)
	}
	for _, pt := range p.truncations {
		see(pt.x)
	}
	for _, s := range p.intervals {
		see(s.lo)
		see(s.hi)
	}
}

// mean returns the mean of the values. Lower bounds count as values, and intervals count at their middles.
func (p *problem) mean() float64 {
	var sum float64
	for _, pt := range p.points {
		sum += (pt.observed + pt.censored) / p.total * pt.x
	}
	for _, s := range p.intervals {
		sum += s.w / p.total * (s.lo/2 + s.hi/2)
	}
	return sum
}

// grouped returns the points, or the means of groups of them if there are very many.
func (p *problem) grouped(ctx context.Context) []point {
	const enough = 1000
	if len(p.points) <= enough {
		return p.points
	}
	var out []point
	for _, b := range p.bins(ctx, 16) {
		switch b.kind {
		case valueBin:
			out = append(out, point{x: b.x, observed: b.w})
		case censoredBin:
			out = append(out, point{x: b.x, censored: b.w})
		}
	}
	return out
}
