package fit

import (
	"fmt"
	"math"
	"sort"
	"sync"
	"sync/atomic"
)

// race fits canonical form 1 at rising orders. At each order all starts climb until they are near a summit, the best go
// on to it, and the winner climbs on a finer mesh until it has arrived.
type multistart struct {
	p       *problem
	quad    *quadrature
	coarse  *quadrature    // with fewer nodes, for all but the last steps
	refined bool           // mesh is a finer one
	erlangs erlangMixtures // of which the best are starts
	exact   *quadrature    // of positive weights, for EM
}

const (
	// sprint is how many evaluations each start may take at first, and sprintGain the gain of a step below which it has
	// come near enough to its summit to be compared.
	screeningEvals, screeningGain = 60, 1e-5
	// finalists is how many go on.
	shortlistSize = 3
	// roughly is the gain per step below which an ascent on the rough mesh, which errs by more, is over.
	coarseTolerance = 1e-9
)

// fitCF1 fits canonical form 1 at orders 1 to MaxPhases.
func fitCF1(p *problem, done func(solution) error) error {
	r := p.multistart()
	var best iterate
	last := math.Inf(-1) // the score of the order below
	for m := 1; m <= p.opts.MaxPhases; m++ {
		if r.quad == nil || splitFor(m) != splitFor(m-1) && r.quad != r.exact {
			r.quad = r.quadratureFor(m)
			r.coarse = r.coarseFor(m)
		}
		previous := best
		best = r.run(m, previous.canonical)
		score, err := r.score(best)
		for err == nil && r.quad != r.exact && math.Abs(score-r.onQuadrature(best)) > maxOverfit {
			r.refine(m)
			best = r.run(m, previous.canonical)
			score, err = r.score(best)
		}
		s := solution{phases: m, parameters: 2*m - 1, iterations: best.evals, converged: best.converged}
		if m > 1 && !(err == nil && score >= last) {
			// One phase more cannot be worse: the order below, written with one more phase.
			best = iterate{canonical: previous.insert(2 * previous.rates[m-2]), mean: previous.mean, evals: best.evals,
				converged: previous.converged}
			s.converged = best.converged
			score, err = r.score(best)
		}
		if err != nil {
			return fmt.Errorf("fit: cf1 with %d phases: %w", m, err)
		}
		last = score
		if !s.converged {
			s.warnings = append(s.warnings,
				fmt.Errorf("fit: %d acyclic phases did not converge in %d iterations", m, best.evals))
		}
		if s.dist, err = best.scaled(p.scale).dist(); err != nil {
			return fmt.Errorf("fit: cf1 with %d phases: %w", m, err)
		}
		if err := done(s); err != nil {
			return err
		}
	}
	return nil
}

// race returns a race of which nothing has been run. Starts are searched on coarse bins.
func (p *problem) multistart() *multistart {
	r := &multistart{p: p, erlangs: p.erlangMixtures(p.bins(screenBins))}
	r.erlangs.narrow = screenWidth
	return r
}

const (
	screenBins  = 4 // in an octave
	screenSteps = 8
	screenWidth = 0.2 // of intervals that count as the density in their middle
)

// misled is the difference between the likelihood of a grid and that of the data from which on the grid is not trusted:
// between values that lie far apart, its negative weights can be made use of.
const maxOverfit = 1e-6

// sparse is the number of distinct values up to which a chain takes no longer than a grid that covers them.
const fewValues = 30

// terrain returns the mesh to climb on.
func (r *multistart) quadratureFor(m int) *quadrature {
	if len(r.p.points) <= fewValues {
		return r.exactQuadrature()
	}
	return r.p.logGrid(splitFor(m))
}

// halved returns the mesh to climb on until the summit is near: with half the nodes, it errs by about 1e-7.
func (r *multistart) coarseFor(m int) *quadrature {
	if r.quad == r.exact {
		return r.quad
	}
	return r.p.logGrid(splitFor(m) - 1)
}

// refine replaces a mesh that misled by a finer one, at last by a chain.
func (r *multistart) refine(m int) {
	if r.refined {
		r.quad = r.exactQuadrature()
		r.coarse = r.quad
		return
	}
	r.refined = true
	r.coarse, r.quad = r.quad, r.p.logGrid(splitFor(m)+2)
}

// positive returns the chain, made when first needed.
func (r *multistart) exactQuadrature() *quadrature {
	if r.exact == nil {
		r.exact = r.p.exactQuadrature(r.p.grouped(), emDigits)
	}
	return r.exact
}

// score returns the likelihood of the data themselves.
func (r *multistart) score(at iterate) (float64, error) {
	d, err := at.scaled(r.p.scale).dist()
	if err != nil {
		return math.Inf(-1), err
	}
	return r.p.score(d), nil
}

// onMesh returns the likelihood that the mesh gives, in the unit of the data.
func (r *multistart) onQuadrature(at iterate) float64 {
	if r.p.r > 0 {
		return at.mean
	}
	return at.mean - math.Log(r.p.scale)*r.p.observed/r.p.total
}

// run finds the best attempt with m phases; below is the best with one less.
func (r *multistart) run(m int, below canonical) iterate {
	o := r.p.opts
	if o.Method == EM {
		return r.runEM(m, below)
	}
	evals := o.MaxIter
	if evals == 0 {
		evals = 1000
	}
	field := r.starts(m, below)
	field = shortlist(r.ascend(m, field, min(screeningEvals, evals), screeningGain), shortlistSize)
	best := shortlist(r.ascend(m, field, evals, max(coarseTolerance, o.Tolerance)), 1)[0]
	p := newProfile(r.quad, m)
	if r.quad != r.coarse {
		best = p.ascend(best.restarted(), evals, o.Tolerance)
	}
	best = p.optimum(best)
	if !best.converged && o.Method == Auto {
		again := newAscent(r.exactQuadrature(), m).expectationMaximisation(best.canonical, 200, o.Tolerance)
		again.canonical = again.ascending()
		if mean := likelihood(r.quad, again.canonical); mean >= best.mean {
			again.mean, again.evals = mean, again.evals+best.evals
			best = again
		}
	}
	return best
}

// emDigits is the accuracy of times in the chain of EM, 2^-24 of their values: the likelihood is exact for data moved
// by that much.
const emDigits = 24

func (r *multistart) runEM(m int, below canonical) iterate {
	o := r.p.opts
	steps := o.MaxIter
	if steps == 0 {
		steps = 2000
	}
	r.quad = r.exactQuadrature()
	climb := func(field []iterate, n int) []iterate {
		return r.eachStart(field, func() func(iterate) iterate {
			a := newAscent(r.quad, m)
			return func(at iterate) iterate { return a.expectationMaximisation(at.canonical, n, o.Tolerance) }
		})
	}
	field := shortlist(climb(r.starts(m, below), min(20, steps)), 2)
	best := shortlist(climb(field, steps), 1)[0]
	best.canonical = best.ascending()
	return best
}

// field returns the starts: the order below with one more phase of various rates, which loses nothing; the best
// hyper-Erlang mixtures; ladders.
func (r *multistart) starts(m int, below canonical) []iterate {
	var out []iterate
	enter := func(c canonical) { out = append(out, iterate{canonical: c}) }
	mean := r.p.mean()
	if m == 1 {
		enter(canonical{[]float64{1}, []float64{1 / mean}})
		return out
	}
	for _, mu := range insertionRates(below.rates) {
		enter(below.insert(mu).perturbed(1e-3))
	}
	for _, mix := range r.mixtures(m, 5) {
		d, err := mix.dist(1)
		if err != nil { // rates too far apart
			continue
		}
		if c, err := canonicalOf(d, m); err == nil {
			enter(c.perturbed(1e-2))
		}
	}
	for _, l := range geometricStarts {
		enter(geometric(m, l.spread, l.mean*mean))
	}
	return out
}

// ladders to start from: the last, wide and slow, finds phases that are much faster than the rest.
var geometricStarts = []struct{ spread, mean float64 }{{16, 1}, {512, 0.3}, {4096, 1}, {1e5, 3}}

// rungs returns the rates to try for one more phase: one between each two that differ, and some beyond.
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

// mixtures returns the best keep hyper-Erlang mixtures of m phases, one for each partition, after a short EM.
func (r *multistart) mixtures(m, keep int) []fittedMixture {
	all := r.erlangs.screen(r.p.opts.Workers, m, screenSteps, 1e-5)
	return all[:min(keep, len(all))]
}

// climb lets all of the field climb on the rough mesh, until steps gain less than tolerance.
func (r *multistart) ascend(m int, field []iterate, evals int, tolerance float64) []iterate {
	return r.eachStart(field, func() func(iterate) iterate {
		p := newProfile(r.coarse, m)
		return func(at iterate) iterate { return p.ascend(at, evals, tolerance) }
	})
}

// each returns what the function that each worker makes for itself makes of the attempts.
func (r *multistart) eachStart(field []iterate, worker func() func(iterate) iterate) []iterate {
	out := make([]iterate, len(field))
	parallel(r.p.opts.Workers, len(field), func() func(int) {
		f := worker()
		return func(i int) { out[i] = f(field[i]) }
	})
	return out
}

// parallel calls the function that each worker makes for itself with 0 … n−1.
func parallel(workers, n int, make func() func(int)) {
	workers = min(workers, n)
	if workers <= 1 {
		f := make()
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			f := make()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wait.Wait()
}

// leaders returns the best keep attempts, best first, one of those that arrived at the same likelihood.
func shortlist(field []iterate, keep int) []iterate {
	sorted := append([]iterate(nil), field...)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].mean > sorted[j].mean })
	out := sorted[:1]
	for _, at := range sorted[1:] {
		if len(out) == keep {
			break
		}
		if out[len(out)-1].mean-at.mean > 1e-9 {
			out = append(out, at)
		}
	}
	return out
}
