package fit

import (
	"context"
	"slices"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// dist returns the distribution of scale·X, where X has the distribution m, as a phase-type distribution. Each branch
// is a chain of phases of one rate. The error is that of [phasetype.New] for numbers out of range.
func (m mixture) dist(scale float64) (phasetype.Dist, error) {
	n := phasesIn(m.shapes)
	alpha := make([]float64, n)
	t := mat.NewDense(n, n, nil)
	at := 0
	for b, k := range m.shapes {
		alpha[at] = m.weights[b]
		for i := range k {
			t.Set(at+i, at+i, -m.rates[b]/scale)
			if i+1 < k {
				t.Set(at+i, at+i+1, m.rates[b]/scale)
			}
		}
		at += k
	}
	return phasetype.New(alpha, t)
}

// parameters returns the number of free parameters: weights, rates, and all shapes but one, which the order determines.
// It is at most 2·phases−1, the number for any acyclic distribution of the order.
func (m mixture) parameters() int {
	return min(3*len(m.shapes)-2, 2*phasesIn(m.shapes)-1)
}

// phasesIn returns the number of phases of a mixture of Erlang distributions: the sum of the shapes of its branches.
func phasesIn(shapes []int) (n int) {
	for _, k := range shapes {
		n += k
	}
	return n
}

// withExtraBranch returns a copy of the mixture with one more branch, of shape 1 and probability zero. So the order has
// one more phase, and the likelihood need not decrease with the order.
func (m mixture) withExtraBranch() mixture {
	last := len(m.rates) - 1
	return mixture{
		append(slices.Clone(m.shapes), 1),
		append(slices.Clone(m.weights), 0),
		append(slices.Clone(m.rates), m.rates[last]),
	}
}

// withExponential returns a copy of m with one more branch, an exponential of rate mu, which takes 5 % of the weight of
// each branch. Ascents with one more phase start from it.
func (m mixture) withExponential(mu float64) mixture {
	const taken = 0.05
	out := m.withExtraBranch()
	for b := range m.weights {
		out.weights[b] *= 1 - taken
	}
	last := len(out.rates) - 1
	out.weights[last], out.rates[last] = taken, mu
	return out
}

// withLongerBranch returns a copy of m with one more phase in branch b, counted from 0. The mean of the branch stays
// the same. Ascents with one more phase start from it.
func (m mixture) withLongerBranch(b int) mixture {
	out := mixture{slices.Clone(m.shapes), slices.Clone(m.weights), slices.Clone(m.rates)}
	out.shapes[b]++
	out.rates[b] *= float64(out.shapes[b]) / float64(m.shapes[b])
	return out
}

// Of the mixtures that EM screened, mixtureShortlist are continued. Of many bins, these ascend on coarse bins first, and
// the best fineMixtures continue to the maximum.
const (
	mixtureShortlist = 10
	fineMixtures     = 3
)

// mixtureFit fits a family of mixtures: starts are screened on coarse bins of the data, and the best are continued on
// fine ones.
type mixtureFit struct {
	p            *problem
	coarse, fine []bin
	screening    effort
}

// fewBins is the number of fine bins up to which screening is cheap. It is then done on the fine bins and in more steps.
const fewBins = 50

// mixtureFit returns the fit of the families of mixtures to the observations: fine bins for the maximum, and coarse
// bins with few steps for screening. If there are few bins, starts are screened on the fine bins, too. Bins are
// incomplete if ctx ends.
func (p *problem) mixtureFit(ctx context.Context) mixtureFit {
	fine := p.bins(ctx, fineBins)
	if len(fine) <= fewBins {
		return mixtureFit{p, fine, fine, effort{30, 1e-9}}
	}
	return mixtureFit{p, p.bins(ctx, screenBins), fine, effort{12, 1e-6}}
}

// manyBins reports whether starts are screened on coarse bins, because there are too many fine ones.
func (f mixtureFit) manyBins() bool { return len(f.fine) > fewBins }

// best returns the best mixture that ascents from the starts reach, in scaled time. EM screens all starts; the best of
// them continue by the method of the options. The error is that of ctx.
func (f mixtureFit) best(ctx context.Context, starts []mixture) (reached[mixture], error) {
	from := make([]reached[mixture], len(starts))
	for i, at := range starts {
		from[i].at = at
	}
	workers := f.p.opts.Workers
	screened, err := climbAll(ctx, workers, from, f.screening, func() climber[mixture] {
		e := f.p.erlangMixtures(f.coarse)
		e.narrow = screenWidth
		return func(from reached[mixture], by effort) reached[mixture] { return e.runEM(ctx, from.at, by) }
	})
	if err != nil {
		return reached[mixture]{}, err
	}
	from = shortlist(screened, mixtureShortlist)
	for i := range from {
		from[i].steps = 0
	}
	o := f.p.opts
	if f.manyBins() && o.Method != EM {
		near := effort{min(20, o.limit(20)), 1e-6}
		if from, err = climbAll(ctx, workers, from, near, func() climber[mixture] {
			e := f.p.erlangMixtures(f.coarse)
			e.narrow = screenWidth
			return func(from reached[mixture], by effort) reached[mixture] { return e.ascend(ctx, from.at, by) }
		}); err != nil {
			return reached[mixture]{}, err
		}
		from = shortlist(from, fineMixtures)
	}
	found, err := climbAll(ctx, workers, from, effort{}, func() climber[mixture] {
		e := f.p.erlangMixtures(f.fine)
		return func(from reached[mixture], _ effort) reached[mixture] { return e.climb(ctx, o, from.at) }
	})
	return found[0], err
}

// family returns a family of mixtures with the given name, in which fit finds the best mixture of order m. fit may
// start from the best mixture of order m−1, below, and from mixtures of the families that this family contains.
func (f mixtureFit) family(name Family, fit func(m int, below mixture, contained []mixture) (reached[mixture], error)) *nested[mixture] {
	return &nested[mixture]{
		name: name, problem: f.p, fit: fit, wider: mixture.withExtraBranch,
		dist:       func(m mixture) (phasetype.Dist, error) { return m.dist(f.p.scale) },
		parameters: mixture.parameters,
	}
}

// hyperErlang returns the family of mixtures of Erlang distributions, with shapes from all partitions of the order. It
// contains the hyperexponential family: the fits of that family are among its starts.
func (f mixtureFit) hyperErlang(ctx context.Context, hyperexponential *nested[mixture]) *nested[mixture] {
	n := f.family(HyperErlang, func(m int, below mixture, contained []mixture) (reached[mixture], error) {
		e := f.p.erlangMixtures(f.coarse)
		var starts []mixture
		for _, shapes := range partitionsByParts(m) {
			starts = append(starts, e.starts(shapes)...)
		}
		if m > 1 {
			for b := range below.shapes {
				starts = append(starts, below.withLongerBranch(b))
			}
		}
		return f.best(ctx, append(starts, contained...))
	})
	n.contained = func(m int) ([]reached[mixture], error) {
		return pointsOf(ctx, m, func(s scored[mixture]) (mixture, error) { return s.at, nil }, hyperexponential)
	}
	return n
}

// climb returns a maximum of the likelihood to which ascents from a mixture lead, by the method of the options: L-BFGS,
// EM, or EM where L-BFGS did not converge.
func (e *erlangMixtures) climb(ctx context.Context, o Options, from mixture) reached[mixture] {
	em := effort{o.limit(5000), o.Tolerance}
	if o.Method == EM {
		return e.runEM(ctx, from, em)
	}
	best := e.ascend(ctx, from, effort{o.limit(1000), o.Tolerance})
	if best.converged || o.Method != Auto {
		return best
	}
	more := e.runEM(ctx, best.at, em)
	more.steps += best.steps
	return more
}
