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

// argument returns s = rate·(c − w·σ) at the present root w of the path, with c servers and σ for the composition. It
// is the point where the eigenvalue of the transform of the interarrival time is evaluated.
func (p *erlangPath) argument() complex128 {
	return complex(p.rate, 0) * (complex(p.c, 0) - p.w*p.sigma)
}

// scaleOfPath returns the complex factor t of the path at its parameter u, from 0 to 1. Roots are followed from t = 0,
// where they are known, to t = 1. t^k leaves 0 at the angle of the path, so the path avoids real points where roots
// meet.
func (p *erlangPath) scaleOfPath(u float64) complex128 {
	return cmplx.Rect(u, real(p.angle)*(1-u)/float64(p.phases))
}

// start moves the root w of the path from its value for u = 0 to the beginning of the path at a small u. Before, w is a
// k-th root of an eigenvalue of the arrivals. It is multiplied by the factor of the path at u. At most 12 Newton steps
// follow. start reports whether one of them was at most 10⁻⁸ of w.
func (p *erlangPath) start(u float64) bool {
	p.w *= p.scaleOfPath(u)
	return p.newton(u, 12, 1e-8)
}

// predict moves the root w from parameter u of the path to parameter next along the tangent, before Newton's method
// corrects it. With the factor t of the path and the eigenvalue λ of the arrivals, dw = k·t^{k−1}·λ·dt/slope. The last
// Newton step, which must have been at u, has set λ and slope.
func (p *erlangPath) predict(u, next float64) {
	t := p.scaleOfPath(u)
	p.w += complex(float64(p.phases), 0) * power(t, p.phases-1) * p.lambda * (p.scaleOfPath(next) - t) / p.slope
}

// newton makes at most so many Newton steps on the root w at parameter u of the path. The equation is w^k =
// t^k·λ(rate·(c − w·σ)): t is the factor of the path at u, λ an eigenvalue of the transform of the interarrival time,
// and σ stands for the composition. It moves the eigenvectors of the arrivals along, and sets lambda and slope, all at
// the point before the last step. It reports whether a step was at most tol, relative to w. It stops after this step,
// or after a step that is NaN.
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

// store copies the present root w and the eigenvectors of the arrivals, before a step that may fail. It overwrites the
// last copy.
func (p *erlangPath) store() {
	p.keptW = p.w
	p.kept.copyFrom(p.arrival)
}

// restore sets the root w and the eigenvectors of the arrivals to the last copy of [erlangPath.store], after a step
// that failed. lambda and slope stay as they are.
func (p *erlangPath) restore() {
	p.w = p.keptW
	p.arrival.copyFrom(p.kept)
}

// root returns the present root w of the path, for Erlang service of k phases. At the end of the path, w^k is a root of
// the spectral expansion.
func (p *erlangPath) root() complex128 { return p.w }

// markovianEigenpairs returns all roots of the spectral expansion with the factors of their eigenvectors, for Erlang
// service and several classes of arrivals. The decay rate of the queue comes first. It follows the roots along paths at
// one angle after another, until no root is lost and no two roots meet. The error comes from the last angle, or from
// ctx.
func (e *erlang) markovianEigenpairs(ctx context.Context, s *spectral) (all []eigenpair, err error) {
	for _, angle := range angles {
		if all, err = e.markovianEigenpairsBy(ctx, s, angle); err == nil {
			return all, nil
		}
	}
	return nil, err
}

// markovianEigenpairsBy returns the result of [erlang.markovianEigenpairs] for paths that leave the real line at the
// given angle, in radians. There is one path for each eigenvalue of the arrivals and each different rotation of a
// composition of the jobs. Every root is checked against the roots of the same composition. For the first composition,
// [erlang.takeSlowest] sets the slowest root; so a path of this composition may end before its root, as it can near
// saturation. The error says that another root was lost, that two paths share a root, or that eigenvalues of the
// arrivals coincide. If ctx ends, the error comes from ctx.
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

// eigenpair returns the root w^k at the end of the path, with the factors of its eigenvector. Its roundings are not
// set. zeta holds the k-th roots of one. kappa holds the number of jobs on each branch of Erlang service. The result
// refers to kappa and to the left eigenvector of the path.
func (p *erlangPath) eigenpair(zeta []complex128, kappa []int32) eigenpair {
	z := power(p.w, p.phases)
	return eigenpair{z: z, s: p.argument(), gap: 1 - z, e: p.arrival.left, branch: p.arrival.number, kappa: kappa,
		v: p.vectors(p.w, zeta, kappa)}
}

// takeSlowest changes all, the eigenpairs of the first composition, in place. The root nearest to the decay rate of the
// queue becomes the decay rate itself, with the same roundings. It changes places with the first root. The decay rate
// is known better than a complex root near 1 can be. zeta holds the k-th roots of one. The error says that eigenvalues
// of the arrivals coincide.
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
