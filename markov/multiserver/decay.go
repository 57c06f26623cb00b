package multiserver

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// perron returns the eigenvalue with the largest real part, which is real, of the matrix with off-diagonal rates p ≥ 0
// (diagonal not read) whose rows sum to −exit.
func perron(ctx context.Context, p block.Matrix, exit []float64) float64 {
	n := p.Rows
	if acyclicInOrder(p) { // its eigenvalues are on the diagonal
		largest := math.Inf(-1)
		for i := range n {
			largest = max(largest, -exit[i]-floats.Sum(p.Row(i)))
		}
		return largest
	}
	m := block.New(n, n)
	for i := range n {
		out := exit[i]
		for j, v := range p.Row(i) {
			if j != i {
				out += v
				m.Row(i)[j] = v
			}
		}
		m.Row(i)[i] = -out
	}
	return block.Perron(ctx, m)
}

// acyclicInOrder reports whether every move leads to a later phase; the diagonal does not count if it is zero.
func acyclicInOrder(p block.Matrix) bool {
	for i := range p.Rows {
		for _, v := range p.Row(i)[:i+1] {
			if v != 0 {
				return false
			}
		}
	}
	return true
}

// exponent returns the Perron eigenvalue of D0 + D1/z: e^{ω·t} is the growth of E[z^{−arrivals in t}].
func (ar *arrivals) exponent(ctx context.Context, z float64) float64 {
	return block.Perron(ctx, ar.tilted(z))
}

// tilted returns D0 + D1/z.
func (ar *arrivals) tilted(z float64) block.Matrix {
	n := ar.n
	m := block.New(n, n)
	for i := range n {
		for j := range n {
			v := ar.d0.At(i, j)
			for q := range ar.classes {
				v += ar.f.At(i, q) * ar.a.At(q, j) / z
			}
			if i == j {
				v -= ar.out[i]
			}
			m.Row(i)[j] = v
		}
	}
	return m
}

// tilted returns S + z·exit·β at level c, whose Perron eigenvalue is the growth of E[z^departures] of one server that
// always has a job.
func (s *system) tilted(z float64) block.Matrix {
	t, exit, alpha := s.t[s.c-1], s.exit[s.c-1], s.alpha[s.c-1]
	m := block.New(s.m, s.m)
	for i := range s.m {
		out := exit[i]
		for j, v := range t.Row(i) {
			out += v
			m.Row(i)[j] = v + z*exit[i]*alpha[j]
		}
		m.Row(i)[i] -= out
	}
	return m
}

// decay returns the decay rate of the level distribution: the larger of the caudal characteristic of the MAP/PH/c queue
// and that of the number that arrives during a switch-over at level c, the root of ω_A(z) + ω_C = 0, ω_C being the
// eigenvalue of C nearest to zero. Scalar roots keep the digits that eigenvalues of R lose.
//
// Reference: M. F. Neuts, Y. Takahashi, Asymptotic behavior of the stationary distributions in the GI/PH/c queue with
// heterogeneous servers, Z. Wahrscheinlichkeitstheorie verw. Gebiete 57 (1981) 441–452.
func (s *system) decay(ctx context.Context) float64 {
	eta := s.queueDecay(ctx)
	slowest := s.up[s.c].slowest
	switch {
	case math.IsInf(slowest, -1):
		return eta
	case s.ar.classes == 1:
		f, _ := s.ar.transform(complex(-slowest, 0))
		return max(eta, real(f))
	default:
		switchOver := func(y float64) float64 { return s.ar.exponent(ctx, math.Exp(y)) + slowest }
		return max(eta, math.Exp(negativeRoot(switchOver)))
	}
}

// queueDecay returns the caudal characteristic of the MAP/PH/c queue, the root η in (0,1) of
//
//	ω_A(η) + c·ω_S(η) = 0,
//
// ω_A and ω_S being the Perron eigenvalues of D0 + D1/z and of S + z·exit·β.
func (s *system) queueDecay(ctx context.Context) float64 {
	_, eta, _ := s.slowestRoot(ctx)
	return eta
}

// slowestRoot returns η with s = ω_A(η) = −c·ω_S(η) and the gap 1 − η.
func (s *system) slowestRoot(ctx context.Context) (at, eta, gap float64) {
	if s.root == [3]float64{} {
		if s.ar.classes == 1 {
			s.root[0], s.root[1], s.root[2] = s.renewalDecay(ctx)
		} else {
			s.root[0], s.root[1], s.root[2] = s.markovianDecay(ctx)
		}
	}
	return s.root[0], s.root[1], s.root[2]
}

// markovianDecay is slowestRoot for arrivals of any kind. With x and v the left Perron vectors of D0 + D1/z and of S +
// z·exit·β, whose rows sum to (1/z − 1)·D1·1 and to −(1 − z)·exit, the root at z = 1 divides out:
//
//	c·z·(v·exit)/(v·1) − (x·D1·1)/(x·1) = 0,
//
// the difference of two positive rates, at z = 1 those of departures and arrivals: so the gap 1 − η has the digits that 1 −
// ρ has.
func (s *system) markovianDecay(ctx context.Context) (at, eta, gap float64) {
	arrival, exit := s.ar.f.RowSums(), s.exit[s.c-1]
	rate := func(m block.Matrix, rates []float64) float64 {
		x := block.PerronLeft(ctx, m)
		return floats.Dot(x, rates) / floats.Sum(x)
	}
	value := func(gap float64) float64 {
		z := 1 - gap
		return rate(s.ar.tilted(z), arrival) - float64(s.c)*z*rate(s.tilted(z), exit)
	}
	lo, hi := 0.0, 1.0
	flo, fhi := value(lo), math.Inf(1)
	side := 0
	for range 200 { // bisection until both ends are finite, Illinois from there
		x := (lo + hi) / 2
		if !math.IsInf(fhi, 1) {
			if y := (lo*fhi - hi*flo) / (fhi - flo); y > lo && y < hi {
				x = y
			}
		}
		v := value(x)
		if math.IsNaN(v) || ctx.Err() != nil {
			return math.NaN(), math.NaN(), math.NaN()
		}
		if v > 0 {
			hi, fhi = x, v
			if side == 1 {
				flo /= 2
			}
			side = 1
		} else {
			lo, flo = x, v
			if side == -1 {
				fhi /= 2
			}
			side = -1
		}
		if v == 0 || hi-lo <= 4e-16*hi {
			lo, hi = x, x
			break
		}
	}
	gap = (lo + hi) / 2
	return gap / (1 - gap) * rate(s.ar.tilted(1-gap), arrival), 1 - gap, gap
}

// renewalDecay solves the equation in s = −ω_A: η = f_A(s), where f_A(s)·f_B(−s/c) = 1. With f_A(s) = 1 − s·m_A(s) and
// f_B(−s/c) = 1 + (s/c)·m_B(−s/c), m(s) = α·(sI − T)⁻¹·1 being finite at zero, the root at s = 0 divides out:
//
//	v(s) = m_B(−s/c)/c·(1 − s·m_A(s)) − m_A(s) = 0,
//
// so that near saturation s, and with it the gap 1 − η, is found to the digits that 1 − ρ itself has; a small η is
// f_A(s).
func (s *system) renewalDecay(ctx context.Context) (at, eta, gap float64) {
	c := float64(s.c)
	t, exit, alpha := s.t[s.c-1], s.exit[s.c-1], s.alpha[s.c-1]
	pole := -perron(ctx, t, exit)
	arrival := s.ar.f.RowSums()
	order := max(s.m, s.ar.n)
	work := make([]float64, order*(order+1))
	lo, hi := 0.0, c*pole
	value := func(x float64) float64 {
		ma := meanUntil(ctx, s.ar.d0, arrival, s.ar.a.Row(0), x, work)
		mb := meanUntil(ctx, t, exit, alpha, -x/c, work)
		return (mb/c*(1-x*ma) - ma) * (c*pole - x) // without the pole of m_B
	}
	flo, fhi := value(lo), math.Inf(1)
	side := 0
	for range 200 { // bisection until both ends are finite, Illinois from there
		x := (lo + hi) / 2
		if !math.IsInf(fhi, 1) {
			if y := (lo*fhi - hi*flo) / (fhi - flo); y > lo && y < hi {
				x = y
			}
		}
		if ctx.Err() != nil {
			break
		}
		v := value(x)
		switch {
		case v == 0:
			lo, hi = x, x
		case math.IsNaN(v):
			hi = x
		case v > 0:
			hi, fhi = x, v
			if side == 1 {
				flo /= 2
			}
			side = 1
		default:
			lo, flo = x, v
			if side == -1 {
				fhi /= 2
			}
			side = -1
		}
		if hi-lo <= 4e-16*hi {
			break
		}
	}
	x := (lo + hi) / 2
	gap = x * meanUntil(ctx, s.ar.d0, arrival, s.ar.a.Row(0), x, work)
	if gap < 0.5 {
		return x, 1 - gap, gap
	}
	f, _ := s.ar.transform(complex(x, 0))
	return x, real(f), gap
}

// meanUntil returns α·(sI − T)⁻¹·1 for s above the Perron eigenvalue of T, which has off-diagonal rates p; work holds
// n·(n+1) numbers; it is not a number if ctx ends. The matrix is an M-matrix: its elimination needs no exchanges.
func meanUntil(ctx context.Context, p block.Matrix, exit, alpha []float64, s float64, work []float64) float64 {
	n := p.Rows
	m, x := work[:n*n], work[n*n:n*n+n]
	for i := range n {
		out := exit[i] + s
		for j, v := range p.Row(i) {
			if j != i {
				out += v
				m[i*n+j] = -v
			}
		}
		m[i*n+i] = out
		x[i] = 1
	}
	for k := range n {
		if block.Stopped(ctx, k) {
			return math.NaN()
		}
		for i := k + 1; i < n; i++ {
			if m[i*n+k] == 0 {
				continue
			}
			l := m[i*n+k] / m[k*n+k]
			for j := k + 1; j < n; j++ {
				m[i*n+j] -= l * m[k*n+j]
			}
			x[i] -= l * x[k]
		}
	}
	mean := 0.0
	for i := n - 1; i >= 0; i-- {
		for j := i + 1; j < n; j++ {
			x[i] -= m[i*n+j] * x[j]
		}
		x[i] /= m[i*n+i]
		mean += alpha[i] * x[i]
	}
	return mean
}

// negativeRoot returns the root y < 0 of a convex function that is positive far to the left and negative just left of
// 0, by regula falsi with the Illinois step between two points of opposite sign.
func negativeRoot(f func(float64) float64) float64 {
	const rootTol = 1e-15 // relative; the function itself is known to about as many digits
	lo := -1.0
	flo := f(lo)
	hi, fhi := lo, flo
	for flo < 0 && lo > -700 {
		hi, fhi = lo, flo
		lo *= 2
		flo = f(lo)
	}
	for fhi >= 0 && hi < -1e-14 {
		lo, flo = hi, fhi
		hi /= 2
		fhi = f(hi)
	}
	side := 0
	for range 200 {
		if hi-lo <= rootTol*-lo {
			break
		}
		y := (lo*fhi - hi*flo) / (fhi - flo)
		if !(y > lo && y < hi) {
			y = (lo + hi) / 2
		}
		fy := f(y)
		switch {
		case fy == 0:
			return y
		case fy > 0:
			lo, flo = y, fy
			if side == 1 {
				fhi /= 2
			}
			side = 1
		default:
			hi, fhi = y, fy
			if side == -1 {
				flo /= 2
			}
			side = -1
		}
		if math.Abs(fy) <= 1e-16 && hi-lo < 1e-12*-lo {
			break
		}
	}
	return (lo*fhi - hi*flo) / (fhi - flo)
}
