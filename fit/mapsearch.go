package fit

import (
	"context"
	"math"
	"slices"

	"github.com/partwise/partwise/fit/internal/optimum"
)

// chainPoint is a point of an ascent over the rates and jumps of a chain.
type chainPoint struct {
	branchChain
	gain    float64          // of the last step of EM; +Inf before the second step
	left    float64          // estimate of what further steps of EM gain; +Inf if there is none
	descent *optimum.Descent // continues an ascent by L-BFGS; nil before its first step
}

// chainSearch says how the starts of a fit become fewer. A few steps of EM on coarse bins rank them in rounds. In easy
// cases the other points turn out to lead to the same maximum or to a lower one, and one point is left after ten or
// fifteen steps. Otherwise L-BFGS ascends on the bins, from the points that are left and from the starts themselves:
// its first steps are longer and may lead to other maxima. The best points ascend on the times themselves. On 192 drawn
// sequences of 40 to 1,000 times, without these further starts, fits of three to five phases were less likely in 10 %
// of all cases.
var chainSearch = struct {
	em    []round
	lbfgs round
}{[]round{{5, 12}, {5, 10}, {5, 8}}, round{30, 6}}

// round is a number of steps of all ascents, and the largest number of points that are left after it.
type round struct{ steps, most int }

// fitBranches returns the most likely Markov chain of Erlang branches, with m phases in all, that ascents reach. Its
// mean log-likelihood is part of the result. Ascents start from partitions of m into branches, and from below with one
// more phase; see [chainSearch]. below is the fit with m−1 phases; it is not read if m = 1. The result is at least as
// likely as below: if ascents reach nothing better, it is below with a branch that is never entered. The error comes
// from ctx; the chain must then not be used.
func (q *sequence) fitBranches(ctx context.Context, m int, below reached[chainPoint], o Options) (reached[chainPoint], error) {
	starts := q.starts(ctx, m)
	if m > 1 {
		starts = append(starts, below.at.widened()...)
	}
	from, err := q.nearMaxima(ctx, starts, o)
	if err != nil {
		return below, err
	}
	if q.coarse != q {
		for i := range from { // on other data
			from[i].at.descent, from[i].converged = nil, false
		}
	}
	last := effort{o.limit(2000), o.Tolerance / 10} // near the bounds of probabilities, steps in a row gain little
	found, err := climbAll(ctx, o.Workers, from, last, q.ascents(ctx))
	best := found[0]
	if m > 1 && !(best.mean >= below.mean) {
		best = below
		best.at = chainPoint{branchChain: below.at.withUnvisitedBranch()}
	}
	return best, err
}

// nearMaxima returns the points to which ascents on coarse bins lead from the starts, best first: those from which the
// most likely chain may be reached; see [chainSearch]. The error comes from ctx.
func (q *sequence) nearMaxima(ctx context.Context, starts []branchChain, o Options) ([]reached[chainPoint], error) {
	from := make([]reached[chainPoint], len(starts))
	for i, c := range starts {
		from[i] = reached[chainPoint]{at: chainPoint{branchChain: c, gain: math.Inf(1), left: math.Inf(1)}, mean: math.Inf(-1)}
	}
	from = promising(from, len(from))
	var err error
	for i, r := range chainSearch.em {
		if i > 0 && len(from) == 1 {
			return from, nil
		}
		within := effort{min(r.steps, o.limit(2000)), 1e-9}
		from, err = climbAll(ctx, o.Workers, from, within, func() climber[chainPoint] {
			return func(from reached[chainPoint], e effort) reached[chainPoint] { return q.coarse.runEM(ctx, from, e) }
		})
		if err != nil {
			return nil, err
		}
		from = promising(from, r.most)
	}
	if len(from) == 1 {
		return from, nil
	}
	for _, c := range starts {
		d := optimum.NewDescent(logsOf(c.rates, c.jump))
		from = append(from, reached[chainPoint]{at: chainPoint{branchChain: c, descent: d}})
	}
	within := effort{min(chainSearch.lbfgs.steps, o.limit(2000)), 1e-7}
	if from, err = climbAll(ctx, o.Workers, from, within, q.coarse.ascents(ctx)); err != nil {
		return nil, err
	}
	return promising(from, chainSearch.lbfgs.most), nil
}

// promising returns the points from which ascents are worth continuing, at most most of sorted, which begins with the
// best. A point is left out if it leads to the same maximum as a better one; see [toSameMaximum]. It is also left out if
// further steps of EM would have to gain more than thirty times the estimate for it to become the best.
func promising(sorted []reached[chainPoint], most int) []reached[chainPoint] {
	const cautious = 30
	var out []reached[chainPoint]
	for _, r := range sorted {
		tooLow := r.mean+cautious*r.at.left < sorted[0].mean
		known := slices.ContainsFunc(out, func(better reached[chainPoint]) bool { return toSameMaximum(better, r) })
		if len(out) < most && !tooLow && !known {
			out = append(out, r)
		}
	}
	return out
}

// toSameMaximum reports whether ascents from two points likely lead to the same maximum. Either all rates differ by at
// most 2 % and all probabilities of jumps by at most 0.02. Or EM converges fast from both, and the estimates of the
// likelihoods that it leads to agree. The order of the branches does not count.
func toSameMaximum(a, b reached[chainPoint]) bool {
	const (
		near = 0.02
		fast = 3   // the last step of EM gained at least a third of what is left
		even = 0.1 // the difference of the estimates as a share of what is left
	)
	x, y := a.at.ordered(), b.at.ordered()
	if !slices.Equal(x.shapes, y.shapes) {
		return false
	}
	left := max(a.at.left, b.at.left)
	if a.at.left < fast*a.at.gain && b.at.left < fast*b.at.gain &&
		math.Abs(a.mean+a.at.left-b.mean-b.at.left) < even*left {
		return true
	}
	for i, r := range x.rates {
		if math.Abs(math.Log(r/y.rates[i])) > near {
			return false
		}
	}
	for i, p := range x.jump {
		if math.Abs(p-y.jump[i]) > near {
			return false
		}
	}
	return true
}

// ascents returns a function that makes, for each worker, the function that continues one ascent by L-BFGS; see
// [climbAll]. ctx is the context of all ascents.
func (q *sequence) ascents(ctx context.Context) func() climber[chainPoint] {
	return func() climber[chainPoint] {
		return func(from reached[chainPoint], e effort) reached[chainPoint] { return q.ascend(ctx, from, e) }
	}
}

// ascend returns where L-BFGS leads from a chain within the effort, with the mean log-likelihood and the steps of this
// call. If from has a descent, the descent goes on, and is changed. If the parameters that were reached are out of
// range, the result is the chain of from with the log-likelihood −Inf. Otherwise it is at least as likely as the point
// from which the ascent starts. Its jumps do not contain the small probability that [branchChain.irreducible] adds; its
// log-likelihood does. If ctx ends, the result is the best point so far.
func (q *sequence) ascend(ctx context.Context, from reached[chainPoint], e effort) reached[chainPoint] {
	o := newChainObjective(q, from.at.shapes)
	d := from.at.descent
	if d == nil {
		d = optimum.NewScaledDescent(logsOf(from.at.rates, from.at.jump), q.scales(from.at.branchChain))
	}
	before := d.Evals
	d.Run(ctx, o, e.steps, e.tolerance, maxSmallSteps)
	if !o.set(d.Y) {
		return reached[chainPoint]{from.at, math.Inf(-1), d.Evals - before, false}
	}
	c := branchChain{from.at.shapes, slices.Clone(o.at.rates), slices.Clone(o.shares)}
	return reached[chainPoint]{chainPoint{c, math.Inf(1), math.Inf(1), d}, -d.F, d.Evals - before, d.Converged}
}

// scales returns the scales of the logarithms of the rates and jumps of c for an ascent that starts there; see
// [optimum.NewScaledDescent]. A scale is the inverse square root of the second derivative of the mean log-likelihood
// that would hold if the branch of each time were known. With the stationary probability π_b of branch b, these are
// shape_b·π_b for a rate and π_b·p_bc·(1−p_bc) for a jump. They are at least the inverse of the number of times, to
// which one jump adds up.
func (q *sequence) scales(c branchChain) []float64 {
	c = c.irreducible()
	n := len(c.shapes)
	stationary := newStationaryVector(n)
	pi := stationary.solve(c.jump)
	var out []float64
	add := func(information float64) { out = append(out, 1/math.Sqrt(max(information, 1/float64(len(q.at))))) }
	for b, k := range c.shapes {
		add(float64(k) * pi[b])
	}
	for i, p := range c.jump {
		add(pi[i/n] * p * (1 - p))
	}
	return out
}

// runEM returns where steps of EM lead from a chain, within the effort. The tolerance is the estimate of the gain of
// all further steps at which EM has converged. If from has converged, it is the result. The log-likelihood belongs to
// the iterate before the result, unless the result has converged. A step usually, but not always, gains likelihood; see
// [chainObjective.next]. EM ends if it does not. The steps of earlier calls are not counted. If ctx ends, the result is
// the last iterate.
func (q *sequence) runEM(ctx context.Context, from reached[chainPoint], e effort) reached[chainPoint] {
	out := from
	out.steps = 0
	o := newChainObjective(q, from.at.shapes)
	c := from.at.branchChain
	for !out.converged && out.steps < e.steps && ctx.Err() == nil {
		o.at = c.irreducible()
		mean := o.mean(ctx)
		out.steps++
		gain := mean - out.mean
		if !(gain > 0) {
			out.at.left, out.converged = 0, gain > -e.tolerance
			return out
		}
		ratio := gain / out.at.gain
		out.at = chainPoint{branchChain: c, gain: gain, left: math.Inf(1)}
		out.mean = mean
		if ratio > 0 && ratio < 1 { // the gains of further steps are a geometric series
			out.at.left = gain * ratio / (1 - ratio)
			out.converged = out.at.left < e.tolerance
		}
		c = o.next(ctx, c)
	}
	if !out.converged {
		out.at.branchChain = c
	}
	return out
}

// next returns the next iterate of EM after c, whose forward pass o.mean has made:
//
//	rate_b = shape_b·count_b/(sum of the times from b),   p_bc ∝ p_bc·∂L/∂p_bc.
//
// L is the log-likelihood. p_bc·∂L/∂p_bc is the expected number of jumps from b to c, and a part that comes from the
// distribution of the first branch, of the order of one jump. This part may be negative, but counts no more than half
// of the jumps. Without it, a branch to which the sequence does not return would never be the first. A branch that has
// no times keeps its parameters.
//
// Reference: L. E. Baum, G. R. Sell, Growth transformations for functions on manifolds, Pacific J. Math. 27 (1968)
// 211–227.
func (o *chainObjective) next(ctx context.Context, c branchChain) branchChain {
	first := o.backward(ctx)
	jump := slices.Clone(o.jump)
	o.pi.addDerivatives(jump, first)
	c = c.clone()
	n := len(c.shapes)
	for b, k := range c.shapes {
		if o.sums[b] > 0 {
			c.rates[b] = float64(k) * o.count[b] / o.sums[b]
		}
		var sum float64
		row := make([]float64, n)
		for to := range row {
			i := b*n + to
			row[to] = o.at.jump[i] * max(jump[i], o.jump[i]/2)
			sum += row[to]
		}
		if sum > 0 {
			normalise(row)
			copy(c.jump[b*n:], row)
		}
	}
	return c
}
