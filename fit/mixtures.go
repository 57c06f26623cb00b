package fit

import (
	"context"
	"slices"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// dist returns the mixture of scale·X as a phase-type distribution, with a chain of phases of one rate for each branch.
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
// It is at most 2m−1, the number for any acyclic distribution of order m.
func (m mixture) parameters() int {
	return min(3*len(m.shapes)-2, 2*phasesIn(m.shapes)-1)
}

// phasesIn returns the number of phases of Erlang distributions.
func phasesIn(shapes []int) (n int) {
	for _, k := range shapes {
		n += k
	}
	return n
}

// withExtraBranch returns the same distribution with one more branch, of probability zero, so that the likelihood need
// not decrease with the order.
func (m mixture) withExtraBranch() mixture {
	last := len(m.rates) - 1
	return mixture{
		append(slices.Clone(m.shapes), 1),
		append(slices.Clone(m.weights), 0),
		append(slices.Clone(m.rates), m.rates[last]),
	}
}

// mixtureShortlist is the number of mixtures that are continued after screening.
const mixtureShortlist = 6

// fitHyperErlang fits mixtures of Erlang distributions at each order, with shapes from all partitions of the order.
func fitHyperErlang(ctx context.Context, p *problem, done func(solution) error) error {
	coarse := p.erlangMixtures(p.bins(ctx, screenBins))
	coarse.narrow = screenWidth
	return fitMixtures(ctx, p, HyperErlang, p.bins(ctx, 16), func(m int, below mixture) ([]reached[mixture], error) {
		found, err := coarse.screen(ctx, p.opts.Workers, m, effort{30, 1e-9})
		return found[:min(mixtureShortlist, len(found))], err
	}, done)
}

// fitHyperexponential fits mixtures of exponentials.
func fitHyperexponential(ctx context.Context, p *problem, done func(solution) error) error {
	bins := p.bins(ctx, 16)
	e := p.erlangMixtures(bins)
	return fitMixtures(ctx, p, Hyperexponential, bins, func(m int, below mixture) ([]reached[mixture], error) {
		out := []reached[mixture]{e.runEM(ctx, e.quantileStart(slices.Repeat([]int{1}, m)), effort{50, 1e-9})}
		for _, mu := range insertionRates(below.rates) {
			wider := below.withExtraBranch()
			wider.rates[m-1] = mu
			for b := range wider.weights {
				wider.weights[b] = 0.95*wider.weights[b] + 0.05/float64(m)
			}
			out = append(out, e.runEM(ctx, wider, effort{50, 1e-9}))
		}
		return out, ctx.Err()
	}, done)
}

// fitMixtures fits mixtures at ascending orders. For an order above 1, screen returns the mixtures to continue; below has
// one branch less.
func fitMixtures(
	ctx context.Context, p *problem, name Family, bins []bin, screen func(m int, below mixture) ([]reached[mixture], error),
	done func(solution) error,
) error {
	fit := func(m int, below mixture) (best reached[mixture], err error) {
		e := p.erlangMixtures(bins)
		from := []reached[mixture]{{at: e.quantileStart([]int{1})}}
		if m > 1 {
			if from, err = screen(m, below); err != nil {
				return best, err
			}
			for i := range from {
				from[i].steps = 0
			}
		}
		found, err := climbAll(ctx, p.opts.Workers, from, effort{tolerance: p.opts.Tolerance}, func() climber[mixture] {
			e := p.erlangMixtures(bins)
			return func(from reached[mixture], by effort) reached[mixture] { return e.climb(ctx, p.opts, from.at) }
		})
		return found[0], err
	}
	return nested[mixture]{name, fit, mixture.withExtraBranch,
		func(m mixture) (phasetype.Dist, error) { return m.dist(p.scale) }, mixture.parameters}.each(ctx, p, done)
}

// climb continues from a mixture to a maximum of the likelihood, by the method of the options.
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
