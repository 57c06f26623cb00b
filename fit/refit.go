package fit

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/phasetype"
)

// Refit fits canonical form 1 to a sample, starting only from a distribution that was fitted to a similar sample, and
// with as many phases. It takes a fraction of the time of [PhaseType]. The bootstrap uses it to refit many samples that
// are drawn from one. The result is in the unit of s, as from must be. converged is as in [Candidate]. The options
// MaxIter, Tolerance and Memory apply; other options have no effect.
//
// The error is a *[SampleError], an *[OptionError] for an option with a wrong value or if from is missing, or the error
// of ctx. It wraps a *[parallel.LimitError] if the fit needs more than Memory. It comes from package phasetype if from
// is not acyclic, or if the result cannot be represented.
func Refit(ctx context.Context, s Sample, from phasetype.Dist, o Options) (d phasetype.Dist, converged bool, err error) {
	if err := begin(ctx); err != nil {
		return d, false, err
	}
	if from.Phases() == 0 {
		return d, false, &OptionError{"distribution", "is missing"}
	}
	o.Families, o.Own, o.MinPhases, o.MaxPhases = nil, nil, from.Phases(), from.Phases()
	if o, err = o.withDefaults(); err != nil {
		return d, false, err
	}
	p, err := newProblem(ctx, s, o)
	if err != nil {
		return d, false, err
	}
	d, converged, err = p.refit(ctx, from)
	return d, converged, interrupted(ctx, err)
}

// refit returns the distribution in canonical form 1 to which an ascent of the likelihood leads from the acyclic
// distribution from. It has as many phases. Both are in the unit of the data. The ascent starts beside from, see
// refitPerturbation. The quadrature is not checked, as [cf1Fit.order] does. converged is as in [Candidate]. The error
// comes from [canonicalOf], package phasetype or ctx.
func (p *problem) refit(ctx context.Context, from phasetype.Dist) (d phasetype.Dist, converged bool, err error) {
	start, err := canonicalOf(from, from.Phases())
	if err != nil {
		return d, false, err
	}
	start = start.scaled(1 / p.scale).perturbed(refitPerturbation)
	f := &cf1Fit{p: p}
	f.chooseQuadratures(ctx, from.Phases())
	begin := reached[cf1Point]{at: cf1Point{canonical: start}}
	last := effort{p.opts.limit(1000), max(coarseTolerance, p.opts.Tolerance)}
	best := f.finish(ctx, newProfileLikelihood(f.coarse, from.Phases()).ascend(ctx, begin, last))
	if ctx.Err() != nil {
		return d, false, ctx.Err()
	}
	if d, err = f.dist(best.at); err != nil {
		return d, false, fmt.Errorf("fit: %w", err)
	}
	return d, best.converged, nil
}

// refitPerturbation moves the start off the boundary. Otherwise a weight of zero would stay zero, and two equal rates
// would stay equal.
const refitPerturbation = 1e-3

// Again returns the fit of the family and the number of phases of a candidate to another sample. For canonical form 1
// it starts only from the candidate, by [Refit]; for other families it is [PhaseType], with default options. The
// bootstrap refits samples that are drawn from the first. Again takes one worker, because samples are fitted in
// parallel. The error comes from Refit or PhaseType; if ctx ends, it is the error of ctx. It is an *[OptionError] for a
// family of the caller.
func Again(ctx context.Context, s Sample, first Candidate) (phasetype.Dist, error) {
	o := Options{Workers: 1}
	if first.Family == CF1 {
		d, _, err := Refit(ctx, s, first.Dist, o)
		return d, err
	}
	o.Families, o.MinPhases, o.MaxPhases = []Family{first.Family}, first.Phases, first.Phases
	found, err := PhaseType(ctx, s, o)
	if err != nil {
		return phasetype.Dist{}, err
	}
	return found[0].Dist, nil
}
