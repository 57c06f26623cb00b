package fit

import (
	"context"
	"math"
	"sort"
)

// bin is a group of neighbouring observations of one kind, in scaled time. x is their weighted mean, log its logarithm
// and w the sum of their weights.
type bin struct {
	x, log, w float64
	lo, hi    float64 // ends of an interval, of a truncated time, or of the interval of a rounded value
	width     float64 // of the interval from lo to hi; the difference hi−lo may have lost its digits
	kind      binKind
}

type binKind int

const (
	valueBin     binKind = iota
	censoredBin          // a lower bound
	intervalBin          // an interval
	truncatedBin         // the time from 0 to hi in which observation had not begun
)

// bins returns the data grouped on a logarithmic grid with perOctave bins between x and 2x, in ascending order of their
// means. Truncated times come last. Values, lower bounds and truncated times have bins of their own. The bin of a value
// has the ends and the width of its rounding interval; without a resolution the width is 0. [observations.intervalBins]
// gives the bins of intervals.
//
// The mean of a bin stands for its values; the error is of the second order in the width of the bin. Values up to four
// times the resolution are not grouped. Mixtures are fitted to bins. If ctx ends, the bins are incomplete.
func (o *observations) bins(ctx context.Context, perOctave float64) []bin {
	observed, censored := func(pt point) float64 { return pt.observed }, func(pt point) float64 { return pt.censored }
	out := group(ctx, o.points, valueBin, 4*o.r, perOctave, observed)
	out = append(out, group(ctx, o.points, censoredBin, 4*o.r, perOctave, censored)...)
	for i := range out {
		b := &out[i]
		b.lo, b.hi, b.width = max(0, b.x-o.r/2), b.x+o.r/2, o.r
	}
	out = append(out, o.intervalBins(ctx, perOctave)...)
	truncated := group(ctx, o.truncations, truncatedBin, 0, perOctave, observed)
	for i := range truncated {
		truncated[i].hi = truncated[i].x
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].x < out[j].x })
	return append(out, truncated...)
}

// group joins the points of each cell of a logarithmic grid, with perOctave cells between x and 2x, to one bin. weight
// returns the weight of a point that counts here: observed or censored. A bin has the weighted mean of its points, the
// logarithm of the mean, the sum of the weights, and the given kind: value, lower bound or truncated time. Each point
// up to the value ungrouped starts a new bin. points are sorted ascending, and points of weight 0 are dropped. If ctx
// ends, the bins are incomplete.
func group(
	ctx context.Context, points []point, kind binKind, ungrouped, perOctave float64, weight func(point) float64,
) []bin {
	var out []bin
	last, end := math.Inf(-1), 0.0 // the cell of the last bin, and where it ends
	for i, pt := range points {
		if stopped(ctx, i) {
			break
		}
		w := weight(pt)
		if w == 0 {
			continue
		}
		cell := last
		if pt.x > 0 && pt.x >= end { // values ascend: most are in the cell of the value before
			cell = math.Floor(math.Log2(pt.x) * perOctave)
			end = math.Exp2((cell + 1) / perOctave)
		}
		if len(out) == 0 || cell != last || pt.x <= ungrouped {
			out = append(out, bin{kind: kind})
			last = cell
		}
		b := &out[len(out)-1]
		b.w += w
		b.x += w * pt.x
	}
	for i := range out {
		out[i].x /= out[i].w
		out[i].log = math.Log(out[i].x)
	}
	return out
}

// intervalBins returns one bin for all intervals with the same two ends. With more than 500 intervals, the ends need
// only lie in the same two cells of a logarithmic grid. It has 2·perOctave cells between x and 2x. The ends of a bin
// are the weighted means of the ends of its intervals. The bins are in the order of their first intervals. If ctx ends,
// they are incomplete.
func (o *observations) intervalBins(ctx context.Context, perOctave float64) []bin {
	const many = 500
	type ends struct{ lo, hi float64 }
	key := func(s interval) ends { return ends{s.lo, s.hi} }
	if len(o.intervals) > many {
		cell := func(x float64) float64 { return math.Floor(math.Log2(x) * 2 * perOctave) }
		key = func(s interval) ends { return ends{cell(s.lo), cell(s.hi)} }
	}
	place := map[ends]int{}
	var out []bin
	for n, s := range o.intervals {
		if stopped(ctx, n) {
			break
		}
		k := key(s)
		i, ok := place[k]
		if !ok {
			i = len(out)
			place[k] = i
			out = append(out, bin{kind: intervalBin})
		}
		b := &out[i]
		b.w += s.w
		b.lo += s.w * s.lo
		b.hi += s.w * s.hi
	}
	for i := range out {
		b := &out[i]
		b.lo /= b.w
		b.hi /= b.w
		b.x, b.width = b.lo/2+b.hi/2, b.hi-b.lo
		b.log = math.Log(b.x)
	}
	return out
}
