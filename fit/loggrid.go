package fit

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/fit/internal/interpolation"
)

// splitFor returns the binary logarithm of the number of nodes between t and 2t that a grid needs for distributions of
// so many phases m. It is 4 up to 12 phases, 5 up to 48 and 6 above. The densities vary on a scale of about 1/√m on the
// logarithmic axis.
func splitFor(phases int) int {
	switch {
	case phases <= 12:
		return 4
	case phases <= 48:
		return 5
	}
	return 6
}

// logGrid returns a quadrature with 2^split nodes between t and 2t. The weight of a value is spread over the six nodes
// around it so that polynomials of degree five in log t are summed exactly. The logarithm of the density is smooth on
// that scale. So the grid gives the mean log-likelihood of any number of values to about 1e-9, at the cost of a few
// hundred values. Some node weights are negative. Algorithms that need positive weights use an exact quadrature. The
// quadrature is incomplete if ctx ends; the exported functions of the package check ctx last.
func (p *problem) logGrid(ctx context.Context, split int) *quadrature {
	g := p.gridNodes(ctx, split)
	g.addData(ctx, p)
	return g.quad
}

// addData distributes the weights of all observations of p over the nodes of g.quad: values, lower bounds, truncations
// and intervals. It returns early if ctx ends.
func (g *gridBuilder) addData(ctx context.Context, p *problem) {
	q := g.quad
	q.allocate(len(g.times))
	ends := slices.Clone(g.times)
	floats.AddConst(g.half, ends)
	g.at, g.ends = interpolation.New(g.times), interpolation.New(ends)
	for i, pt := range p.points {
		if stopped(ctx, i) {
			return
		}
		if pt.observed != 0 {
			g.addValue(pt.x, pt.observed)
		}
		if pt.censored != 0 {
			g.addBound(q.censored, pt.x, pt.censored)
		}
	}
	for i, pt := range p.truncations {
		if stopped(ctx, i) {
			return
		}
		g.addBound(q.truncated, pt.x, pt.observed)
	}
	for i, s := range p.intervals {
		if stopped(ctx, i) {
			return
		}
		q.intervals = append(q.intervals, intervalTerm{s.w, g.survival(s.lo), g.survival(s.hi)})
	}
}

// gridNodes returns a grid whose nodes cover the times of the data, with 2^split nodes between t and 2t. The first node
// is below the smallest time or, for rounded values, at r/2^split with the resolution r. The last three nodes are above
// the largest time. Octaves with few data have fewer nodes; see [coarsening]. The nodes have no weights yet;
// [gridBuilder.addData] adds these.
//
// The nodes reach over the times of the data even if ctx has ended. Their numbers in the octaves may then differ,
// because the shares of the octaves are incomplete. No error is returned then; the exported functions of the package
// check ctx last and drop the result.
func (p *problem) gridNodes(ctx context.Context, split int) *gridBuilder {
	g := &gridBuilder{quad: &quadrature{rounded: p.r > 0, total: p.total}, half: p.r / 2}
	g.placeNodes(gridBase*p.first, p.last, split, p.octaveShares(ctx))
	g.quad.finish()
	return g
}

// octaveShares returns the share of the weight of the data in each octave of the grid. Octave k is the times from 2^k
// to 2^(k+1) times the first node or, for rounded data, the resolution. Octave 0 includes all times below. The result
// is nil, for equally many nodes in all octaves, if intervals and truncation need nodes elsewhere. The list is
// incomplete if ctx ends.
func (p *problem) octaveShares(ctx context.Context) []float64 {
	if len(p.intervals)+len(p.truncations) > 0 {
		return nil
	}
	base := gridBase * p.first
	if p.r > 0 {
		base = p.r
	}
	var share []float64
	for i, pt := range p.points {
		if stopped(ctx, i) {
			break
		}
		k := math.Ilogb(max(1, pt.x/base))
		for len(share) <= k {
			share = append(share, 0)
		}
		share[k] += (pt.observed + pt.censored) / p.total
	}
	return share
}

// gridBase is the first node relative to the smallest value.
const gridBase = 0.8

// gridBuilder makes the quadrature of a logarithmic grid.
type gridBuilder struct {
	quad  *quadrature
	half  float64                    // half the resolution
	times []float64                  // of the nodes
	at    interpolation.Interpolator // between the times
	ends  interpolation.Interpolator // between the values whose intervals begin at the nodes: times + half
}

// placeNodes sets g.times, the scaled times of the nodes, and the steps between them in the quadrature: unit, level and
// resolutionLevel. The first node is at base. For rounded data, base is not used: nodes begin at r/2^split, and are
// equally far apart up to 2r, where r is the resolution. The last three nodes are above last, the largest value, and
// there are at least six.
//
// An octave has 2^split nodes, see [splitFor], or fewer if its share of the weight is small, see [coarsening]. Halving
// the distance of nodes divides the error of interpolation by 64. A nil list share stands for 2^split nodes in all
// octaves.
func (g *gridBuilder) placeNodes(base, last float64, split int, share []float64) {
	q := g.quad
	level, left, least := 0, 0, 6
	octave, coarser := 0, 0
	if q.rounded {
		q.unit, q.resolutionLevel = math.Ldexp(2*g.half, -split), split
		g.times, q.level = []float64{q.unit}, []int{0}
		left = 2<<split - 1
		least = left + 1
	} else {
		q.unit = math.Ldexp(base, -split)
		g.times, q.level = []float64{base}, []int{split}
		coarser = coarsening(share, octave, split)
		level, left = coarser, 1<<(split-coarser)
	}
	for after := 0; after < 3 || len(g.times) < least; left-- {
		if left == 0 {
			octave++
			coarser = coarsening(share, octave, split)
			level, left = octave+coarser, 1<<(split-coarser)
		}
		t := g.times[len(g.times)-1] + math.Ldexp(q.unit, level)
		g.times = append(g.times, t)
		q.level = append(q.level, level)
		if t > last {
			after++
		}
	}
}

// coarsening returns how often the number 2^split of nodes in an octave, counted from 0, is halved: 0, 1 or 2. share
// holds the share of the weight of the data in each octave; with nil the result is 0. The number depends on the largest
// share among the octave and its two neighbours: once below 1/64, twice below 1/4096. Grids with 128 nodes or more in
// an octave, as for scoring, and grids of fewer than 8 are not halved.
func coarsening(share []float64, octave, split int) int {
	if share == nil {
		return 0
	}
	var w float64
	for k := max(0, octave-1); k <= octave+1 && k < len(share); k++ { // stencils reach across the ends of an octave
		w = max(w, share[k])
	}
	switch {
	case split >= scoringSplit || split < 3:
		return 0
	case w < 1./4096:
		return 2
	case w < 1./64:
		return 1
	}
	return 0
}

// addValue adds the weight w of an observed value x, in scaled time, to the nodes around it. A rounded value is the
// interval (x−r/2, x+r/2] with the resolution r: its weight goes to observed at nodes near x−r/2. If x ≤ r/2 it is the
// interval (0, x+r/2]: its weight goes to below at nodes near x+r/2.
func (g *gridBuilder) addValue(x, w float64) {
	q := g.quad
	if q.rounded && x <= g.half {
		g.at.Spread(q.below, x+g.half, w)
		return
	}
	g.ends.Spread(q.observed, x, w)
}

// addBound adds a weight w of log P(X > x) to the list to of weights by node. The six nodes around x share w, by
// interpolation of degree five in log t. A node equal to x gets all of w. Before the first node t_0 the logarithm is
// taken as proportional to x, so that t_0 gets w·x/t_0. x must not be above the last node.
func (g *gridBuilder) addBound(to []float64, x, w float64) {
	if x < g.times[0] {
		to[0] += w * x / g.times[0]
		return
	}
	g.at.Spread(to, x, w)
}

// survival returns the coefficients with which survival probabilities at nodes of the grid give P(X > x), for a scaled
// time x. Ends of intervals need it. Before the first node P(X > x) is taken as linear, from 1 at time 0. x must not be
// above the last node.
func (g *gridBuilder) survival(x float64) stencil {
	if first := g.times[0]; x < first {
		return stencil{interpolation.Stencil{N: 1, C: [6]float64{x / first}}, 1 - x/first}
	}
	return stencil{Stencil: g.at.Stencil(x)}
}
