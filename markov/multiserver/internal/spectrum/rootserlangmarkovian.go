package spectrum

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
)

// erlangPath follows a root w of one orbit of compositions of Erlang service under several classes of arrivals,
//
//	w^k = t^k·λ(rate·(c − w·σ)),   t from 0 to 1.
//
// rate is the rate of the k phases, and c the number of servers. σ = sigma is the sum over the composition of [erlang],
// and λ a branch of the arrivals. Near t = 0, w is t times any k-th root of λ(rate·c). t takes complex values in
// between, because real roots can meet.
type erlangPath struct {
	*erlang
	c            float64
	sigma, angle complex128
	w            complex128
	arrival      *arrivalBranch
	lambda       complex128
	slope        complex128 // derivative of w^k − t^k·λ with respect to w

	keptW complex128
	kept  *arrivalBranch
}

// argument returns s = rate·(c − w·σ) at the present root w: the point where the branch λ of the arrivals is evaluated.
func (p *erlangPath) argument() complex128 {
	return complex(p.rate, 0) * (complex(p.c, 0) - p.w*p.sigma)
}

// scaleOfPath returns the complex factor t of the path at its parameter u, from 0 to 1. t^k leaves 0 at the given angle
// and arrives at 1, so the path avoids real points where roots meet.
func (p *erlangPath) scaleOfPath(u float64) complex128 {
	return cmplx.Rect(u, real(p.angle)*(1-u)/float64(p.phases))
}

// power returns x^n for n ≥ 0, by n multiplications.
func power(x complex128, n int) complex128 {
	y := complex(1, 0)
	for range n {
		y *= x
	}
	return y
}

// start moves the root w of the path from a k-th root of λ(rate·c) to the beginning t(u) of the path, u small. It
// reports whether Newton's method found the root there.
func (p *erlangPath) start(u float64) bool {
	p.w *= p.scaleOfPath(u)
	return p.newton(u, 12, 1e-8)
}

// predict moves the root w from parameter u of the path to parameter next along the tangent, dw = k·t^{k−1}·λ·dt/slope.
// lambda and slope must be those of the last Newton step. Newton's method then brings w back onto the path.
func (p *erlangPath) predict(u, next float64) {
	t := p.scaleOfPath(u)
	p.w += complex(float64(p.phases), 0) * power(t, p.phases-1) * p.lambda * (p.scaleOfPath(next) - t) / p.slope
}

// newton makes at most so many Newton steps on the root w for w^k − t^k·λ(rate·(c − w·σ)) = 0 with t = t(u). It moves
// the branch of the arrivals to the root, and sets lambda and slope. It reports whether a step was at most tol,
// relative to w.
func (p *erlangPath) newton(u float64, steps int, tol float64) bool {
	t := power(p.scaleOfPath(u), p.phases)
	k := complex(float64(p.phases), 0)
	for range steps {
		lambda, derivative := p.arrival.at(p.argument())
		before := power(p.w, p.phases-1)
		p.lambda, p.slope = lambda, k*before+t*derivative*complex(p.rate, 0)*p.sigma
		step := (before*p.w - t*lambda) / p.slope
		p.w -= step
		if size := cmplx.Abs(step) / cmplx.Abs(p.w); size <= tol {
			return true
		} else if math.IsNaN(size) {
			return false
		}
	}
	return false
}

// store keeps the present root w and branch of the arrivals in the path, before a step that may fail.
func (p *erlangPath) store() {
	p.keptW = p.w
	p.kept.copyFrom(p.arrival)
}

// restore moves the path back to the point that store kept last, after a step that failed.
func (p *erlangPath) restore() {
	p.w = p.keptW
	p.arrival.copyFrom(p.kept)
}

// root returns the root w at the present point of the path; z = w^k.
func (p *erlangPath) root() complex128 { return p.w }

// markovianEigenpairs returns all roots with their eigenvectors for several classes of arrivals, the decay rate of the
// queue first. It tries the path angles one after the other, until no two roots meet. The error is that of the last
// angle, or of ctx.
func (e *erlang) markovianEigenpairs(ctx context.Context, s *spectral) (all []eigenpair, err error) {
	for _, angle := range angles {
		if all, err = e.markovianEigenpairsBy(ctx, s, angle); err == nil {
			return all, nil
		}
	}
	return nil, err
}

// markovianEigenpairsBy follows the roots of all compositions along paths that leave the real line at the given angle,
// in radians. There is one path for each branch of the arrivals and each different rotation of the composition. Every
// root is checked against the roots of the same composition. For the first composition, [erlang.takeSlowest] sets the
// slowest root. The error tells that a root was lost or found twice.
func (e *erlang) markovianEigenpairsBy(ctx context.Context, s *spectral, angle float64) ([]eigenpair, error) {
	zeta := unitRoots(e.phases)
	c := float64(s.sys.c)
	branches := s.sys.ar.newArrivalBranches(complex(e.rate*c, 0))
	if branches == nil {
		return nil, fmt.Errorf("eigenvalues of the arrivals coincide")
	}
	var all []eigenpair
	err := s.compositions(ctx, func(kappa []int32) error {
		if !firstOfOrbit(kappa) {
			return nil
		}
		p := erlangPath{erlang: e, c: c, angle: complex(angle, 0), sigma: combined(kappa, zeta)}
		first := len(all)
		var ws []complex128
		for _, b := range branches {
			lambda, _ := b.at(complex(e.rate*c, 0))
			for _, turn := range zeta[:orbitPeriod(kappa)] {
				one := p
				one.arrival, one.kept = b.clone(), b.clone()
				one.w = turn * cmplx.Pow(lambda, complex(1/float64(e.phases), 0))
				if err := follow(&one); err != nil && first > 0 {
					return fmt.Errorf("composition %v: %w", kappa, err)
				}
				if foundBefore(ws, one.w) {
					return fmt.Errorf("two branches share the root %v of composition %v", one.w, kappa)
				}
				pair := one.eigenpair(zeta, kappa)
				_, slope := one.arrival.at(one.argument())
				pair.roundings = max(e.rootRoundings(s, one.w, p.sigma, slope), one.arrival.vectorRoundings())
				ws, all = append(ws, one.w), append(all, pair)
			}
		}
		if first == 0 { // all jobs on the first branch
			return e.takeSlowest(ctx, s, all, zeta)
		}
		return nil
	})
	return all, err
}

// eigenpair returns the root z = w^k with its eigenvectors, at the end of the path. zeta holds the k-th roots of one,
// and kappa the composition, which is kept.
func (p *erlangPath) eigenpair(zeta []complex128, kappa []int32) eigenpair {
	z := power(p.w, p.phases)
	return eigenpair{z: z, s: p.argument(), gap: 1 - z, e: p.arrival.left, branch: p.arrival.number, kappa: kappa,
		v: p.vectors(p.w, zeta, kappa)}
}

// takeSlowest changes all, the eigenpairs of the first composition, in place. It replaces the root nearest to the decay
// rate of the queue by the decay rate itself, and puts it first. The decay rate is known better than a complex root
// near 1 can be. zeta holds the k-th roots of one. The error says that eigenvalues of the arrivals coincide.
func (e *erlang) takeSlowest(ctx context.Context, s *spectral, all []eigenpair, zeta []complex128) error {
	at, eta, gap := s.sys.Caudal(ctx)
	nearest := 0
	off := func(i int) float64 { return cmplx.Abs(all[i].z - complex(eta, 0)) }
	for i := range all {
		if off(i) < off(nearest) {
			nearest = i
		}
	}
	b, err := s.sys.ar.slowestBranch(at)
	if err != nil {
		return err
	}
	kappa, branch := all[0].kappa, all[nearest].branch
	loss := all[nearest].roundings
	all[nearest] = all[0]
	w := complex(math.Pow(eta, 1/float64(e.phases)), 0)
	all[0] = eigenpair{z: complex(eta, 0), s: complex(at, 0), gap: complex(gap, 0), e: b.left, branch: branch,
		kappa: kappa, v: e.vectors(w, zeta, kappa), roundings: loss}
	return nil
}
