package fit

import (
	"context"

	"github.com/partwise/partwise/phasetype"
)

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
// bins with few steps for screening. With at most 50 fine bins, starts are screened on the fine bins, too, in more
// steps. Bins are incomplete if ctx ends.
func (p *problem) mixtureFit(ctx context.Context) mixtureFit {
	fine := p.bins(ctx, fineBins)
	if len(fine) <= fewBins {
		return mixtureFit{p, fine, fine, effort{30, 1e-9}}
	}
	return mixtureFit{p, p.bins(ctx, screenBins), fine, effort{12, 1e-6}}
}

// manyBins reports whether there are more than 50 fine bins. Then starts are screened on coarse bins.
func (f mixtureFit) manyBins() bool { return len(f.fine) > fewBins }

// best returns the best mixture that ascents from the starts reach, in scaled time. It proceeds in rounds. A few steps
// of EM on coarse bins screen all starts, and the best ten remain. With many bins, a few steps of L-BFGS on coarse bins
// reduce these to three, unless the method is EM. The rest ascend to the maximum on fine bins by the method of the
// options. The steps of the result leave out the screening. The error comes from ctx.
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

// family returns a family of mixtures with the given name, without fits. fit finds the best mixture of order m. It may
// start from the best mixture of order m−1, below, and from contained, mixtures of the families that this family
// contains.
func (f mixtureFit) family(name Family, fit func(m int, below mixture, contained []mixture) (reached[mixture], error)) *nested[mixture] {
	return &nested[mixture]{
		name: name, problem: f.p, fit: fit, wider: mixture.withExtraBranch,
		dist:       func(m mixture) (phasetype.Dist, error) { return m.dist(f.p.scale) },
		parameters: mixture.parameters,
	}
}

// climb returns a maximum of the likelihood to which ascents from a mixture lead, by the method of the options: L-BFGS
// or EM. The default is L-BFGS, continued by EM if it does not converge. The steps of both are counted. If ctx ends,
// the result is the best point so far.
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
