package fit

import (
	"context"
	"math"
	"sort"
)

// multistart fits canonical form 1 at ascending orders, each from many starts: all of them ascend until they are near a
// local maximum (screening), the best of them (the shortlist) ascend to it, and the best of those is finished on a
// finer quadrature.
type multistart struct {
	p       *problem
	quad    *quadrature
	coarse  *quadrature    // with fewer nodes, for all but the last steps
	refined bool           // quad has more nodes than usual
	erlangs erlangMixtures // the best of these are starts
	exact   *quadrature    // nodes at the data, positive weights; made when first needed
}

const (
	// screeningEvals is how many evaluations each start may take in screening, and screeningGain the gain per step below
	// which it is near enough to its local maximum to be compared with the others.
	screeningEvals, screeningGain = 60, 1e-5
	// shortlistSize is how many starts are continued after screening.
	shortlistSize = 3
	// coarseTolerance is the gain per step below which ascents on the coarse quadrature stop: its own error is larger.
	coarseTolerance = 1e-9
)

// fitCF1 fits canonical form 1 at orders 1 to MaxPhases.
func fitCF1(ctx context.Context, p *problem, done func(solution) error) error {
	r, err := p.multistart(ctx)
	if err != nil {
		return err
	}
	var best iterate
	last := math.Inf(-1) // the score of the order below
	for m := 1; m <= p.opts.MaxPhases; m++ {
		previous := best
		var score float64
		if best, score, err = r.order(ctx, m, previous.canonical); ctx.Err() != nil {
			return ctx.Err()
		}
		s := solution{phases: m, parameters: 2*m - 1, iterations: best.evals, converged: best.converged}
		if m > 1 && !(err == nil && score >= last) {
			// One more phase cannot be worse: take the order below, written with another phase.
			best = iterate{canonical: previous.insert(2 * previous.rates[m-2]), mean: previous.mean, evals: best.evals,
				converged: previous.converged}
			s.converged = best.converged
			score, err = r.score(ctx, best)
		}
		if err == nil {
			last = score
			s.dist, err = best.scaled(p.scale).dist()
		}
		if err != nil {
			return &CandidateError{CF1, m, err}
		}
		if err := done(s); err != nil {
			return err
		}
	}
	return nil
}

// order returns the best fit with m phases and its score on the data; below is the fit with one phase less. As long as
// the fit makes use of the errors of a quadrature, that is replaced by a finer one.
func (r *multistart) order(ctx context.Context, m int, below canonical) (best iterate, score float64, err error) {
	if r.quad == nil || splitFor(m) != splitFor(m-1) && r.quad != r.exact {
		r.quad = r.quadratureFor(ctx, m)
		r.coarse = r.coarseFor(ctx, m)
	}
	for {
		if best, err = r.run(ctx, m, below); err != nil {
			return best, 0, err
		}
		score, err = r.score(ctx, best)
		if err != nil || r.quad == r.exact || !(math.Abs(score-r.onQuadrature(best)) > maxOverfit) {
			return best, score, err
		}
		r.refine(ctx, m)
	}
}

// multistart returns the search for canonical form 1. Its mixtures of Erlang distributions are screened on coarse bins.
func (p *problem) multistart(ctx context.Context) (*multistart, error) {
	r := &multistart{p: p, erlangs: p.erlangMixtures(p.bins(ctx, screenBins))}
	r.erlangs.narrow = screenWidth
	return r, ctx.Err()
}

const (
	screenBins  = 4 // per octave
	screenSteps = 8
	screenWidth = 0.2 // relative width below which an interval counts as the density in its middle
)

// maxOverfit is how much the log-likelihood by a grid may differ from that of the data. A larger difference means that
// the fit overfits the grid: between values that lie far apart, it can gain from negative weights.
const maxOverfit = 1e-6

// fewValues is the number of distinct values up to which the exact quadrature is no slower than a grid over them.
const fewValues = 30

// quadratureFor returns the quadrature for the last steps of an ascent.
func (r *multistart) quadratureFor(ctx context.Context, m int) *quadrature {
	if len(r.p.points) <= fewValues {
		return r.exactQuadrature(ctx)
	}
	return r.p.logGrid(ctx, splitFor(m))
}

// coarseFor returns the quadrature for all steps before: with half the nodes, its error is about 1e-7.
func (r *multistart) coarseFor(ctx context.Context, m int) *quadrature {
	if r.quad == r.exact {
		return r.quad
	}
	return r.p.logGrid(ctx, splitFor(m)-1)
}

// refine replaces a grid that was overfitted by a finer one, and that by the exact quadrature.
func (r *multistart) refine(ctx context.Context, m int) {
	if r.refined {
		r.quad = r.exactQuadrature(ctx)
		r.coarse = r.quad
		return
	}
	r.refined = true
	r.coarse, r.quad = r.quad, r.p.logGrid(ctx, splitFor(m)+2)
}

func (r *multistart) exactQuadrature(ctx context.Context) *quadrature {
	if r.exact == nil {
		r.exact = r.p.exactQuadrature(ctx, r.p.grouped(ctx), emDigits)
	}
	return r.exact
}

// score returns the mean log-likelihood of the data themselves.
func (r *multistart) score(ctx context.Context, at iterate) (float64, error) {
	d, err := at.scaled(r.p.scale).dist()
	if err != nil {
		return math.Inf(-1), err
	}
	return r.p.score(ctx, d), ctx.Err()
}

// onQuadrature returns the mean log-likelihood by the quadrature, in the unit of the data.
func (r *multistart) onQuadrature(at iterate) float64 {
	if r.p.r > 0 {
		return at.mean
	}
	return at.mean - math.Log(r.p.scale)*r.p.observed/r.p.total
}

// run returns the best fit with m phases; below is the fit with one phase less.
func (r *multistart) run(ctx context.Context, m int, below canonical) (iterate, error) {
	o := r.p.opts
	if o.Method == EM {
		return r.runEM(ctx, m, below)
	}
	evals := o.MaxIter
	if evals == 0 {
		evals = 1000
	}
	starts, err := r.starts(ctx, m, below)
	if err != nil {
		return iterate{}, err
	}
	screened, err := r.ascend(ctx, m, starts, min(screeningEvals, evals), screeningGain)
	if err != nil {
		return iterate{}, err
	}
	ascended, err := r.ascend(ctx, m, shortlist(screened, shortlistSize), evals, max(coarseTolerance, o.Tolerance))
	if err != nil {
		return iterate{}, err
	}
	best := shortlist(ascended, 1)[0]
	p := newProfile(r.quad, m)
	if r.quad != r.coarse {
		best = p.ascend(ctx, best.restarted(), evals, o.Tolerance)
	}
	best = p.optimum(ctx, best)
	if !best.converged && o.Method == Auto {
		best = r.byEM(ctx, best, m)
	}
	return best, ctx.Err()
}

// byEM continues an ascent that did not converge by 200 steps of EM.
func (r *multistart) byEM(ctx context.Context, best iterate, m int) iterate {
	a := newAscent(r.exactQuadrature(ctx), m)
	again := a.expectationMaximisation(ctx, best.canonical, 200, r.p.opts.Tolerance)
	again.canonical = again.ascending()
	if mean := likelihood(ctx, r.quad, again.canonical); mean >= best.mean {
		again.mean, again.evals = mean, again.evals+best.evals
		return again
	}
	return best
}

// emDigits is the accuracy of times in the quadrature of EM, 2^-24 of their values: the likelihood is exact for data
// moved by that much.
const emDigits = 24

func (r *multistart) runEM(ctx context.Context, m int, below canonical) (iterate, error) {
	o := r.p.opts
	steps := o.MaxIter
	if steps == 0 {
		steps = 2000
	}
	r.quad = r.exactQuadrature(ctx)
	ascend := func(starts []iterate, n int) ([]iterate, error) {
		return r.eachStart(ctx, starts, func() func(iterate) iterate {
			a := newAscent(r.quad, m)
			return func(at iterate) iterate { return a.expectationMaximisation(ctx, at.canonical, n, o.Tolerance) }
		})
	}
	starts, err := r.starts(ctx, m, below)
	if err != nil {
		return iterate{}, err
	}
	screened, err := ascend(starts, min(20, steps))
	if err != nil {
		return iterate{}, err
	}
	ascended, err := ascend(shortlist(screened, 2), steps)
	if err != nil {
		return iterate{}, err
	}
	best := shortlist(ascended, 1)[0]
	best.canonical = best.ascending()
	return best, nil
}

// starts returns the points to start from: the order below with one more phase of various rates, which is as likely as
// that; the best mixtures of Erlang distributions; rates in geometric progression.
func (r *multistart) starts(ctx context.Context, m int, below canonical) ([]iterate, error) {
	var out []iterate
	add := func(c canonical) { out = append(out, iterate{canonical: c}) }
	mean := r.p.average
	if m == 1 {
		add(canonical{[]float64{1}, []float64{1 / mean}})
		return out, nil
	}
	for _, mu := range insertionRates(below.rates) {
		add(below.insert(mu).perturbed(1e-3))
	}
	mixtures, err := r.mixtures(ctx, m, 5)
	if err != nil {
		return nil, err
	}
	for _, mix := range mixtures {
		d, err := mix.dist(1)
		if err != nil { // rates too far apart
			continue
		}
		if c, err := canonicalOf(d, m); err == nil {
			add(c.perturbed(1e-2))
		}
	}
	for _, s := range geometricStarts {
		add(geometric(m, s.spread, s.mean*mean))
	}
	return out, nil
}

// geometricStarts are the geometric progressions to start from. The last, wide and slow, finds phases that are much
// faster than the rest.
var geometricStarts = []struct{ spread, mean float64 }{{16, 1}, {512, 0.3}, {4096, 1}, {1e5, 3}}

// insertionRates returns the rates to try for one more phase: between each two rates that differ, and beyond both ends.
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

// mixtures returns the best mixtures of Erlang distributions with m phases, at most so many, one for each partition of
// m and after a few steps of EM.
func (r *multistart) mixtures(ctx context.Context, m, most int) ([]fittedMixture, error) {
	all, err := r.erlangs.screen(ctx, r.p.opts.Workers, m, screenSteps, 1e-5)
	if err != nil {
		return nil, err
	}
	return all[:min(most, len(all))], nil
}

// ascend continues all starts on the coarse quadrature until their gain per step is less than tolerance.
func (r *multistart) ascend(
	ctx context.Context, m int, starts []iterate, evals int, tolerance float64,
) ([]iterate, error) {
	return r.eachStart(ctx, starts, func() func(iterate) iterate {
		p := newProfile(r.coarse, m)
		return func(at iterate) iterate { return p.ascend(ctx, at, evals, tolerance) }
	})
}

// eachStart applies to each start the function that each worker makes for itself.
func (r *multistart) eachStart(
	ctx context.Context, starts []iterate, newWorker func() func(iterate) iterate,
) ([]iterate, error) {
	out := make([]iterate, len(starts))
	err := forEach(ctx, r.p.opts.Workers, len(starts), func() func(int) {
		f := newWorker()
		return func(i int) { out[i] = f(starts[i]) }
	})
	return out, err
}

// shortlist returns the best points, best first and at most so many. Of points with the same likelihood it takes one.
func shortlist(all []iterate, most int) []iterate {
	sorted := append([]iterate(nil), all...)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].mean > sorted[j].mean })
	out := sorted[:1]
	for _, at := range sorted[1:] {
		if len(out) == most {
			break
		}
		if out[len(out)-1].mean-at.mean > 1e-9 {
			out = append(out, at)
		}
	}
	return out
}
