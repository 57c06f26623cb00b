package fit

import (
	"context"
	"math"
	"slices"

	"github.com/partwise/partwise/fit/internal/optimum"
	"github.com/partwise/partwise/phasetype"
)

// cf1Fit fits canonical form 1 at ascending orders, each from many starts. Ascents use a coarse quadrature. The best
// ascent is finished on a finer quadrature.
type cf1Fit struct {
	p       *problem
	quad    *quadrature
	coarse  *quadrature // fewer nodes, for all but the last steps
	refined bool        // quad has more nodes than usual
	exact   *quadrature // nodes at the data and positive weights; made when first needed
}

// cf1Point is a point of an ascent over the rates. Its alpha is only a start for finding the best alpha of these rates;
// see [profileLikelihood.optimum].
type cf1Point struct {
	canonical
	descent *optimum.Descent // continues the ascent; nil before the first step
}

const (
	// coarseTolerance is the gain per step below which ascents on the coarse quadrature stop; the error of that quadrature is
	// larger.
	coarseTolerance = 1e-9
	// maxSmallSteps is how many steps in a row may gain less than the tolerance before an ascent has converged.
	maxSmallSteps = 3
	// minPositive replaces 0 where a logarithm is taken; no probability of an observation is as small in double precision.
	minPositive = 1e-300
)

// canonicalForm returns the family of canonical form 1 (acyclic phase-type distributions), without fits. Its orders are
// fitted when they are needed. Canonical form 1 contains the given families of mixtures: their fits with m phases are
// among the starts of the fit with m phases. ctx is the context of all these fits.
func (p *problem) canonicalForm(ctx context.Context, mixtures ...*nested[mixture]) *nested[cf1Point] {
	f := &cf1Fit{p: p}
	return &nested[cf1Point]{
		name: CF1, problem: p,
		fit: func(m int, below cf1Point, contained []cf1Point) (reached[cf1Point], error) {
			return f.order(ctx, m, below.canonical, contained)
		},
		contained: func(m int) ([]containedFit[cf1Point], error) {
			return pointsOf(ctx, m, func(s scored[mixture]) (cf1Point, error) {
				c, err := canonicalOf(s.dist, m)
				return cf1Point{canonical: c.scaled(1 / p.scale)}, err
			}, mixtures...)
		},
		wider:      func(c cf1Point) cf1Point { return cf1Point{canonical: c.insert(2 * c.rates[len(c.rates)-1])} },
		dist:       f.dist,
		parameters: func(c cf1Point) int { return 2*len(c.rates) - 1 },
	}
}

// dist returns a point, whose rates are in scaled time, as a distribution in the unit of the data. The error comes from
// package phasetype.
func (f *cf1Fit) dist(c cf1Point) (phasetype.Dist, error) { return c.scaled(f.p.scale).dist() }

// order returns the best fit with m phases. below is the fit with m−1 phases; it has no phases if m = 1. contained
// holds the fits of mixtures with m phases. Ascents start from both and from other points. If the mean log-likelihoods
// by the quadrature and by the data differ by more than 1e-6, the fit exploits errors of the quadrature. Then a finer
// quadrature replaces it and the fit is repeated, at last with the exact quadrature.
//
// At the first call, or if m needs finer quadratures, quadratures are chosen first. f keeps them for the next order. A
// fit that cannot be represented in floating-point numbers is returned as it is; [nested.scored] finds the error. The
// error comes from ctx.
func (f *cf1Fit) order(ctx context.Context, m int, below canonical, contained []cf1Point) (reached[cf1Point], error) {
	if f.quad == nil || splitFor(m) != splitFor(m-1) && f.quad != f.exact {
		f.chooseQuadratures(ctx, m)
	}
	for {
		best, err := f.run(ctx, m, below, contained)
		if err != nil || f.quad == f.exact {
			return best, err
		}
		d, err := f.dist(best.at)
		if err != nil || !(math.Abs(f.p.score(ctx, d)-f.p.inUnitOfData(best.mean)) > maxOverfit) {
			return best, ctx.Err()
		}
		f.refine(ctx, m)
	}
}

const (
	screenBins  = 4   // per octave
	screenWidth = 0.2 // relative width below which an interval counts as the density in its middle
	fineBins    = 16  // per octave, on which mixtures are fitted
)

// maxOverfit is the largest difference between the mean log-likelihoods by a grid and by the data. A larger difference
// means that the fit overfits the grid: between values that lie far apart, negative weights of nodes can increase the
// likelihood.
const maxOverfit = 1e-6

// fewValues is the number of distinct values and lower bounds up to which the exact quadrature is no slower than a grid
// over them.
const fewValues = 30

// chooseQuadratures sets f.quad, the quadrature for the last steps of an ascent with m phases, and f.coarse for the
// steps before. f.quad is the logarithmic grid for m phases; f.coarse has half as many nodes and an error of about
// 1e-7. With at most 30 distinct values and lower bounds, both are the quadrature whose nodes are the times of the
// data. They are incomplete if ctx ends.
func (f *cf1Fit) chooseQuadratures(ctx context.Context, m int) {
	if len(f.p.points) <= fewValues {
		f.quad = f.exactQuadrature(ctx)
		f.coarse = f.quad
		return
	}
	f.quad, f.coarse = f.p.logGrid(ctx, splitFor(m)), f.p.logGrid(ctx, splitFor(m)-1)
}

// refine replaces f.quad, on which ascents sum the log-likelihood, because the fit exploits errors of this grid. At the
// first call f.coarse becomes the old grid. f.quad becomes one for m phases with four times as many nodes as usual.
// Later calls replace both by the exact quadrature. If ctx ends, f.quad is incomplete; the exported functions of the
// package check ctx last.
func (f *cf1Fit) refine(ctx context.Context, m int) {
	if f.refined {
		f.quad = f.exactQuadrature(ctx)
		f.coarse = f.quad
		return
	}
	f.refined = true
	f.coarse, f.quad = f.quad, f.p.logGrid(ctx, splitFor(m)+2)
}

// exactQuadrature returns the quadrature of EM. Its nodes are the times of the data, rounded to 2^-24 of their values,
// and its weights are positive. More than a thousand distinct times are grouped first. The first call makes it and
// stores it in f.exact, so the first call is not safe for concurrent use. If ctx ends, f.exact is incomplete; the
// exported functions of the package check ctx last.
func (f *cf1Fit) exactQuadrature(ctx context.Context) *quadrature {
	if f.exact == nil {
		f.exact = f.p.exactQuadrature(ctx, f.p.grouped(ctx), emDigits)
	}
	return f.exact
}

// emDigits is the accuracy of times in the quadrature of EM, 2^-24 of their values.
const emDigits = 24

// run returns the best fit with m phases on the present quadratures, by the method of the options. Ascents start from
// below, the fit with one phase less, from contained, fits of mixtures with m phases, and from other points; see
// [cf1Fit.starts]. EM runs on the exact quadrature, which becomes f.quad, and the rates of its result ascend. The other
// methods ascend over the rates on f.coarse, and continue the best ascent on f.quad. Auto continues by EM if this
// ascent does not converge. The error comes from ctx.
func (f *cf1Fit) run(ctx context.Context, m int, below canonical, contained []cf1Point) (best reached[cf1Point], err error) {
	o := f.p.opts
	starts := f.starts(m, below, contained)
	if o.Method == EM {
		f.quad = f.exactQuadrature(ctx)
		best, err = multistart(ctx, o.Workers, starts, effort{20, o.Tolerance}, 2, effort{o.limit(2000), o.Tolerance},
			func() climber[cf1Point] { return f.byEM(ctx, m) })
		if err == nil {
			best.at.canonical = best.at.ascending()
		}
		return best, err
	}
	last := effort{o.limit(1000), max(coarseTolerance, o.Tolerance)}
	best, err = multistart(ctx, o.Workers, starts, effort{60, 1e-5}, 3, last, func() climber[cf1Point] {
		p := newProfileLikelihood(f.coarse, m)
		return func(at reached[cf1Point], e effort) reached[cf1Point] { return p.ascend(ctx, at, e) }
	})
	if err != nil {
		return best, err
	}
	best = f.finish(ctx, best)
	if !best.converged && o.Method == Auto {
		best = f.continueByEM(ctx, best)
	}
	return best, ctx.Err()
}

// finish returns the point that an ascent has reached, with the best alpha of its rates. best must hold its descent,
// the state of L-BFGS. If f.quad is finer than f.coarse, the quadrature of the ascent, a new ascent on f.quad continues
// it first. The steps of both ascents are counted in the result. The result is incomplete if ctx ends.
func (f *cf1Fit) finish(ctx context.Context, best reached[cf1Point]) reached[cf1Point] {
	p := newProfileLikelihood(f.quad, len(best.at.rates))
	if f.quad != f.coarse {
		steps := best.steps
		best.at = cf1Point{canonical: canonical{best.at.alpha, sortedRates(best.at.descent.Y)}}
		best = p.ascend(ctx, best, effort{f.p.opts.limit(1000), f.p.opts.Tolerance})
		best.steps += steps
	}
	return p.optimum(ctx, best)
}

// byEM returns a function that continues an ascent over distributions of m phases by EM, on the quadrature with nodes
// at the data; see [generalAscent]. Parameters that are zero stay zero. The result has no descent, and its rates need
// not ascend. The function is for one goroutine. ctx is the context of all its calls: if ctx ends, the ascent stops
// where it is.
func (f *cf1Fit) byEM(ctx context.Context, m int) climber[cf1Point] {
	a := newGeneralAscent(f.exactQuadrature(ctx), m, true, true)
	return func(from reached[cf1Point], e effort) reached[cf1Point] {
		r := a.maximise(ctx, from.at.dense(), e)
		return reached[cf1Point]{cf1Point{canonical: r.at.chain()}, r.mean, r.steps, r.converged}
	}
}

// continueByEM returns where 200 steps of EM lead from best, an ascent that did not converge, with rates in ascending
// order. It returns best if EM lost likelihood on f.quad. The steps of both are counted in the result of EM. If ctx
// ends, either may be the result; the exported functions of the package check ctx last.
func (f *cf1Fit) continueByEM(ctx context.Context, best reached[cf1Point]) reached[cf1Point] {
	again := f.byEM(ctx, len(best.at.rates))(best, effort{200, f.p.opts.Tolerance})
	again.at.canonical = again.at.ascending()
	if mean := again.at.meanOn(ctx, f.quad); mean >= best.mean {
		again.mean, again.steps = mean, again.steps+best.steps
		return again
	}
	return best
}

// meanOn returns the mean log-likelihood of c on a quadrature of the data, both in scaled time. It is −Inf if the data
// are impossible or ctx ends.
func (c canonical) meanOn(ctx context.Context, q *quadrature) float64 {
	return newGeneralAscent(q, len(c.rates), false, true).mean(ctx, c.dense())
}

// sameChain reports whether two points are the same distribution: ascents from both would be the same.
func (c cf1Point) sameChain(d cf1Point) bool {
	return slices.Equal(c.alpha, d.alpha) && slices.Equal(c.rates, d.rates)
}

// starts returns the points from which ascents with m phases start, in scaled time. With m = 1 the only start is the
// exponential distribution with the mean of the data. Otherwise the starts are
//
//   - the fit of the order below with one more phase, of each of the rates of [insertionRates],
//   - contained, the fits of the families of mixtures,
//   - rates in geometric progression.
//
// The starts of the first two kinds are perturbed, so that no probability is zero and no two rates are equal.
func (f *cf1Fit) starts(m int, below canonical, contained []cf1Point) []cf1Point {
	var out []cf1Point
	add := func(c canonical) { out = append(out, cf1Point{canonical: c}) }
	mean := f.p.average
	if m == 1 {
		add(canonical{[]float64{1}, []float64{1 / mean}})
		return out
	}
	for _, mu := range insertionRates(below.rates) {
		add(below.insert(mu).perturbed(1e-3))
	}
	for i, c := range contained {
		if !slices.ContainsFunc(contained[:i], c.sameChain) { // the best mixture may be the fit of two families
			add(c.perturbed(1e-2))
		}
	}
	for _, s := range geometricStarts {
		add(geometric(m, s.spread, s.mean*mean))
	}
	return out
}

// geometricStarts holds the geometric progressions to start from. The last one, wide and slow, finds phases that are
// much faster than the others.
var geometricStarts = []struct{ spread, mean float64 }{{16, 1}, {512, 0.3}, {4096, 1}, {1e5, 3}}

// insertionRates returns the rates to try for one more phase, given the rates of the others in ascending order. These
// are half the first rate, twice the last, and ten times the last. If the second of two neighbours is more than 1.1
// times the first, their geometric mean is a rate to try, too.
func insertionRates(rates []float64) []float64 {
	first, last := rates[0], rates[len(rates)-1]
	all := []float64{first / 2}
	for i, r := range rates[1:] {
		if r > 1.1*rates[i] {
			all = append(all, math.Sqrt(r*rates[i]))
		}
	}
	return append(all, 2*last, 10*last)
}

// sortedRates returns the rates whose logarithms are y, in ascending order. y stays unchanged.
func sortedRates(y []float64) []float64 {
	rates := make([]float64, len(y))
	for i, v := range y {
		rates[i] = math.Exp(v)
	}
	slices.Sort(rates)
	return rates
}

// logsOf returns the logarithms of the numbers of all vectors, one vector after another. Numbers below 1e-300, such as
// zeros, count as 1e-300. L-BFGS searches over logarithms, so that parameters stay positive.
func logsOf(vectors ...[]float64) (y []float64) {
	for _, v := range vectors {
		for _, x := range v {
			y = append(y, math.Log(max(x, minPositive)))
		}
	}
	return y
}

// ascend continues an ascent by L-BFGS over the logarithms of the rates, within the effort. If from has a descent, the
// descent goes on, and is changed. Otherwise a new one begins at the rates of from. The result has the mean
// log-likelihood and the steps of this call. Its descent holds the rates that were reached. Its chain has still the
// rates of from, and the alpha of the last evaluation; [profileLikelihood.optimum] sets both. If ctx ends, the descent
// stops.
func (p *profileLikelihood) ascend(ctx context.Context, from reached[cf1Point], e effort) reached[cf1Point] {
	d := from.at.descent
	if d == nil {
		d = optimum.NewDescent(logsOf(from.at.rates))
	}
	p.SetAlpha(from.at.alpha)
	before := d.Evals
	d.Run(ctx, p, e.steps, e.tolerance, maxSmallSteps)
	c := canonical{slices.Clone(p.Alpha), from.at.rates}
	return reached[cf1Point]{cf1Point{c, d}, -d.F, d.Evals - before, d.Converged}
}

// optimum returns r with the rates that its descent has reached, sorted, the best alpha of these rates, and their mean
// log-likelihood. If the log-likelihood there is not finite, r is returned as it is. r must have a descent. p is left
// at this point. If ctx ends, r may be returned as it is.
func (p *profileLikelihood) optimum(ctx context.Context, r reached[cf1Point]) reached[cf1Point] {
	p.SetAlpha(r.at.alpha)
	if v := p.Value(ctx, r.at.descent.Y); !math.IsInf(v, 1) {
		r.mean = -v
		r.at.canonical = canonical{slices.Clone(p.Alpha), slices.Clone(p.rates)}
	}
	return r
}
