package fit

import (
	"context"
	"math"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// dist returns the mixture of scale·X as a phase-type distribution, with a chain of phases of one rate for each branch.
func (m mixture) dist(scale float64) (phasetype.Dist, error) {
	n := 0
	for _, k := range m.shapes {
		n += k
	}
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
// It is at most 2m−1, the number for any acyclic distribution of the order m.
func (m mixture) parameters() int {
	n := 0
	for _, k := range m.shapes {
		n += k
	}
	return min(3*len(m.shapes)-2, 2*n-1)
}

// withExtraBranch returns the same distribution with one more branch, of probability zero, so that the likelihood need
// not decrease with the order.
func (m mixture) withExtraBranch() mixture {
	last := len(m.rates) - 1
	return mixture{
		append(append([]int(nil), m.shapes...), 1),
		append(append([]float64(nil), m.weights...), 0),
		append(append([]float64(nil), m.rates...), m.rates[last]),
	}
}

// mixtureShortlist is how many mixtures are continued after screening.
const mixtureShortlist = 6

// fitHyperErlang fits mixtures of Erlang distributions at each order, with shapes from all partitions of the order.
func fitHyperErlang(ctx context.Context, p *problem, done func(solution) error) error {
	f := mixtureFit{p: p, name: HyperErlang, bins: p.bins(ctx, 16)}
	coarse := p.erlangMixtures(p.bins(ctx, screenBins))
	coarse.narrow = screenWidth
	f.screen = func(m int, below mixture) ([]fittedMixture, error) {
		found, err := coarse.screen(ctx, p.opts.Workers, m, 30, 1e-9)
		return found[:min(mixtureShortlist, len(found))], err
	}
	return f.run(ctx, done)
}

// fitHyperexponential fits mixtures of exponentials.
func fitHyperexponential(ctx context.Context, p *problem, done func(solution) error) error {
	f := mixtureFit{p: p, name: Hyperexponential, bins: p.bins(ctx, 16)}
	f.screen = func(m int, below mixture) ([]fittedMixture, error) {
		e := p.erlangMixtures(f.bins)
		shapes := make([]int, m)
		for b := range shapes {
			shapes[b] = 1
		}
		starts := []mixture{e.quantileStart(shapes)}
		for _, mu := range insertionRates(below.rates) {
			wider := below.withExtraBranch()
			wider.rates[m-1] = mu
			for b := range wider.weights {
				wider.weights[b] = 0.95*wider.weights[b] + 0.05/float64(m)
			}
			starts = append(starts, wider)
		}
		var out []fittedMixture
		for _, s := range starts {
			out = append(out, e.runEM(ctx, s, 50, 1e-9))
		}
		return out, ctx.Err()
	}
	return f.run(ctx, done)
}

// mixtureFit fits mixtures at ascending orders.
type mixtureFit struct {
	p      *problem
	name   Family
	bins   []bin
	screen func(m int, below mixture) ([]fittedMixture, error) // the mixtures to continue; below has one branch less
}

func (f *mixtureFit) run(ctx context.Context, done func(solution) error) error {
	var best fittedMixture
	last := math.Inf(-1) // the score of the order below
	for m := 1; m <= f.p.opts.MaxPhases; m++ {
		previous := best
		var err error
		if best, err = f.order(ctx, m, previous.mixture); err != nil {
			return err
		}
		d, err := best.dist(f.p.scale)
		score := math.Inf(-1)
		if err == nil {
			score = f.p.score(ctx, d)
		}
		if m > 1 && !(score >= last) { // by the score on the data, for which the bins are only an approximation
			previous.mixture = previous.withExtraBranch()
			best, score = previous, last
			d, err = best.dist(f.p.scale)
		}
		last = score
		if err != nil {
			return &CandidateError{f.name, m, err}
		}
		if err := done(solution{
			phases: m, parameters: best.parameters(), dist: d, iterations: best.steps, converged: best.converged,
		}); err != nil {
			return err
		}
	}
	return nil
}

// order returns the best mixture with m phases on the bins; below is the one with a phase less. The error is that of
// ctx.
func (f *mixtureFit) order(ctx context.Context, m int, below mixture) (best fittedMixture, err error) {
	if m == 1 {
		e := f.p.erlangMixtures(f.bins)
		return f.climb(ctx, &e, e.quantileStart([]int{1})), ctx.Err()
	}
	screened, err := f.screen(m, below)
	if err != nil {
		return best, err
	}
	finished := make([]fittedMixture, len(screened))
	err = forEach(ctx, f.p.opts.Workers, len(screened), func() func(int) {
		e := f.p.erlangMixtures(f.bins)
		return func(i int) { finished[i] = f.climb(ctx, &e, screened[i].mixture) }
	})
	best = finished[0]
	for _, f := range finished[1:] {
		if f.mean > best.mean {
			best = f
		}
	}
	return best, err
}

// climb goes on from a mixture to a maximum of the likelihood, by the method of the options.
func (f *mixtureFit) climb(ctx context.Context, e *erlangMixtures, from mixture) fittedMixture {
	o := f.p.opts
	evals, steps := o.MaxIter, o.MaxIter
	if o.MaxIter == 0 {
		evals, steps = 1000, 5000
	}
	if o.Method == EM {
		return e.runEM(ctx, from, steps, o.Tolerance)
	}
	best := e.ascend(ctx, from, evals, o.Tolerance)
	if best.converged || o.Method != Auto {
		return best
	}
	more := e.runEM(ctx, best.mixture, steps, o.Tolerance)
	more.steps += best.steps
	return more
}
