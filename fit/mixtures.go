package fit

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// dist returns the mixture as a phase-type distribution, one chain of equal rates for each branch.
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

// parameters returns how many numbers describe the mixture: weights, rates, and the shapes that the order leaves free;
// never more than the 2m−1 that determine any acyclic distribution of that order.
func (m mixture) parameters() int {
	n := 0
	for _, k := range m.shapes {
		n += k
	}
	return min(3*len(m.shapes)-2, 2*n-1)
}

// widened returns the same distribution with one more branch, of probability zero. It is what keeps the likelihood from
// falling with the order.
func (m mixture) withExtraBranch() mixture {
	last := len(m.rates) - 1
	return mixture{
		append(append([]int(nil), m.shapes...), 1),
		append(append([]float64(nil), m.weights...), 0),
		append(append([]float64(nil), m.rates...), m.rates[last]),
	}
}

// finishers is how many of the screened mixtures climb to the end.
const mixtureShortlist = 6

// fitHyperErlang fits mixtures of Erlang distributions at each order, all shapes considered.
func fitHyperErlang(p *problem, done func(solution) error) error {
	return p.fitMixtures(HyperErlang, done, func(bins []bin, m int, below mixture) []fittedMixture {
		found := p.erlangMixtures(bins).screen(p.opts.Workers, m, 30, 1e-9)
		return found[:min(mixtureShortlist, len(found))]
	})
}

// fitHyperexponential fits mixtures of exponentials.
func fitHyperexponential(p *problem, done func(solution) error) error {
	return p.fitMixtures(Hyperexponential, done, func(bins []bin, m int, below mixture) []fittedMixture {
		e := p.erlangMixtures(bins)
		shapes := make([]int, m)
		for b := range shapes {
			shapes[b] = 1
		}
		starts := []mixture{e.quantileStart(shapes)}
		for _, mu := range insertionRates(below.rates) {
			near := below.withExtraBranch()
			near.rates[m-1] = mu
			for b := range near.weights {
				near.weights[b] = 0.95*near.weights[b] + 0.05/float64(m)
			}
			starts = append(starts, near)
		}
		var out []fittedMixture
		for _, s := range starts {
			out = append(out, e.runEM(s, 50, 1e-9))
		}
		return out
	})
}

// fitMixtures finishes, at each order, the best of the mixtures that screen proposes.
func (p *problem) fitMixtures(name Family, done func(solution) error,
	screen func(bins []bin, m int, below mixture) []fittedMixture) error {
	bins := p.bins(16)
	steps := p.opts.MaxIter
	if steps == 0 {
		steps = 5000
	}
	var best fittedMixture
	best.mean = math.Inf(-1)
	last := math.Inf(-1) // the score of the order below
	for m := 1; m <= p.opts.MaxPhases; m++ {
		e := p.erlangMixtures(bins)
		previous := best
		if m == 1 {
			best = e.runEM(e.quantileStart([]int{1}), steps, p.opts.Tolerance)
		} else {
			field := screen(bins, m, previous.mixture)
			finished := make([]fittedMixture, len(field))
			parallel(p.opts.Workers, len(field), func() func(int) {
				e := p.erlangMixtures(bins)
				return func(i int) { finished[i] = e.runEM(field[i].mixture, steps, p.opts.Tolerance) }
			})
			best = finished[0]
			for _, f := range finished[1:] {
				if f.mean > best.mean {
					best = f
				}
			}
		}
		d, err := best.dist(p.scale)
		score := math.Inf(-1)
		if err == nil {
			score = p.score(d)
		}
		if m > 1 && !(score >= last) { // on the data, where a weight that has vanished cannot be made up for
			previous.mixture = previous.withExtraBranch()
			best, score = previous, last
			d, err = best.dist(p.scale)
		}
		last = score
		if err != nil {
			return fmt.Errorf("fit: %s with %d phases: %w", name, m, err)
		}
		s := solution{
			phases: m, parameters: best.parameters(), dist: d, iterations: best.steps, converged: best.converged,
		}
		if !s.converged {
			s.warnings = append(s.warnings,
				fmt.Errorf("fit: %s with %d phases did not converge in %d steps of EM", name, m, best.steps))
		}
		if err := done(s); err != nil {
			return err
		}
	}
	return nil
}
