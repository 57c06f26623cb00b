package replay

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// anchors carry a ratio, and the ends of its interval, from the weeks of a [Sample] over to the whole log. The ratio
// depends on a step of a scale, such as a number of nodes. It is known in the weeks at many steps, and in the whole log at a few of
// them, the anchors. With r the ratio in the weeks and v a value of the whole log,
//
//	v(step) ≈ r(step)·q(step),   q(anchor) = v(anchor)/r(anchor).
//
// q is linear in step between two anchors, and constant beyond the first and the last. A search finds where v falls to 1
// near enough to an anchor, and so from the jobs of the whole log. The weeks only give the slope up to the next anchor.
//
// That pays where the weeks have at most half of the jobs.
type anchors struct {
	farthest  int         // largest distance in steps of a crossing from the nearest anchor
	steps     []int       // ascending
	quotients [][]float64 // q at these steps, of each value
}

// add makes a step an anchor, which it must not be yet. values are those of the whole log, and ratio is the ratio in the
// weeks.
func (a *anchors) add(step int, values []float64, ratio float64) {
	at, _ := slices.BinarySearch(a.steps, step)
	q := make([]float64, len(values))
	for k, v := range values {
		q[k] = v / ratio
	}
	a.steps, a.quotients = slices.Insert(a.steps, at, step), slices.Insert(a.quotients, at, q)
}

// values returns the values of the whole log at a step with the given ratio in the weeks. There must be an anchor.
func (a *anchors) values(step int, ratio float64) []float64 {
	at, _ := slices.BinarySearch(a.steps, step)
	before, after := max(at-1, 0), min(at, len(a.steps)-1)
	part := 0.0
	if before < after {
		part = float64(step-a.steps[before]) / float64(a.steps[after]-a.steps[before])
	}
	values := make([]float64, len(a.quotients[0]))
	for k := range values {
		q := a.quotients[before][k]
		values[k] = ratio * (q + part*(a.quotients[after][k]-q))
	}
	return values
}

// missing returns the step that is nearest to a place, the crossing of a value, and whether it should become an
// anchor, because no anchor is near enough. Places beyond the last step of the scale, as far as +Inf, count as the last
// step. A place that is not a number has no nearest step, and needs no anchor.
func (a *anchors) missing(place float64, last int) (step int, is bool) {
	if math.IsNaN(place) {
		return 0, false
	}
	place = min(place, float64(last))
	near := func(step int) bool { return math.Abs(float64(step)-place) <= float64(a.farthest) }
	return int(math.Round(place)), !slices.ContainsFunc(a.steps, near)
}

// settle adds anchors until each of n places is near an anchor, one at a time: the anchor of the ratio tells better where
// the ends of its interval are. place returns the place, from 0 to last or +Inf, at which value number k falls to 1, with
// the anchors so far. add makes an anchor of a step. The error comes from place or from add, or is the error of ctx.
func (a *anchors) settle(ctx context.Context, n, last int, place func(k int) (float64, error), add func(step int) error) error {
	for k := 0; k < n; {
		at, err := place(k)
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		step, is := a.missing(at, last)
		if !is {
			k++
			continue
		}
		if err := add(step); err != nil {
			return err
		}
		k = 0 // the anchor may have moved the places before
	}
	return nil
}
