package spectrum

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// QueueDecay returns the caudal characteristic of the MAP/PH/c queue.
func (s *Station) QueueDecay(ctx context.Context) float64 {
	_, eta, _ := s.Caudal(ctx)
	return eta
}

// Caudal returns the caudal characteristic η of the MAP/PH/c queue, 1 − η to its own digits, and s, such that
//
//	s = c·θ(η),  z(s) = η,
//
// where −θ(z) is the Perron eigenvalue of S + z·exit·β, the growth of E[z^departures] of a server that always has a job,
// and z(s) the z for which s is that of D0 + D1/z, the growth of E[z^−arrivals].
func (s *Station) Caudal(ctx context.Context) (at, eta, gap float64) {
	if s.Root == [3]float64{} {
		s.Root[0], s.Root[1], s.Root[2] = s.findDecay(ctx)
	}
	return s.Root[0], s.Root[1], s.Root[2]
}

// findDecay solves z(c·θ(z)) = z. Eigenvalues are those of nonnegative inverses of matrices whose row sums are known:
// for service (1 − z)·exit, for arrivals s. So nothing is subtracted before the two sides are compared, and stiff rates
// keep their digits. Above a half the unknown is g = 1 − z, and g/g = 1 divides out the root at z = 1: the gap is found
// to the digits that 1/ρ − 1 has, which is what remains at g = 0.
func (s *Station) findDecay(ctx context.Context) (at, eta, gap float64) {
	c := float64(s.c)
	service, arrivals := s.newOngoing(), s.ar.newTransformed()
	far := func(z float64) float64 {
		phi, _ := arrivals.at(ctx, c*service.rate(ctx, z, 1-z))
		return phi - z
	}
	near := func(g float64) float64 {
		_, gap := arrivals.at(ctx, c*service.rate(ctx, 1-g, g))
		return gap/g - 1
	}
	const half = 0.5
	if f := far(half); f < 0 {
		z, _ := arrivals.at(ctx, c*service.rate(ctx, 0, 1))
		z = fallingRoot(ctx, half, z, f, far)
		return c * service.rate(ctx, z, 1-z), z, 1 - z
	}
	rho, err := s.intensity(ctx)
	if err != nil {
		return math.NaN(), math.NaN(), math.NaN()
	}
	g := fallingRoot(ctx, half, 1/rho-1, near(half), near)
	return c * service.rate(ctx, 1-g, g), 1 - g, g
}

// ongoing finds the rate at which a server that always has a job starts a job whose departures are not counted, in the
// long run.
type ongoing struct {
	t           block.Matrix
	exit, alpha []float64
	p           block.Matrix
	out         []float64
}

func (s *Station) newOngoing() *ongoing {
	return &ongoing{
		t: s.t, exit: s.exit, alpha: s.alpha, p: block.New(s.m, s.m), out: make([]float64, s.m),
	}
}

// rate returns θ(z), the smallest eigenvalue of −(S + z·exit·β), gap being 1 − z.
func (o *ongoing) rate(ctx context.Context, z, gap float64) float64 {
	for i, exit := range o.exit {
		o.out[i] = gap * exit
		row := o.p.Row(i)
		for j, v := range o.t.Row(i) {
			row[j] = v + z*exit*o.alpha[j]
		}
	}
	return block.LeastEigenvalue(ctx, o.p, o.out)
}

// transformed is the transform Φ(s) = A·(sI − D0)⁻¹·F of the time between arrivals, by class of the first and of the
// second. D0 + D1/z has the Perron eigenvalue s where Φ(s) has z.
type transformed struct {
	ar       transforms
	sojourns block.Matrix
	exit     []float64
	phi      block.Matrix
}

func (ar transforms) newTransformed() *transformed {
	return &transformed{ar, block.New(ar.N, ar.N), make([]float64, ar.N), block.New(ar.Classes, ar.Classes)}
}

// at returns z(s), the Perron eigenvalue of Φ(s), and 1 − z(s), each to its own digits: I − Φ(s) has the row sums
// s·A·(sI − D0)⁻¹·1, which is its smallest eigenvalue for renewal arrivals.
func (w *transformed) at(ctx context.Context, s float64) (z, gap float64) {
	ar := w.ar
	copy(w.sojourns.Data, ar.D0.Data)
	for i := range w.exit {
		w.exit[i] = s + block.Sum(ar.F.Row(i))
	}
	if err := block.InvertGTH(ctx, w.sojourns, w.exit); err != nil {
		return math.NaN(), math.NaN()
	}
	clear(w.phi.Data)
	rest := w.exit[:ar.Classes]
	for q := range ar.Classes {
		rest[q] = 0
		for i, p := range ar.A.Row(q) {
			if p == 0 {
				continue
			}
			rest[q] += s * p * block.Sum(w.sojourns.Row(i))
			for j, v := range w.sojourns.Row(i) {
				floats.AddScaled(w.phi.Row(q), p*v, ar.F.Row(j))
			}
		}
	}
	if ar.Classes == 1 {
		return w.phi.Data[0], rest[0]
	}
	z = block.Perron(ctx, w.phi)
	return z, block.LeastEigenvalue(ctx, w.phi, rest)
}

// fallingRoot returns the root in (0, hi] of a function that falls through it from f(0) > 0 to f(hi) ≤ 0, by regula falsi
// with the Illinois step.
func fallingRoot(ctx context.Context, hi, f0, fhi float64, f func(float64) float64) float64 {
	const rootTol = 4e-16 // relative; f itself is known to no more digits
	lo, flo := 0.0, f0
	side := 0
	for range 200 {
		if hi-lo <= rootTol*hi || ctx.Err() != nil {
			break
		}
		x := (lo*fhi - hi*flo) / (fhi - flo)
		if !(x > lo && x < hi) {
			x = (lo + hi) / 2
		}
		switch v := f(x); {
		case v == 0:
			return x
		case v > 0:
			lo, flo = x, v
			if side == 1 {
				fhi /= 2
			}
			side = 1
		default:
			hi, fhi = x, v
			if side == -1 {
				flo /= 2
			}
			side = -1
		}
	}
	return (lo + hi) / 2
}

// SwitchOverDecay returns the decay rate of the number that arrives during a switch-over that goes on at a rate in the long run:
// the z for which the rate is the Perron eigenvalue of D0 + D1/z, see [transformed].
func (s *Station) SwitchOverDecay(ctx context.Context, rate float64) float64 {
	z, _ := s.ar.newTransformed().at(ctx, rate)
	return z
}
