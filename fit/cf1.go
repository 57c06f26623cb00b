package fit

import "math"

// ascent maximises the likelihood of canonical form 1 on one mesh. Its parameters are the logarithms of alpha, up to a
// common constant, and of the rates.
type ascent struct {
	k    *kernel
	m    int
	c    canonical // of the last evaluation
	grad []float64
}

func newAscent(mesh *mesh, m int) *ascent {
	k := newKernel(mesh, m, true)
	k.bidiagonal, k.last = true, !mesh.interval
	return &ascent{
		k: k, m: m, c: canonical{make([]float64, m), make([]float64, m)}, grad: make([]float64, 2*m),
	}
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

// smallest keeps logarithms finite; a probability this small is never seen in double precision.
const smallest = 1e-300

func (a *ascent) parameters(c canonical) []float64 {
	y := make([]float64, 2*a.m)
	for i := range a.m {
		y[i] = math.Log(max(c.alpha[i], smallest))
		y[a.m+i] = math.Log(c.rates[i])
	}
	return y
}

// unpack sets a.c from the parameters and reports whether they are in range.
func (a *ascent) unpack(y []float64) bool {
	top := math.Inf(-1)
	for _, v := range y[:a.m] {
		top = max(top, v)
	}
	var sum float64
	for i, v := range y[:a.m] {
		a.c.alpha[i] = math.Exp(v - top)
		sum += a.c.alpha[i]
	}
	ok := sum > 0
	for i := range a.m {
		a.c.alpha[i] /= sum
		a.c.rates[i] = math.Exp(y[a.m+i])
		ok = ok && a.c.rates[i] > smallest && a.c.rates[i] < 1/smallest
	}
	return ok
}

// evaluate returns the negative mean log-likelihood and its gradient, of which
//
//	∂L/∂log alpha_i = B_i − alpha_i·ΣB,  ∂L/∂log λ_i = N_i − λ_i·Z_i.
func (a *ascent) evaluate(y []float64) (float64, []float64) {
	if !a.unpack(y) {
		return math.Inf(1), a.grad
	}
	a.load(a.c)
	mean := a.k.logLikelihood(true)
	if math.IsInf(mean, -1) {
		return math.Inf(1), a.grad
	}
	k := a.k
	k.derivatives()
	w := k.mesh.total
	starts := dot(k.alpha, k.dAlpha)
	for i, r := range a.c.rates {
		a.grad[i] = -k.alpha[i] * (k.dAlpha[i] - starts) / w
		a.grad[a.m+i] = -r * (a.jumps(i) - k.dT[i*k.n+i]) / w
	}
	return -mean, a.grad
}

// jumps returns the derivative by the rate of leaving phase i upwards: N_i/λ_i.
func (a *ascent) jumps(i int) float64 {
	if i+1 < a.m {
		return a.k.dT[i*a.k.n+i+1]
	}
	return a.k.dExit[i]
}

// attempt is where an ascent arrived.
type attempt struct {
	canonical
	mean      float64 // log-likelihood per unit of weight, on the mesh
	evals     int
	converged bool
}

// after returns at with the evaluations of the attempt that it goes on from.
func (at attempt) after(before attempt) attempt {
	at.evals += before.evals
	return at
}

// climb runs L-BFGS from c until the gain of patience steps is less than tolerance.
func (a *ascent) climb(c canonical, evals int, tolerance float64, patience int) attempt {
	d := descend(a.evaluate, a.parameters(c), evals, tolerance, patience)
	if math.IsInf(d.f, 1) {
		return attempt{canonical: c, mean: math.Inf(-1), evals: d.evals}
	}
	a.unpack(d.y)
	return attempt{canonical: a.c.clone(), mean: -d.f, evals: d.evals, converged: d.converged}
}

// expectationMaximisation repeats
//
//	alpha_i = B_i/ΣB,  λ_i = N_i/Z_i
//
// from c until a step gains less than tolerance, at most steps times. On a mesh of positive weights the likelihood
// increases with each step.
//
// Reference: S. Asmussen, O. Nerman, M. Olsson, Fitting phase-type distributions via the EM algorithm, Scand. J.
// Statist. 23 (1996) 419–441; for this form H. Okamura, T. Dohi, K. S. Trivedi, A refined EM algorithm for PH
// distributions, Perform. Eval. 68 (2011) 938–954.
func (a *ascent) expectationMaximisation(c canonical, steps int, tolerance float64) attempt {
	out := attempt{canonical: c.clone(), mean: math.Inf(-1)}
	next := c.clone()
	for out.evals < steps {
		a.load(next)
		mean := a.k.logLikelihood(true)
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
		a.k.derivatives()
		starts := dot(a.k.alpha, a.k.dAlpha)
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
