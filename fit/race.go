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
type race struct {
	p       *problem
	mesh    *mesh
	rough   *mesh          // with fewer nodes, for all but the last steps
	finer   bool           // mesh is a finer one
	erlangs erlangMixtures // of which the best are starts
	chain   *mesh          // of positive weights, for EM
}

const (
	// sprint is how many evaluations each start may take at first, and sprintGain the gain of a step below which it has
	// come near enough to its summit to be compared.
	sprint, sprintGain = 60, 1e-5
	// finalists is how many go on.
	finalists = 3
	// roughly is the gain per step below which an ascent on the rough mesh, which errs by more, is over.
	roughly = 1e-9
)

// fitCF1 fits canonical form 1 at orders 1 to MaxPhases.
func fitCF1(p *problem, done func(solution) error) error {
	r := p.race()
	var best attempt
	last := math.Inf(-1) // the score of the order below
	for m := 1; m <= p.opts.MaxPhases; m++ {
		if r.mesh == nil || split(m) != split(m-1) && r.mesh != r.chain {
			r.mesh = r.terrain(m)
			r.rough = r.halved(m)
		}
		previous := best
		best = r.run(m, previous.canonical)
		score, err := r.score(best)
		for err == nil && r.mesh != r.chain && math.Abs(score-r.onMesh(best)) > misled {
			r.refine(m)
			best = r.run(m, previous.canonical)
			score, err = r.score(best)
		}
		s := solution{phases: m, parameters: 2*m - 1, iterations: best.evals, converged: best.converged}
		if m > 1 && !(err == nil && score >= last) {
			// One phase more cannot be worse: the order below, written with one more phase.
			best = attempt{canonical: previous.insert(2 * previous.rates[m-2]), mean: previous.mean, evals: best.evals,
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
func (p *problem) race() *race {
	r := &race{p: p, erlangs: p.erlangMixtures(p.bins(screenBins))}
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
const misled = 1e-6

// sparse is the number of distinct values up to which a chain takes no longer than a grid that covers them.
const sparse = 30

// terrain returns the mesh to climb on.
func (r *race) terrain(m int) *mesh {
	if len(r.p.points) <= sparse {
		return r.positive()
	}
	return r.p.grid(split(m))
}

// halved returns the mesh to climb on until the summit is near: with half the nodes, it errs by about 1e-7.
func (r *race) halved(m int) *mesh {
	if r.mesh == r.chain {
		return r.mesh
	}
	return r.p.grid(split(m) - 1)
}

// refine replaces a mesh that misled by a finer one, at last by a chain.
func (r *race) refine(m int) {
	if r.finer {
		r.mesh = r.positive()
		r.rough = r.mesh
		return
	}
	r.finer = true
	r.rough, r.mesh = r.mesh, r.p.grid(split(m)+2)
}

// positive returns the chain, made when first needed.
func (r *race) positive() *mesh {
	if r.chain == nil {
		r.chain = r.p.chain(r.p.thinned(), emDigits)
	}
	return r.chain
}

// score returns the likelihood of the data themselves.
func (r *race) score(at attempt) (float64, error) {
	d, err := at.scaled(r.p.scale).dist()
	if err != nil {
		return math.Inf(-1), err
	}
	return r.p.score(d), nil
}

// onMesh returns the likelihood that the mesh gives, in the unit of the data.
func (r *race) onMesh(at attempt) float64 {
	if r.p.r > 0 {
		return at.mean
	}
	return at.mean - math.Log(r.p.scale)*r.p.seen/r.p.total
}

// run finds the best attempt with m phases; below is the best with one less.
func (r *race) run(m int, below canonical) attempt {
	o := r.p.opts
	if o.Method == EM {
		return r.runEM(m, below)
	}
	evals := o.MaxIter
	if evals == 0 {
		evals = 1000
	}
	field := r.field(m, below)
	field = leaders(r.climb(m, field, min(sprint, evals), sprintGain), finalists)
	best := leaders(r.climb(m, field, evals, max(roughly, o.Tolerance)), 1)[0]
	p := newProfile(r.mesh, m)
	if r.mesh != r.rough {
		best = p.climb(best.again(), evals, o.Tolerance)
	}
	best = p.settle(best)
	if !best.converged && o.Method == Auto {
		again := newAscent(r.positive(), m).expectationMaximisation(best.canonical, 200, o.Tolerance)
		again.canonical = again.ascending()
		if mean := likelihood(r.mesh, again.canonical); mean >= best.mean {
			again.mean, again.evals = mean, again.evals+best.evals
			best = again
		}
	}
	return best
}

// emDigits is the accuracy of times in the chain of EM, 2^-24 of their values: the likelihood is exact for data moved
// by that much.
const emDigits = 24

func (r *race) runEM(m int, below canonical) attempt {
	o := r.p.opts
	steps := o.MaxIter
	if steps == 0 {
		steps = 2000
	}
	r.mesh = r.positive()
	climb := func(field []attempt, n int) []attempt {
		return r.each(field, func() func(attempt) attempt {
			a := newAscent(r.mesh, m)
			return func(at attempt) attempt { return a.expectationMaximisation(at.canonical, n, o.Tolerance) }
		})
	}
	field := leaders(climb(r.field(m, below), min(20, steps)), 2)
	best := leaders(climb(field, steps), 1)[0]
	best.canonical = best.ascending()
	return best
}

// field returns the starts: the order below with one more phase of various rates, which loses nothing; the best
// hyper-Erlang mixtures; ladders.
func (r *race) field(m int, below canonical) []attempt {
	var out []attempt
	enter := func(c canonical) { out = append(out, attempt{canonical: c}) }
	mean := r.p.mean()
	if m == 1 {
		enter(canonical{[]float64{1}, []float64{1 / mean}})
		return out
	}
	for _, mu := range rungs(below.rates) {
		enter(below.insert(mu).softened(1e-3))
	}
	for _, mix := range r.mixtures(m, 5) {
		d, err := mix.dist(1)
		if err != nil { // rates too far apart
			continue
		}
		if c, err := canonicalOf(d, m); err == nil {
			enter(c.softened(1e-2))
		}
	}
	for _, l := range ladders {
		enter(ladder(m, l.spread, l.mean*mean))
	}
	return out
}

// ladders to start from: the last, wide and slow, finds phases that are much faster than the rest.
var ladders = []struct{ spread, mean float64 }{{16, 1}, {512, 0.3}, {4096, 1}, {1e5, 3}}

// rungs returns the rates to try for one more phase: one between each two that differ, and some beyond.
func rungs(rates []float64) []float64 {
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
func (r *race) mixtures(m, keep int) []fittedMixture {
	all := r.erlangs.screen(r.p.opts.Workers, m, screenSteps, 1e-5)
	return all[:min(keep, len(all))]
}

// climb lets all of the field climb on the rough mesh, until steps gain less than tolerance.
func (r *race) climb(m int, field []attempt, evals int, tolerance float64) []attempt {
	return r.each(field, func() func(attempt) attempt {
		p := newProfile(r.rough, m)
		return func(at attempt) attempt { return p.climb(at, evals, tolerance) }
	})
}

// each returns what the function that each worker makes for itself makes of the attempts.
func (r *race) each(field []attempt, worker func() func(attempt) attempt) []attempt {
	out := make([]attempt, len(field))
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
func leaders(field []attempt, keep int) []attempt {
	sorted := append([]attempt(nil), field...)
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
