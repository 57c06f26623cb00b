package fit

import (
	"context"
	"math"

	"github.com/partwise/partwise/fit/internal/optimum"
)

// ascent maximises the likelihood of canonical form 1 by EM.
type ascent struct {
	k *kernel
	m int
}

func newAscent(q *quadrature, m int) *ascent { return ascentOf(q, m, q.incomplete()) }

// ascentOf returns an ascent whose derivatives are those of the complete data if complete; see [kernel].
func ascentOf(q *quadrature, m int, complete bool) *ascent {
	k := newKernel(q, m, true, complete)
	k.bidiagonal, k.lastPhaseOnly = true, !q.rounded
	return &ascent{k, m}
}

// load sets the kernel to c.
func (a *ascent) load(c canonical) {
	k := a.k
	copy(k.alpha, c.alpha)
	for i, r := range c.rates {
		k.t[i*k.n+i] = -r
		if i+1 < a.m {
			k.t[i*k.n+i+1] = r
		}
	}
	clear(k.exit)
	k.exit[a.m-1] = c.rates[a.m-1]
}

// likelihood returns the mean log-likelihood of c by a quadrature.
func likelihood(ctx context.Context, q *quadrature, c canonical) float64 {
	a := ascentOf(q, len(c.rates), false)
	a.load(c)
	return a.k.logLikelihood(ctx, false)
}

// minPositive replaces 0 where a logarithm is taken; no probability of an observation is as small in double precision.
const minPositive = 1e-300

// jumps returns N_i/λ_i, the derivative with respect to the rate from phase i to the next one or to absorption.
func (a *ascent) jumps(i int) float64 {
	if i+1 < a.m {
		return a.k.dT[i*a.k.n+i+1]
	}
	return a.k.dExit[i]
}

// expectationMaximisation repeats
//
//	alpha_i = B_i/ΣB,  λ_i = N_i/Z_i
//
// from c until a step gains less than tolerance, at most steps times. By a quadrature with positive weights no step
// decreases the likelihood.
//
// Reference: S. Asmussen, O. Nerman, M. Olsson, Fitting phase-type distributions via the EM algorithm, Scand. J.
// Statist. 23 (1996) 419–441; for this form H. Okamura, T. Dohi, K. S. Trivedi, A refined EM algorithm for PH
// distributions, Perform. Eval. 68 (2011) 938–954.
func (a *ascent) expectationMaximisation(ctx context.Context, c canonical, steps int, tolerance float64) iterate {
	out := iterate{canonical: c.clone(), mean: math.Inf(-1)}
	next := c.clone()
	for out.evals < steps && ctx.Err() == nil {
		a.load(next)
		mean := a.k.logLikelihood(ctx, true)
		out.evals++
		if !(mean > out.mean) {
			out.converged = !math.IsInf(mean, -1)
			return out
		}
		gain := mean - out.mean
		copy(out.alpha, next.alpha)
		copy(out.rates, next.rates)
		out.mean = mean
		if gain < tolerance {
			out.converged = true
			return out
		}
		a.k.derivatives(ctx)
		starts := optimum.Dot(a.k.alpha, a.k.dAlpha)
		for i, r := range out.rates {
			next.alpha[i] = out.alpha[i] * a.k.dAlpha[i] / starts
			n, z := r*a.jumps(i), a.k.dT[i*a.k.n+i]
			if n > 0 && z > 0 {
				next.rates[i] = n / z
			}
		}
	}
	return out
}
