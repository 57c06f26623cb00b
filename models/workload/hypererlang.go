package workload

import "math"

// hyperErlang is a mixture of two Erlang distributions of one order: with probability P of rate Rate1, otherwise Rate2.
type hyperErlang struct {
	Order        int
	P            float64
	Rate1, Rate2 float64
}

// mostOrder bounds the order of a hyper-Erlang distribution that is fitted to moments.
const mostOrder = 1000

// matchHyperErlang returns the mixture of the lowest order n that has the first three moments m1, m2, m3. With u_i =
// 1/rate_i the moments are those of two points,
//
//	r_k = p·u₁^k + (1−p)·u₂^k,   r₁ = m₁/n, r₂ = m₂/(n(n+1)), r₃ = m₃/(n(n+1)(n+2)),
//
// so that u₁, u₂ are the roots of z² − c₁z + c₀ with c₁ = (r₃−r₁r₂)/(r₂−r₁²), c₀ = c₁r₁ − r₂; they are positive if
//
//	n + 1 > m₂/(m₂−m₁²),  n + 2 > m₁m₃/(m₁m₃−m₂²).
//
// It returns a [*ParameterError] if n would exceed 1000: the values are (nearly) all the same, or all but those near 0.
//
// References: M. A. Johnson, M. R. Taaffe, Matching moments to phase distributions: mixtures of Erlang distributions of
// common order, Stochastic Models 5 (1989) 711–743. J. Jann et al., Modeling of workload in MPPs, Job Scheduling
// Strategies for Parallel Processing, LNCS 1291 (1997) 95–116.
func matchHyperErlang(m1, m2, m3 float64) (hyperErlang, error) {
	if !(m1 > 0 && m2 >= m1*m1 && m1*m3 >= m2*m2) || math.IsInf(m3, 1) {
		return hyperErlang{}, invalid("moments", "%v, %v, %v are no moments of a positive quantity", m1, m2, m3)
	}
	for n := 1; n <= mostOrder; n++ {
		k := float64(n)
		r1, r2, r3 := m1/k, m2/(k*(k+1)), m3/(k*(k+1)*(k+2))
		spread := r2 - r1*r1
		if !(spread > 1e-12*r2) {
			continue
		}
		c1 := (r3 - r1*r2) / spread
		c0 := c1*r1 - r2
		root := c1*c1/4 - c0
		if !(c0 > 0 && root > 0) {
			continue
		}
		u2 := c1/2 + math.Sqrt(root)
		u1 := c0 / u2
		p := (u2 - r1) / (u2 - u1)
		if !(u1 > 0 && p >= 0 && p <= 1) {
			continue
		}
		return hyperErlang{n, p, 1 / u1, 1 / u2}, nil
	}
	return hyperErlang{}, invalid("moments", "%v, %v, %v need an order above %d", m1, m2, m3, mostOrder)
}

// Draw returns a random number: a sum of exponential ones.
func (h hyperErlang) Draw(u Uniform) float64 {
	rate := h.Rate2
	if u.Float64() < h.P {
		rate = h.Rate1
	}
	sum := 0.0
	for range h.Order {
		sum += exponential(1, u)
	}
	return sum / rate
}
