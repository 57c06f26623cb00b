package spectrum

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// QueueDecay returns the caudal characteristic η of the MAP/PH/c queue: the limit of P(level = i+1)/P(level = i)
// without switch-overs. The queue must be stable. The number is meaningless if ctx ends. Otherwise the station stores
// the result of the first call.
func (s *Station) QueueDecay(ctx context.Context) float64 {
	_, eta, _ := s.Caudal(ctx)
	return eta
}

// Caudal returns three numbers: s, the caudal characteristic η of the MAP/PH/c queue, and gap = 1 − η to its own
// digits. The queue must be stable. They solve
//
//	s = c·θ(η),  z(s) = η.
//
// Here −θ(z) is the Perron eigenvalue of S + z·exit·β, the growth rate of E[z^departures] of a server that is always
// busy. z(s) is the z for which D0 + D1/z has the Perron eigenvalue s, the growth rate of E[z^−arrivals]. s is also the
// rate at which P(waiting time > t) falls with t. The numbers are NaN or meaningless if ctx ends. Otherwise the station
// stores them for later calls.
func (s *Station) Caudal(ctx context.Context) (at, eta, gap float64) {
	if s.caudal != [3]float64{} {
		return s.caudal[0], s.caudal[1], s.caudal[2]
	}
	at, eta, gap = s.findDecay(ctx)
	if ctx.Err() == nil {
		s.caudal = [3]float64{at, eta, gap}
	}
	return at, eta, gap
}

// findDecay returns the numbers of [Station.Caudal], whose comment defines θ and z(s): s, the decay rate η and 1 − η.
// It solves z(c·θ(z)) = z for z in (0,1), with c servers. All eigenvalues come from nonnegative inverses of matrices
// with known row sums: (1 − z)·exit for service, and s plus the rates of arrival for arrivals. So nothing is subtracted
// before the two sides are compared, and stiff rates keep their digits. The numbers are NaN if service never ends from
// some phase, and NaN or meaningless if ctx ends.
//
// If the root is below one half, the unknown is z. Otherwise it is g = 1 − z, and the equation is g/(1 − z(s)) = 1,
// which divides out the root z = 1. Its left side tends to ρ as g → 0, with ρ the traffic intensity. So g has as many
// digits as 1 − ρ. For M/M/c the left side is linear, ρ + g, and it is nearly linear for other queues.
//
// If 1 − η is estimated as less than one half, [interpolatedRoot] comes first: 3 evaluations of both sides instead of
// about 10. Where it does not settle, the search follows.
func (s *Station) findDecay(ctx context.Context) (at, eta, gap float64) {
	c := float64(s.c)
	service, arrivals := s.newBusyServer(), s.ar.newArrivalTransform()
	far := func(z float64) (f, size float64) {
		return arrivals.perronRoot(ctx, c*service.rate(ctx, z, 1-z)) - z, z
	}
	near := func(g float64) (f, size float64) {
		return 1 - g/arrivals.perronGap(ctx, c*service.rate(ctx, 1-g, g)), 1
	}
	const half = 0.5
	if s.gapEstimate > 0 && s.gapEstimate < half {
		if rho, err := s.Intensity(ctx); err == nil {
			if g, ok := interpolatedRoot(1-rho, s.gapEstimate, half, near); ok {
				return c * service.rate(ctx, 1-g, g), 1 - g, g
			}
		}
	}
	f, _ := far(half)
	if f < 0 {
		z := arrivals.perronRoot(ctx, c*service.rate(ctx, 0, 1))
		z = fallingRoot(ctx, half, z, f, far)
		return c * service.rate(ctx, z, 1-z), z, 1 - z
	}
	rho, err := s.Intensity(ctx)
	if err != nil {
		return math.NaN(), math.NaN(), math.NaN()
	}
	g := fallingRoot(ctx, half, 1-rho, -f/(half-f), near) // near(half) = 1 − half/(1 − z(s)), 1 − z(s) = half − far(half)
	return c * service.rate(ctx, 1-g, g), 1 - g, g
}

// EstimateDecay estimates 1 − η, from which [Station.Caudal] then begins its search. The numbers are those of a solution
// without switch-overs: first is P(level = c), and s_p = Σ_k k(k−1)…(k−p+1)·P(level = c+k). Any factor of all of them, and
// any error, is allowed. With the usual error of some 10⁻³ the search takes less than half as long as without an estimate.
//
// P(level = c+k) is taken as A·(1−η)·η^k + B·(1−ζ)·ζ^k. With v = η/(1−η) and w = ζ/(1−ζ) the numbers are
//
//	s_p/p! = A·v^p + B·w^p,  p = 0, 1, 2,   first = A/(1+v) + B/(1+w).
//
// Two equations for v+w and v·w follow from the sums of (x−v)·(x−w) and (x−v)·(x−w)/(1+x) over x = v, w, which are zero:
//
//	s2/2 − (v+w)·s1 + v·w·s0 = 0,   s1 − (1+v+w)·s0 + (1+v+w+v·w)·first = 0.
//
// If they have no solution, as for a single term, v is s2/(2·s1). Otherwise it is the solution that is closer to this.
func (s *Station) EstimateDecay(first, s0, s1, s2 float64) {
	half := s2 / 2
	latest := half / s1
	sum := ((s0-s1-first)*s0 + half*first) / (first*s0 - s0*s0 + s1*first)
	product := (sum*s1 - half) / s0
	v := sum/2 + math.Copysign(math.Sqrt(sum*sum/4-product), latest-sum/2)
	if math.IsNaN(v) {
		v = latest
	}
	s.gapEstimate = 1 / (1 + v)
}

// busyServer computes the rate θ(z) of one server that is always busy: E[z^N(t)] falls like e^{−θ(z)·t}, with N(t) the
// departures up to time t. Its fields t, exit and alpha are shared with the [Station].
type busyServer struct {
	t           block.Matrix
	exit, alpha []float64
	p           block.Matrix // scratch: S + z·exit·β without the diagonal
	out         []float64    // scratch: row sums of −(S + z·exit·β)
}

// newBusyServer returns an evaluator of θ(z), the rate at which E[z^departures] falls for one server that is always
// busy. It shares the numbers of service with the station. Its scratch storage is its own, so it is for one goroutine.
func (s *Station) newBusyServer() *busyServer {
	return &busyServer{
		t: s.t, exit: s.exit, alpha: s.alpha, p: block.New(s.m, s.m), out: make([]float64, s.m),
	}
}

// rate returns θ(z), in the unit of the rates: E[z^departures] of a server that is always busy falls like e^{−θ(z)·t}.
// It is the smallest eigenvalue of −(S + z·exit·β), with subgenerator S, exit rates and initial probabilities β of
// service. The caller gives gap = 1 − z, because it knows more digits of it than 1 − z has. The rows of the matrix sum
// to gap·exit. The number is meaningless if ctx ends.
func (o *busyServer) rate(ctx context.Context, z, gap float64) float64 {
	for i, exit := range o.exit {
		o.out[i] = gap * exit
		row := o.p.Row(i)
		for j, v := range o.t.Row(i) {
			row[j] = v + z*exit*o.alpha[j]
		}
	}
	return block.LeastEigenvalue(ctx, o.p, o.out)
}

// arrivalTransform computes the transform Φ(s) = A·(sI − D0)⁻¹·F of the time between two arrivals, by their classes
// r×r. If x·(D0 + D1/z) = s·x, then x·F·Φ(s) = z·x·F. So the Perron eigenvalue of Φ(s), its largest, is z(s) of
// [Station.Caudal]. D0, A and F are the matrices of [statespace.Arrivals].
type arrivalTransform struct {
	ar       transforms
	sojourns block.Matrix // (sI − D0)⁻¹, n×n, at the last s
	exit     []float64    // the first r of n numbers: row sums of I − Φ(s)
	phi      block.Matrix // Φ(s), r×r
}

// newArrivalTransform returns an evaluator of Φ(s), the Laplace transform of the interarrival time by classes of
// arrivals, r×r. It refers to the arrivals. Its scratch storage is its own, so it is for one goroutine.
func (ar transforms) newArrivalTransform() *arrivalTransform {
	return &arrivalTransform{ar, block.New(ar.N, ar.N), make([]float64, ar.N), block.New(ar.Classes, ar.Classes)}
}

// perronRoot returns the largest eigenvalue of Φ(s), the transform of the interarrival time by classes, for real s ≥ 0.
// It is z(s) of [Station.Caudal]. It is NaN if the transform does not exist or ctx has ended.
func (w *arrivalTransform) perronRoot(ctx context.Context, s float64) float64 {
	if !w.evaluate(ctx, s) {
		return math.NaN()
	}
	return block.Perron(ctx, w.phi)
}

// perronGap returns 1 minus the largest eigenvalue of Φ(s), the transform of the interarrival time by classes, without
// cancellation. So it keeps its digits where the eigenvalue is near 1. It is NaN if the transform does not exist or ctx
// has ended.
func (w *arrivalTransform) perronGap(ctx context.Context, s float64) float64 {
	if !w.evaluate(ctx, s) {
		return math.NaN()
	}
	return block.LeastEigenvalue(ctx, w.phi, w.exit[:w.ar.Classes])
}

// evaluate sets phi to Φ(s) = A·(sI − D0)⁻¹·F, the r×r transform of the interarrival time by r classes of arrivals. D0
// holds the rates between arrival phases, F the arrival rates by phase and class, and A the phases after arrivals. It
// sets the first r numbers of exit to the row sums of I − Φ(s), which are s·A·(sI − D0)⁻¹·1. s must not be negative.
// All of exit and sojourns is overwritten. The result is false if (sI − D0)⁻¹ does not exist or ctx has ended; phi is
// then not set. The decay rate of the queue is found with these numbers.
func (w *arrivalTransform) evaluate(ctx context.Context, s float64) bool {
	ar := w.ar
	copy(w.sojourns.Data, ar.D0.Data)
	for i := range w.exit {
		w.exit[i] = s + block.Sum(ar.F.Row(i))
	}
	if err := block.InvertGTH(ctx, w.sojourns, w.exit); err != nil {
		return false
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
	return true
}

// rootTol is the relative error of a root; the functions are known to no more digits.
const rootTol = 4e-16

// fallingRoot returns the root in (0, hi] of a function f that falls from f(0) = f0 > 0 to f(hi) = fhi ≤ 0. It uses
// regula falsi with the modification of Anderson and Björck, whose order of convergence is about 1.7. If the same end
// moves twice in a row, the value at the other end is reduced by [shareKept]. Otherwise one end could stay for ever,
// and convergence would be slow. f also returns the size of the two terms whose difference f(x) is. The result is an x
// with f(x) = 0 up to a rounding of this size, or the middle of the last bracket. The last bracket is narrower than
// 4·10⁻¹⁶ of the root, unless 200 steps were not enough or ctx ended.
//
// Reference: N. Anderson, Å. Björck, A new high order method of regula falsi type for computing a root of an equation,
// BIT 13 (1973) 253–264.
func fallingRoot(ctx context.Context, hi, f0, fhi float64, f func(float64) (value, size float64)) float64 {
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
		switch v, size := f(x); {
		case math.Abs(v) <= 2*block.UnitRoundoff*size:
			return x
		case v > 0:
			if side == 1 {
				fhi *= shareKept(v, flo)
			}
			lo, flo, side = x, v, 1
		default:
			if side == -1 {
				flo *= shareKept(v, fhi)
			}
			hi, fhi, side = x, v, -1
		}
	}
	return (lo + hi) / 2
}

// interpolatedRoot returns the root in (0, hi) of a function f that falls from f(0) = f0 > 0. x is an estimate of the root.
// The next point is the value at 0 of the polynomial that gives x from f at all points so far, by the scheme of Neville.
// f also returns the size of the two terms whose difference f(x) is. The search ends where f is a rounding of this size,
// or where the point 0 has no influence any more: then the next point is not evaluated. By accident the influence can
// vanish early. So the product of the relative distances of all points from the next must be at most closeRoot, too. The
// error of the next point is proportional to this product. Where f is nearly linear, an estimate of three digits takes
// three evaluations. ok is false if |f| is not halved by each point, or a point is outside (0, hi).
func interpolatedRoot(f0, x, hi float64, f func(float64) (value, size float64)) (root float64, ok bool) {
	const (
		most      = 8
		closeRoot = 32 * rootTol
	)
	var points, values, table [most + 1]float64 // table[j] is the result of the points from j on
	values[0] = f0
	for k := 1; k <= most; k++ {
		v, size := f(x)
		if math.Abs(v) <= 2*block.UnitRoundoff*size {
			return x, true
		}
		if !(math.Abs(v) <= math.Abs(values[k-1])/2) {
			return 0, false
		}
		points[k], values[k], table[k] = x, v, x
		for j := k - 1; j >= 0; j-- {
			table[j] = table[j+1] + (table[j+1]-table[j])*v/(values[j]-v)
		}
		if x = table[0]; !(x > 0 && x < hi) {
			return 0, false
		}
		distances := 1.0
		for _, p := range points[1 : k+1] {
			distances *= math.Abs(p/x - 1)
		}
		if math.Abs(x-table[1]) <= rootTol*x && distances <= closeRoot {
			return x, true
		}
	}
	return 0, false
}

// shareKept returns the factor by which [fallingRoot] multiplies the value at the end of its bracket that stays. The
// value at the end that moves goes from u to v. The factor is 1 − v/u, or 1/2 where this is not positive.
func shareKept(v, u float64) float64 {
	if share := 1 - v/u; share > 0 {
		return share
	}
	return 0.5
}

// SwitchOverDecay returns the decay rate of the number of arrivals during a switch-over, a number below 1. The
// switch-over ends at the given rate, positive and per unit of time, in the long run. The decay rate is the z for which
// D0 + D1/z has the rate as its largest eigenvalue. D0 and D1 hold the rates of the arrival phases without and with an
// arrival. The decay rate of the level is the larger of this number and [Station.QueueDecay]. The result is NaN if ctx
// has ended.
func (s *Station) SwitchOverDecay(ctx context.Context, rate float64) float64 {
	return s.ar.newArrivalTransform().perronRoot(ctx, rate)
}
