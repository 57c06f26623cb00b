package fit

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// dense is any phase-type distribution of m phases: alpha, the jump rates (m×m, diagonal unused) and exit.
type dense struct {
	alpha, jump, exit []float64
}

func newDense(m int) dense {
	return dense{make([]float64, m), make([]float64, m*m), make([]float64, m)}
}

func (d dense) clone() dense {
	c := newDense(len(d.alpha))
	c.copy(d)
	return c
}

func (d dense) copy(from dense) {
	copy(d.alpha, from.alpha)
	copy(d.jump, from.jump)
	copy(d.exit, from.exit)
}

// generalAscent maximises the likelihood over all entries of alpha, T and exit. As L-BFGS and EM work on nonnegative
// parameters, zeros stay zeros.
type generalAscent struct {
	k    *kernel
	m    int
	d    dense
	grad []float64
}

// newGeneralAscent returns an ascent for EM if complete, otherwise for L-BFGS.
func newGeneralAscent(mesh *quadrature, m int, complete bool) *generalAscent {
	k := newKernel(mesh, m, false, complete && mesh.incomplete())
	return &generalAscent{k: k, m: m, d: newDense(m), grad: make([]float64, m*(m+2))}
}

// generalAttempt is where an ascent arrived.
type generalIterate struct {
	dense
	mean      float64
	evals     int
	converged bool
}

func (a *generalAscent) load(d dense) {
	k := a.k
	copy(k.alpha, d.alpha)
	copy(k.exit, d.exit)
	for i := range a.m {
		out := d.exit[i]
		for j := range a.m {
			if j != i {
				out += d.jump[i*a.m+j]
				k.t[i*k.n+j] = d.jump[i*a.m+j]
			}
		}
		k.t[i*k.n+i] = -out
	}
}

// parameters returns the logarithms: alpha, jump rates, exit rates.
func (a *generalAscent) parameters(d dense) []float64 {
	y := make([]float64, 0, len(a.grad))
	for _, v := range [][]float64{d.alpha, d.jump, d.exit} {
		for _, x := range v {
			y = append(y, math.Log(max(x, minPositive)))
		}
	}
	return y
}

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

// value returns the negative mean log-likelihood.
func (a *generalAscent) value(y []float64) float64 {
	if !a.unpack(y) {
		return math.Inf(1)
	}
	a.load(a.d)
	return -a.k.logLikelihood(true)
}

// gradient returns the derivatives
//
//	∂L/∂log T_ij = N_ij − T_ij·Z_i,  ∂L/∂log exit_i = E_i − exit_i·Z_i
//
// of the same, with the sign changed.
func (a *generalAscent) gradient() []float64 {
	k, m := a.k, a.m
	k.derivatives()
	w := k.quad.total
	starts := dot(k.alpha, k.dAlpha)
	for i := range m {
		a.grad[i] = -k.alpha[i] * (k.dAlpha[i] - starts) / w
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

func (a *generalAscent) ascend(d dense, evals int, tolerance float64) generalIterate {
	r := newDescent(a.parameters(d))
	r.run(a, evals, tolerance, 10)
	if math.IsInf(r.f, 1) {
		return generalIterate{dense: d, mean: math.Inf(-1), evals: r.evals}
	}
	a.unpack(r.y)
	return generalIterate{a.d.clone(), -r.f, r.evals, r.converged}
}

// expectationMaximisation repeats
//
//	alpha_i = B_i/ΣB,  T_ij = N_ij/Z_i,  exit_i = E_i/Z_i
//
// from d until a step gains less than tolerance, at most steps times. On a mesh of positive weights the likelihood
// increases with each step.
//
// Reference: S. Asmussen, O. Nerman, M. Olsson, Fitting phase-type distributions via the EM algorithm, Scand. J.
// Statist. 23 (1996) 419–441.
func (a *generalAscent) expectationMaximisation(d dense, steps int, tolerance float64) generalIterate {
	out := generalIterate{dense: d.clone(), mean: math.Inf(-1)}
	next := d.clone()
	k, m := a.k, a.m
	for out.evals < steps {
		a.load(next)
		mean := k.logLikelihood(true)
		out.evals++
		if !(mean > out.mean) {
			out.converged = !math.IsInf(mean, -1)
			return out
		}
		gain := mean - out.mean
		out.copy(next)
		out.mean = mean
		if gain < tolerance {
			out.converged = true
			return out
		}
		k.derivatives()
		starts := dot(k.alpha, k.dAlpha)
		for i := range m {
			next.alpha[i] = out.alpha[i] * k.dAlpha[i] / starts
			stay := k.dT[i*k.n+i]
			if stay <= 0 { // a phase that is never visited
				continue
			}
			for j := range m {
				if j != i {
					next.jump[i*m+j] = out.jump[i*m+j] * k.dT[i*k.n+j] / stay
				}
			}
			next.exit[i] = out.exit[i] * k.dExit[i] / stay
		}
	}
	return out
}

// randomStarts is how many random distributions the general family tries besides the acyclic fit.
const randomStarts = 6

// fitGeneral fits distributions of any structure. It starts from the fit of canonical form 1, with all jumps made
// possible, and from random distributions; the canonical fit itself remains if nothing is better. Where the order below
// has outdone the canonical fit, it stands in for that.
func fitGeneral(p *problem, done func(solution) error) error {
	base := *p
	base.opts.MinPhases = 1
	var below *solution
	return fitCF1(&base, func(s solution) error {
		if s.phases < p.opts.MinPhases {
			return nil
		}
		if below != nil && p.score(below.dist) > p.score(s.dist) {
			if wider, err := below.withExtraPhase(); err == nil {
				s = wider
			}
		}
		s = p.general(s)
		below = &s
		return done(s)
	})
}

// widened returns the same distribution with another phase before its fastest, of rate λ. The new one has the rate 2λ, is
// entered where that was, and left for it or as that is, with equal probability: a time of rate λ is one of rate 2λ that
// is followed, every other time, by another of rate λ.
func (s solution) withExtraPhase() (solution, error) {
	m := s.phases
	fastest, rate := 0, 0.0
	for i := range m {
		if r := -s.dist.Rate(i, i); r > rate {
			fastest, rate = i, r
		}
	}
	alpha, exit := append(s.dist.Alpha(), 0), append(s.dist.Exit(), s.dist.Exit()[fastest])
	alpha[fastest], alpha[m] = 0, alpha[fastest]
	moves := mat.NewDense(m+1, m+1, nil)
	for i := range m {
		for j := range m {
			if j != i {
				moves.Set(i, j, s.dist.Rate(i, j))
			}
		}
		moves.Set(i, m, moves.At(i, fastest))
		moves.Set(i, fastest, 0)
	}
	for j := range m {
		moves.Set(m, j, moves.At(fastest, j))
	}
	moves.Set(m, fastest, rate)
	d, err := phasetype.FromRates(alpha, moves, exit)
	if err != nil {
		return s, err
	}
	out := solution{phases: m + 1, parameters: s.parameters + 2, dist: d, iterations: s.iterations, converged: s.converged}
	return out.withWarning(), nil
}

// warned returns s with a warning if it did not converge.
func (s solution) withWarning() solution {
	s.warnings = nil
	if !s.converged {
		s.warnings = []error{
			fmt.Errorf("fit: general with %d phases did not converge in %d iterations", s.phases, s.iterations),
		}
	}
	return s
}

// general improves on the solution s. The distributions of m phases, of whatever structure, are a set of dimension
// 2m−1, so that is the number of free parameters.
func (p *problem) general(s solution) solution {
	m, o := s.phases, p.opts
	if m == 1 {
		return s
	}
	mesh := (&multistart{p: p}).quadratureFor(m)
	evals := o.MaxIter
	climb := func(a *generalAscent, d dense, n int) generalIterate { return a.ascend(d, n, o.Tolerance) }
	if evals == 0 {
		evals = 1000
	}
	if o.Method == EM {
		mesh = p.exactQuadrature(p.grouped(), emDigits)
		climb = func(a *generalAscent, d dense, n int) generalIterate {
			return a.expectationMaximisation(d, n, o.Tolerance)
		}
	}
	field := []generalIterate{{dense: p.withAllTransitions(s.dist)}}
	random := rand.New(rand.NewPCG(o.Seed, uint64(m)))
	for range randomStarts {
		field = append(field, generalIterate{dense: randomDense(random, m, p.mean())})
	}
	each := func(n int) {
		parallel(o.Workers, len(field), func() func(int) {
			a := newGeneralAscent(mesh, m, o.Method == EM)
			return func(i int) {
				spent := field[i].evals
				field[i] = climb(a, field[i].dense, n)
				field[i].evals += spent
			}
		})
	}
	each(min(60, evals))
	field = shortlistGeneral(field, 2)
	each(evals)
	best := shortlistGeneral(field, 1)[0]
	d, err := best.dist(p.scale)
	if err != nil || !(p.score(d) > p.score(s.dist)) { // rates so far apart that T is singular in double precision
		return s
	}
	out := solution{phases: m, parameters: 2*m - 1, dist: d, iterations: best.evals, converged: best.converged}
	return out.withWarning()
}

// foremost returns the keep best, best first; of equals the earlier.
func shortlistGeneral(field []generalIterate, keep int) []generalIterate {
	var out []generalIterate
	taken := make([]bool, len(field))
	for range min(keep, len(field)) {
		best := -1
		for i, at := range field {
			if !taken[i] && (best < 0 || at.mean > field[best].mean) {
				best = i
			}
		}
		taken[best] = true
		out = append(out, field[best])
	}
	return out
}

// opened returns d with every start, jump and exit made possible at a hundredth of what is usual there.
func (p *problem) withAllTransitions(d phasetype.Dist) dense {
	m := d.Phases()
	out := newDense(m)
	alpha, exit := d.Alpha(), d.Exit()
	for i := range m {
		rate := -d.Rate(i, i) * p.scale
		out.alpha[i] = 0.99*alpha[i] + 0.01/float64(m)
		out.exit[i] = 0.99*exit[i]*p.scale + 0.01*rate/float64(m)
		for j := range m {
			if j != i {
				out.jump[i*m+j] = 0.99*d.Rate(i, j)*p.scale + 0.01*rate/float64(m)
			}
		}
	}
	return out
}

// randomDense returns a distribution with rates spread over two decades around what gives the mean.
func randomDense(random *rand.Rand, m int, mean float64) dense {
	out := newDense(m)
	var sum float64
	for i := range m {
		out.alpha[i] = random.ExpFloat64()
		sum += out.alpha[i]
		rate := math.Pow(10, 2*random.Float64()-0.5) / mean
		out.exit[i] = rate * random.Float64() / float64(m)
		for j := range m {
			if j != i {
				out.jump[i*m+j] = rate * random.ExpFloat64() / float64(m)
			}
		}
	}
	for i := range m {
		out.alpha[i] /= sum
	}
	return out
}

func (d dense) dist(scale float64) (phasetype.Dist, error) {
	m := len(d.alpha)
	t := mat.NewDense(m, m, nil)
	for i := range m {
		out := d.exit[i]
		for j := range m {
			if j != i {
				out += d.jump[i*m+j]
				t.Set(i, j, d.jump[i*m+j]/scale)
			}
		}
		t.Set(i, i, -out/scale)
	}
	return phasetype.New(d.alpha, t)
}
