package fit

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/partwise/partwise/fit/internal/optimum"
	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// dense is any phase-type distribution of m phases: initial probabilities alpha (m), rates jump between phases (m×m by
// rows, diagonal unused) and rates exit of absorption (m).
type dense struct {
	alpha, jump, exit []float64
}

// newDense returns a distribution of m phases whose entries are all zero, for the caller to fill in.
func newDense(m int) dense {
	return dense{make([]float64, m), make([]float64, m*m), make([]float64, m)}
}

// clone returns a copy that shares no memory with d, so that an ascent may change the copy.
func (d dense) clone() dense {
	return dense{slices.Clone(d.alpha), slices.Clone(d.jump), slices.Clone(d.exit)}
}

// generalAscent maximises the likelihood over all entries of alpha, T and exit. Parameters that are zero stay zero, both
// with EM and with L-BFGS, which searches over logarithms.
type generalAscent struct {
	k    *likelihood
	m    int
	d    dense
	grad []float64
}

// newGeneralAscent returns an ascent over distributions of m phases on a quadrature: for EM if em, otherwise for
// L-BFGS. triangular says that all distributions of the ascent are upper triangular.
func newGeneralAscent(q *quadrature, m int, em, triangular bool) *generalAscent {
	k := newLikelihood(q, m, triangular, em && q.incomplete())
	return &generalAscent{k: k, m: m, d: newDense(m), grad: make([]float64, m*(m+2))}
}

// generator calls set with each entry (i, j) of the subgenerator T, m×m with indices from 0. An entry on the diagonal
// is minus the sum of the rates out of the phase, to other phases and to absorption. d holds these rates.
func (d dense) generator(set func(i, j int, rate float64)) {
	m := len(d.alpha)
	for i, out := range d.exit {
		for j, rate := range d.jump[i*m : i*m+m] {
			if j != i {
				out += rate
				set(i, j, rate)
			}
		}
		set(i, i, -out)
	}
}

// mean returns the log-likelihood of d divided by the weight of the observations: the value that EM and L-BFGS
// increase. d is in scaled time. The evaluator a.k stores the numbers that the derivatives need. The result is −Inf if
// the data are impossible, if a rate is too large for the matrix exponentials, or if ctx ends.
func (a *generalAscent) mean(ctx context.Context, d dense) float64 {
	copy(a.k.exit, d.exit)
	d.generator(func(i, j int, rate float64) { a.k.t[i*a.k.n+j] = rate })
	if a.k.tooFast() {
		return math.Inf(-1)
	}
	return a.k.mean(ctx, d.alpha)
}

// unpack sets a.d to the parameters whose logarithms are y, with alpha divided by its sum. y holds m initial
// probabilities, m·m rates between phases by rows, and m exit rates. It reports whether all numbers are below 1e300 and
// some initial probability is positive; otherwise a.d is no distribution.
func (a *generalAscent) unpack(y []float64) bool {
	m := a.m
	ok := true
	var sum float64
	for i, v := range y {
		x := math.Exp(v)
		ok = ok && x < 1/minPositive
		switch {
		case i < m:
			a.d.alpha[i] = x
			sum += x
		case i < m+m*m:
			a.d.jump[i-m] = x
		default:
			a.d.exit[i-m-m*m] = x
		}
	}
	for i := range a.d.alpha {
		a.d.alpha[i] /= sum
	}
	return ok && sum > 0
}

// Value returns the objective that the ascent minimises: the negative mean log-likelihood of the distribution whose
// parameters have the logarithms y, listed as for [generalAscent.unpack]. It is +Inf if they are out of range, the data
// are impossible, or ctx ends. a.d becomes this distribution, and the likelihood a.k stores the numbers from which
// Gradient follows.
func (a *generalAscent) Value(ctx context.Context, y []float64) float64 {
	if !a.unpack(y) {
		return math.Inf(1)
	}
	return -a.mean(ctx, a.d)
}

// Gradient returns the derivatives of the negative mean log-likelihood with respect to the logarithms y, at the point
// of the last call of Value. The next call overwrites the result. With L the log-likelihood and the expected starts B,
// jumps N, exits E and times Z of [likelihood],
//
//	∂L/∂log alpha_i = B_i − alpha_i·ΣB,  ∂L/∂log T_ij = N_ij − T_ij·Z_i,  ∂L/∂log exit_i = E_i − exit_i·Z_i.
func (a *generalAscent) Gradient(ctx context.Context) []float64 {
	k, m := a.k, a.m
	k.derivatives(ctx, a.d.alpha, k.f)
	w := k.quad.total
	starts := optimum.Dot(a.d.alpha, k.dAlpha)
	for i := range m {
		a.grad[i] = -a.d.alpha[i] * (k.dAlpha[i] - starts) / w
		stay := k.dT[i*k.n+i]
		for j := range m {
			g := &a.grad[m+i*m+j]
			*g = 0
			if j != i {
				*g = -a.d.jump[i*m+j] * (k.dT[i*k.n+j] - stay) / w
			}
		}
		a.grad[m+m*m+i] = -a.d.exit[i] * (k.dExit[i] - stay) / w
	}
	return a.grad
}

// ascend returns what L-BFGS reaches from a distribution within the effort: a bound on the steps, and a tolerance. If
// the likelihood is zero at the start, it returns the start, with the mean log-likelihood −Inf. from stays unchanged.
// If ctx ends, the result is the best point so far.
func (a *generalAscent) ascend(ctx context.Context, from reached[dense], e effort) reached[dense] {
	r := optimum.NewDescent(logsOf(from.at.alpha, from.at.jump, from.at.exit))
	r.Run(ctx, a, e.steps, e.tolerance, 10)
	if math.IsInf(r.F, 1) {
		return reached[dense]{from.at, math.Inf(-1), r.Evals, false}
	}
	a.unpack(r.Y)
	return reached[dense]{a.d.clone(), -r.F, r.Evals, r.Converged}
}

// maximise returns where EM leads from a distribution within the effort: a bound on the steps, and a tolerance of the
// gain of a step. from stays unchanged. With the expected starts B, jumps N, exits E and times Z of [likelihood], its
// steps are
//
//	alpha_i = B_i/ΣB,  T_ij = N_ij/Z_i,  exit_i = E_i/Z_i.
//
// Rates of a phase that is never visited stay as they are. If ctx ends, the result is the best point so far.
//
// References: S. Asmussen, O. Nerman, M. Olsson, Fitting phase-type distributions via the EM algorithm, Scand. J.
// Statist. 23 (1996) 419–441; for canonical form 1 H. Okamura, T. Dohi, K. S. Trivedi, A refined EM algorithm for PH
// distributions, Perform. Eval. 68 (2011) 938–954.
func (a *generalAscent) maximise(ctx context.Context, from dense, e effort) reached[dense] {
	k, m := a.k, a.m
	return expectationMaximisation(ctx, from, e, func(at dense) (mean float64, next dense) {
		mean, next = a.mean(ctx, at), at.clone()
		if math.IsInf(mean, -1) {
			return mean, next
		}
		k.derivatives(ctx, at.alpha, k.f)
		starts := optimum.Dot(at.alpha, k.dAlpha)
		for i := range m {
			next.alpha[i] *= k.dAlpha[i] / starts
			stay := k.dT[i*k.n+i]
			if stay <= 0 { // a phase that is never visited
				continue
			}
			for j := range m {
				if j != i {
					next.jump[i*m+j] *= k.dT[i*k.n+j] / stay
				}
			}
			next.exit[i] *= k.dExit[i] / stay
		}
		return mean, next
	})
}

// randomStarts is the number of random distributions from which the general family starts, besides the acyclic fit.
const randomStarts = 6

// withExtraPhase returns the same distribution with one more phase, the last, so that the likelihood need not decrease
// with the order. Let λ be the rate of the fastest phase f. The new phase has the rate 2λ and is entered instead of f.
// It is followed by f with probability ½, and otherwise by the phases that follow f. A time of rate λ has the same
// distribution as a time of rate 2λ that another time of rate λ follows with probability ½.
func (d dense) withExtraPhase() dense {
	m := len(d.alpha)
	out := newDense(m + 1)
	fastest, rate := 0, 0.0
	d.generator(func(i, j int, r float64) {
		if j == i && -r > rate {
			fastest, rate = i, -r
		}
	})
	copy(out.alpha, d.alpha)
	copy(out.exit, d.exit)
	out.alpha[fastest], out.alpha[m] = 0, d.alpha[fastest]
	out.exit[m] = d.exit[fastest]
	for i := range m {
		for j, r := range d.jump[i*m : i*m+m] {
			switch {
			case j == i:
			case j == fastest:
				out.jump[i*(m+1)+m] = r
			default:
				out.jump[i*(m+1)+j] = r
			}
		}
	}
	copy(out.jump[m*(m+1):], out.jump[fastest*(m+1):fastest*(m+1)+m])
	out.jump[m*(m+1)+fastest] = rate
	return out
}

// general returns the family of distributions of any structure, which contains canonical form 1: its fits are among the
// starts. Phase-type distributions of order m and any structure have dimension 2m−1, which is taken for the number of
// free parameters. ctx is the context of all fits of the family.
func (p *problem) general(ctx context.Context, cf1 *nested[cf1Point]) *nested[dense] {
	return &nested[dense]{
		name: General, problem: p,
		fit: func(m int, below dense, contained []dense) (reached[dense], error) {
			starts := contained
			if m > 1 {
				starts = append(starts, below.withExtraPhase())
			}
			return p.fitGeneral(ctx, m, starts)
		},
		contained: func(m int) ([]containedFit[dense], error) {
			return pointsOf(ctx, m, func(s scored[cf1Point]) (dense, error) { return s.at.dense(), nil }, cf1)
		},
		wider:      dense.withExtraPhase,
		dist:       func(d dense) (phasetype.Dist, error) { return d.dist(p.scale) },
		parameters: func(d dense) int { return 2*len(d.alpha) - 1 },
	}
}

// fitGeneral returns the best distribution with m phases that ascents reach, by EM or L-BFGS as the options say. They
// start from the given distributions, with all initial phases, jumps and exits made possible. With m > 1 they also
// start from randomStarts, 6, random distributions. Seed and m determine the random distributions. All are in scaled
// time. The error comes from ctx.
func (p *problem) fitGeneral(ctx context.Context, m int, from []dense) (reached[dense], error) {
	o := p.opts
	var starts []dense
	for _, d := range from {
		starts = append(starts, d.withAllTransitions())
	}
	random := rand.New(rand.NewPCG(o.Seed, uint64(m)))
	for range randomStarts {
		if m == 1 { // the exponential is all there is
			break
		}
		starts = append(starts, randomDense(random, m, p.average))
	}
	quad := p.quadratureForAnyStructure(ctx, m)
	last := effort{o.limit(1000), o.Tolerance}
	return multistart(ctx, o.Workers, starts, effort{60, o.Tolerance}, 3, last, func() climber[dense] {
		a := newGeneralAscent(quad, m, o.Method == EM, false)
		return func(from reached[dense], e effort) reached[dense] {
			if o.Method == EM {
				return a.maximise(ctx, from.at, e)
			}
			return a.ascend(ctx, from, e)
		}
	})
}

// quadratureForAnyStructure returns the nodes and weights with which ascents of the general family with m phases sum
// the log-likelihood. EM needs positive weights and gets nodes at the data. L-BFGS gets the logarithmic grid for m
// phases, or nodes at the data if there are few values. The quadrature is incomplete if ctx ends.
func (p *problem) quadratureForAnyStructure(ctx context.Context, m int) *quadrature {
	if p.opts.Method == EM {
		return p.exactQuadrature(ctx, p.grouped(ctx), emDigits)
	}
	f := &cf1Fit{p: p}
	f.chooseQuadratures(ctx, m)
	return f.quad
}

// withAllTransitions returns a copy of d with every initial phase, jump and exit made possible. It is 99 % d and 1 % a
// distribution with the same rates out of its phases. In this distribution all phases are equally likely at the start.
// From a phase, all other phases and the end are equally likely. Ascents over logarithms and EM would leave zeros at
// zero.
func (d dense) withAllTransitions() dense {
	m := len(d.alpha)
	out := newDense(m)
	d.generator(func(i, j int, rate float64) {
		if j != i {
			out.jump[i*m+j] += 0.99 * rate
			return
		}
		out.alpha[i] = 0.99*d.alpha[i] + 0.01/float64(m)
		out.exit[i] = 0.99*d.exit[i] - 0.01*rate/float64(m)
		for k := range m {
			if k != i {
				out.jump[i*m+k] -= 0.01 * rate / float64(m)
			}
		}
	})
	return out
}

// randomDense returns a random distribution of m phases, whose rates spread over two decades, from 0.3 to 30 times
// 1/mean. The rate from a phase to each other phase is of the order of the rate of the phase over m. The rate of exit
// is of the same order, on average half of a rate to another phase. Ascents start from it. It draws from random.
func randomDense(random *rand.Rand, m int, mean float64) dense {
	out := newDense(m)
	for i := range m {
		out.alpha[i] = random.ExpFloat64()
		rate := math.Pow(10, 2*random.Float64()-0.5) / mean
		out.exit[i] = rate * random.Float64() / float64(m)
		for j := range m {
			if j != i {
				out.jump[i*m+j] = rate * random.ExpFloat64() / float64(m)
			}
		}
	}
	normalise(out.alpha)
	return out
}

// dist returns d as a phase-type distribution, with times multiplied by scale. The error comes from [phasetype.New],
// for numbers out of range.
func (d dense) dist(scale float64) (phasetype.Dist, error) {
	m := len(d.alpha)
	t := mat.NewDense(m, m, nil)
	d.generator(func(i, j int, rate float64) { t.Set(i, j, rate/scale) })
	return phasetype.New(d.alpha, t)
}
