package spectrum

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
)

// erlangPath follows a root w of an orbit of compositions of Erlang service,
//
//	w^k = t^k·λ(rate·(c − w·σ)),   t from 0 to 1,
//
// from near zero, where w is t times any of the k-th roots of λ(rate·c).
type erlangPath struct {
	*erlang
	c, angle float64
	zeta     []complex128
	starts   []complex128 // a k-th root of λ(rate·c) of each branch
	decay    complex128   // the root that gives the decay rate

	sigma   complex128
	w       complex128
	arrival *arrivalBranch
	lambda  complex128
	slope   complex128 // of w^k − t^k·λ

	keptW complex128
	kept  *arrivalBranch
}

// roots returns the roots of a composition on all branches of the arrivals, by following them, or else by Newton's method from
// where paths begin, which may lead to one of them twice. The path to the decay rate may fail, next to which there is another root.
func (p *erlangPath) roots(s *spectral, branches []*arrivalBranch, kappa []int32, followed bool) (found []eigenpair, err error) {
	p.sigma = 0
	for j, n := range kappa {
		p.sigma += complex(float64(n), 0) * p.zeta[j]
	}
	slowest := p.sigma == complex(p.c, 0)
	for i, b := range branches {
		for j, turn := range p.zeta[:orbitPeriod(kappa)] {
			p.arrival, p.kept = b.clone(), b.clone()
			p.w, err = turn*p.starts[i], nil
			if followed {
				err = follow(p)
			} else if slowest && j == 0 {
				p.w = p.decay
			} else if !p.newton(1, 50, 1e-7) || !p.newton(1, 1, 1e-7) || cmplx.Abs(p.w) >= 1 {
				err = fmt.Errorf("no root near %v", p.w)
			}
			if err != nil && !(slowest && followed) {
				return nil, err
			}
			if shared(found, p.w) {
				return nil, fmt.Errorf("two branches share the root %v", p.w)
			}
			found = append(found, p.pair(s, kappa))
		}
	}
	return found, nil
}

func (p *erlangPath) at() complex128 { return complex(p.rate, 0) * (complex(p.c, 0) - p.w*p.sigma) }

// t returns t for a parameter from 0 to 1.
func (p *erlangPath) t(u float64) complex128 {
	return cmplx.Rect(u, p.angle*(1-u)/float64(p.phases))
}

// power returns x^n.
func power(x complex128, n int) complex128 {
	y := complex(1, 0)
	for range n {
		y *= x
	}
	return y
}

func (p *erlangPath) start(u float64) bool {
	p.w *= p.t(u)
	return p.newton(u, 12, 1e-8)
}

func (p *erlangPath) predict(u, next float64) {
	t := p.t(u)
	p.w += complex(float64(p.phases), 0) * power(t, p.phases-1) * p.lambda * (p.t(next) - t) / p.slope
}

func (p *erlangPath) newton(u float64, steps int, tol float64) bool {
	t := power(p.t(u), p.phases)
	k := complex(float64(p.phases), 0)
	for range steps {
		lambda, derivative := p.arrival.at(p.at())
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

func (p *erlangPath) keep() {
	p.keptW = p.w
	p.kept.copyFrom(p.arrival)
}

func (p *erlangPath) back() {
	p.w = p.keptW
	p.arrival.copyFrom(p.kept)
}

func (p *erlangPath) root() complex128 { return p.w }

func (p *erlangPath) pair(s *spectral, kappa []int32) eigenpair {
	z := power(p.w, p.phases)
	pair := eigenpair{z: z, s: p.at(), gap: 1 - z, branch: p.arrival.number, kappa: kappa, stages: p.w}
	_, slope := p.arrival.at(p.at())
	if pair.loss = p.loss(s, p.w, p.sigma, slope); s.sys.ar.Classes > 1 {
		pair.e, pair.loss = p.arrival.left, max(pair.loss, p.arrival.loss())
	}
	return pair
}

// takeSlowest puts the decay rate of the queue, which is known better than a complex root near 1 can be, in the place of
// the root next to it, and that first.
func takeSlowest(ctx context.Context, s *spectral, all []eigenpair, decay complex128) error {
	at, eta, gap := s.sys.Caudal(ctx)
	nearest := 0
	off := func(i int) float64 { return cmplx.Abs(all[i].z - complex(eta, 0)) }
	for i := range all {
		if off(i) < off(nearest) {
			nearest = i
		}
	}
	slow := all[nearest]
	slow.z, slow.s, slow.gap = complex(eta, 0), complex(at, 0), complex(gap, 0)
	slow.stages = decay
	if slow.e != nil {
		b, err := s.sys.ar.slowestBranch(at)
		if err != nil {
			return err
		}
		slow.e = b.left
	}
	all[0], all[nearest] = slow, all[0]
	return nil
}
