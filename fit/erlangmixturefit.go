package fit

import (
	"context"

	"github.com/partwise/partwise/phasetype"
)

// search says how many starts of a fit are left after each round: longlist after two steps of EM, shortlist after more
// steps. Of many bins, an ascent on coarse bins leaves the number maxima.
type search struct{ longlist, shortlist, maxima int }

// Maxima on coarse bins are compared by their mean log-likelihoods, before the ascents go on on fine bins.
//
//   - sameMaximum: the difference up to which two maxima are the same. Ascents end at gains of 1e-8 a step.
//   - outOfReach: the difference from which a maximum does not become the best on fine bins. In 1,386 fits to drawn
//     samples of 60 to 5,000 values, one did at a difference above 3e-3, and none above 1e-2.
const (
	sameMaximum = 1e-6
	outOfReach  = 1e-2
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

// best returns the best mixture that ascents from the starts reach, in scaled time. starts must not be empty. It
// proceeds in rounds, each with the best of the round before; by says with how many. A few steps of EM on coarse bins
// screen the starts. With many bins, L-BFGS then finds maxima on coarse bins, unless the method is EM. The last ascents
// lead to the maximum on fine bins by the method of the options. The steps of the result leave out the screening. The
// error comes from ctx; the mixture must then not be used.
func (f mixtureFit) best(ctx context.Context, starts []mixture, by search) (reached[mixture], error) {
	from, err := f.screened(ctx, starts, by)
	if err != nil {
		return reached[mixture]{}, err
	}
	o := f.p.opts
	if f.manyBins() && o.Method != EM {
		if from, err = f.nearMaxima(ctx, from, by.maxima); err != nil {
			return reached[mixture]{}, err
		}
	}
	found, err := climbAll(ctx, o.Workers, from, effort{}, func() climber[mixture] {
		e := f.p.erlangMixtures(f.fine)
		return func(from reached[mixture], _ effort) reached[mixture] { return e.climb(ctx, o, from.at) }
	})
	return found[0], err
}

// screened returns the mixtures to which EM leads from the most promising starts, best first, at most by.shortlist. If
// there are more than by.longlist starts, two steps of EM rank them, and the first by.longlist go on. The steps are not
// counted in the result. The error comes from ctx.
func (f mixtureFit) screened(ctx context.Context, starts []mixture, by search) ([]reached[mixture], error) {
	from := make([]reached[mixture], len(starts))
	for i, at := range starts {
		from[i].at = at
	}
	em := func(e *erlangMixtures, from mixture, by effort) reached[mixture] { return e.runEM(ctx, from, by) }
	var err error
	if len(starts) > by.longlist {
		first := effort{2, f.screening.tolerance}
		if from, err = f.climbCoarse(ctx, from, first, ranked(em)); err != nil {
			return nil, err
		}
		from = shortlist(from, by.longlist)
	}
	if from, err = f.climbCoarse(ctx, from, f.screening, em); err != nil {
		return nil, err
	}
	from = shortlist(from, by.shortlist)
	for i := range from {
		from[i].steps = 0
	}
	return from, nil
}

// nearMaxima returns the mixtures to which a few steps of L-BFGS on coarse bins lead from the mixtures from, best
// first; most limits their number. They are ranked by the maxima on coarse bins to which longer ascents lead from them.
// A mixture is left out if another leads to the same maximum, or if its maximum cannot become the best on fine bins: an
// ascent there takes three times as long. The error comes from ctx.
func (f mixtureFit) nearMaxima(ctx context.Context, from []reached[mixture], most int) ([]reached[mixture], error) {
	o := f.p.opts
	ascend := func(e *erlangMixtures, from mixture, by effort) reached[mixture] { return e.ascend(ctx, from, by) }
	near, err := f.climbCoarse(ctx, from, effort{min(20, o.limit(20)), 1e-6}, ascend)
	if err != nil {
		return nil, err
	}
	if near = shortlist(near, most); len(near) == 1 {
		return near, nil
	}
	maxima, err := f.climbCoarse(ctx, near, effort{o.limit(1000), 1e-8}, ranked(ascend))
	if err != nil {
		return nil, err
	}
	kept := maxima[:1:1]
	for _, r := range maxima[1:] {
		if kept[len(kept)-1].mean-r.mean > sameMaximum && maxima[0].mean-r.mean < outOfReach {
			kept = append(kept, r)
		}
	}
	return kept, nil
}

// ascent leads from a mixture to a likelier one within an effort.
type ascent func(e *erlangMixtures, from mixture, by effort) reached[mixture]

// ranked returns the ascent that stays at its start, with the mean log-likelihood to which the given ascent leads, and
// 0 steps. So starts can be ordered by where a short ascent leads, while later ascents begin from the starts
// themselves.
func ranked(by ascent) ascent {
	return func(e *erlangMixtures, from mixture, within effort) reached[mixture] {
		return reached[mixture]{at: from, mean: by(e, from, within).mean}
	}
}

// climbCoarse returns the points to which ascents lead from all given points on coarse bins, within the effort by, best
// first. The error comes from ctx; see [climbAll]. An interval counts as a density up to a larger width than on fine
// bins: the relative width screenWidth.
func (f mixtureFit) climbCoarse(ctx context.Context, from []reached[mixture], by effort, climb ascent) ([]reached[mixture], error) {
	return climbAll(ctx, f.p.opts.Workers, from, by, func() climber[mixture] {
		e := f.p.erlangMixtures(f.coarse)
		e.narrow = screenWidth
		return func(from reached[mixture], by effort) reached[mixture] { return climb(&e, from.at, by) }
	})
}

// family returns a family of mixtures with the given name, without fits. fit finds the best mixture of order m. It may
// start from the best mixture of order m−1, below, and from contained, mixtures of the families that this family
// contains. The caller sets contained and unsurpassed of the result, where the family has them.
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
