package fit

import (
	"context"
	"math"

	"github.com/partwise/partwise/fit/internal/optimum"
)

// profileLikelihood evaluates the profile likelihood of canonical form 1: the likelihood for given rates with the best
// initial vector alpha. It also gives the derivatives with respect to the logarithms of the rates. For given rates,
// [optimum.Mixing] maximises the log-likelihood Σ w·log(row·alpha) over alpha. So the search has half of the
// parameters, no bounds, and fewer directions in which the likelihood is nearly constant. At the best alpha, the
// derivatives of the profile likelihood are the partial derivatives with alpha fixed.
//
// Reference: G. H. Golub, V. Pereyra, The differentiation of pseudo-inverses and nonlinear least squares problems whose
// variables separate, SIAM J. Numer. Anal. 10 (1973) 413–432, for the idea to search over the nonlinear parameters only.
type profileLikelihood struct {
	*likelihood
	optimum.Mixing
	rates  []float64 // ascending
	order  []int     // index of each rate among the parameters
	slopes []float64
}

// newProfileLikelihood returns the profile likelihood of canonical form 1 with so many phases, on a quadrature, with
// all its storage. It is for one goroutine.
func newProfileLikelihood(q *quadrature, phases int) *profileLikelihood {
	p := &profileLikelihood{likelihood: newLikelihood(q, phases, true, false), Mixing: optimum.NewMixing(phases, q.total)}
	p.rates, p.slopes, p.order = make([]float64, phases), make([]float64, phases), make([]int, phases)
	p.Rows = p.rows
	p.IndexRows()
	return p
}

// Value returns the negative mean log-likelihood of the rates whose logarithms are y, with the best alpha of these
// rates, to which it sets p.Alpha. The search for this alpha starts from p.Alpha. Value is +Inf if the rates are out of
// range, the data are impossible, or ctx ends during the evaluation. Gradient reads what Value has computed.
func (p *profileLikelihood) Value(ctx context.Context, y []float64) float64 {
	if !p.load(y) || p.tooFast() {
		return math.Inf(1)
	}
	logs, ok := p.evaluate(ctx)
	if !ok {
		return math.Inf(1)
	}
	mean := p.Maximise(ctx) + logs/p.quad.total
	if math.IsNaN(mean) || math.IsInf(mean, 0) {
		return math.Inf(1)
	}
	return -mean
}

// load sets p.rates to the rates exp(y_i) in ascending order, and p.order to the index i of each. It sets T and the
// exit rates to the chain with these rates. It reports whether all rates are between 1e-300 and 1e300.
func (p *profileLikelihood) load(y []float64) bool {
	for i := range y { // insertion sort: the rates are nearly in order
		k := i
		for ; k > 0 && y[p.order[k-1]] > y[i]; k-- {
			p.order[k] = p.order[k-1]
		}
		p.order[k] = i
	}
	ok := true
	for i, from := range p.order {
		r := math.Exp(y[from])
		ok = ok && r > minPositive && r < 1/minPositive
		p.rates[i] = r
		p.t[i*p.n+i] = -r
		if i+1 < p.m {
			p.t[i*p.n+i+1] = r
		}
	}
	p.exit[p.m-1] = p.rates[p.m-1]
	return ok
}

// Gradient returns the derivatives of the negative mean log-likelihood with respect to the logarithms of the rates, in
// their order in y. They are derivatives at the point of the last call of Value. The next call overwrites the result.
// If ctx ends, the derivatives are meaningless.
func (p *profileLikelihood) Gradient(ctx context.Context) []float64 {
	p.derivatives(ctx, p.Alpha, p.F)
	for i, r := range p.rates {
		d := -p.dT[i*p.n+i]
		if i+1 < p.m {
			d += p.dT[i*p.n+i+1]
		} else {
			d += p.dExit[i]
		}
		p.slopes[p.order[i]] = -r * d / p.quad.total
	}
	return p.slopes
}
