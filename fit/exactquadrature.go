package fit

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/partwise/partwise/fit/internal/interpolation"
)

// exactQuadrature returns a quadrature whose nodes are the times of the data themselves, each to a relative accuracy of
// 2^-digits. points are the values and lower bounds, or their groups. Further nodes are at truncation times and at ends
// of intervals. A rounded value has its node at the lower end of its rounding interval, or at the upper end if the
// interval contains 0. The steps from one time to the next are powers of two of descending length. The quadrature has
// no interpolation error, but an evaluation takes longer than on a grid. EM uses the quadrature, because EM needs
// positive weights. It is incomplete if ctx ends.
func (p *problem) exactQuadrature(ctx context.Context, points []point, digits int) *quadrature {
	q := &quadrature{unit: 1, rounded: p.r > 0, total: p.total}
	if q.rounded {
		q.unit, q.resolutionLevel = p.r, 0
	}
	b := &exactBuilder{quad: q, digits: digits, maxLevel: math.MaxInt, nodes: map[float64]int{}}
	p.limitSteps(b)
	for i, e := range p.events(ctx, q, points) {
		if stopped(ctx, i) {
			break
		}
		if e.t > 0 { // at 0 nothing has ended yet
			b.add(e)
		}
	}
	for _, s := range p.intervals {
		q.intervals = append(q.intervals, intervalTerm{s.w, b.stencil(s.lo), b.stencil(s.hi)})
	}
	if len(q.level) == 0 { // interrupted before the first step
		b.step(0)
	}
	q.finish()
	return q
}

// limitSteps limits the steps between nodes of an exact quadrature, so that the probability of surviving a step does
// not underflow. It sets b.maxLevel, the binary logarithm of the longest step, in the unit of the quadrature. The mean
// of the data lies between 1 and 2 units of scaled time. If there are intervals or truncated times, the longest step is
// at most 8 units of scaled time. It is at most 256 units if values are only rounded. Steps have no limit for exact
// values, or if the data would need more than 2^14 or 2^12 of these steps.
//
// Vectors are at least tiny, so a step may multiply them by e^−537 without underflow. A step of 256 units is short
// enough for this. Truncated values need shorter steps, because their mean may be far from the mean of all times. In an
// example the means differ by a factor of fifty. Its intervals are up to ten times as long as the time before them,
// nine tenths of which is truncated.
func (p *problem) limitSteps(b *exactBuilder) {
	step, most := 256.0, 0x1p12 // longest step in units of the mean; largest number of such steps that is acceptable
	incomplete := len(p.intervals)+len(p.truncations) > 0
	if incomplete {
		step, most = 8, 0x1p14
	}
	if (incomplete || b.quad.rounded) && p.last+p.r < most*step {
		_, e := math.Frexp(step / b.quad.unit)
		b.maxLevel = e - 1
	}
}

// event is a time that becomes a node, with the weight that is observed there.
type event struct {
	t  float64
	to *[]float64 // list of weights of the quadrature to which w is added; nil for an end of an interval
	w  float64
}

// events returns the scaled times at which the quadrature q needs a node, in ascending order. Each event carries its
// weight, and the list of weights of q to which the weight belongs. A value x goes to observed, at the lower end x −
// r/2 of its rounding interval. If this interval contains 0, the value goes to below, at the upper end x + r/2. A lower
// bound goes to censored and a truncation time to truncated. Both ends of an interval get nodes without weight. The
// events are out of order if ctx ends.
func (p *problem) events(ctx context.Context, q *quadrature, points []point) []event {
	var events []event
	for _, pt := range points {
		if pt.censored > 0 {
			events = append(events, event{pt.x, &q.censored, pt.censored})
		}
		switch {
		case pt.observed == 0:
		case pt.x <= p.r/2 && p.r > 0:
			events = append(events, event{pt.x + p.r/2, &q.below, pt.observed})
		default:
			events = append(events, event{pt.x - p.r/2, &q.observed, pt.observed})
		}
	}
	for _, pt := range p.truncations {
		events = append(events, event{pt.x, &q.truncated, pt.observed})
	}
	for _, s := range p.intervals {
		events = append(events, event{t: s.lo}, event{t: s.hi})
	}
	sortWhile(ctx, slices.SortStableFunc, events, func(a, b event) int { return cmp.Compare(a.t, b.t) })
	return events
}

// exactBuilder makes an exact quadrature, in the order of time.
type exactBuilder struct {
	quad     *quadrature
	digits   int
	maxLevel int             // of a step
	at       float64         // time of the last node, in units of the quadrature
	nodes    map[float64]int // node of each end of an interval
}

// add adds steps up to the scaled time of an event, and the weight of the event to its list at the last node. Events
// come in ascending order. The node of an end of an interval is only noted in b.nodes.
func (b *exactBuilder) add(e event) {
	j := b.stepTo(e.t / b.quad.unit)
	if e.to == nil {
		b.nodes[e.t] = j
		return
	}
	(*e.to)[j] += e.w
}

// stencil returns P(X > t) as a linear combination of the values at nodes. The scaled time t is an end of an interval
// that has a node: the combination is the value at that node, or the constant 1 at t = 0.
func (b *exactBuilder) stencil(t float64) stencil {
	if t == 0 {
		return stencil{one: 1}
	}
	return stencil{Stencil: interpolation.Stencil{At: b.nodes[t], N: 1, C: [6]float64{1}}}
}

// stepTo adds steps up to time t, in units of the quadrature, and returns the index of the last node. The length of
// each step is the largest power of two that does not pass t, at most 2^b.maxLevel. Steps end when the rest is less
// than about 2^−b.digits of t. The first call adds at least one step.
func (b *exactBuilder) stepTo(t float64) int {
	_, exp := math.Frexp(t)
	finest := exp - b.digits
	for {
		_, e := math.Frexp(t - b.at)
		if t <= b.at || e-1 < finest {
			break
		}
		b.step(min(e-1, b.maxLevel))
	}
	if len(b.quad.level) == 0 { // a time that vanished when it was divided by the unit
		b.step(finest)
	}
	return len(b.quad.level) - 1
}

// step appends a node to the quadrature, with weights of zero and a step of 2^level units after the last node, and
// moves b.at there.
func (b *exactBuilder) step(level int) {
	q := b.quad
	q.level = append(q.level, level)
	for _, v := range []*[]float64{&q.observed, &q.censored, &q.truncated, &q.below} {
		*v = append(*v, 0)
	}
	b.at += math.Ldexp(1, level)
}
