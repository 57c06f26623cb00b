package phasetype

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// AfterArrival returns the distribution π·D1/λ of the phase just after an arrival of the stationary process, n entries.
func (m MAP) AfterArrival() []float64 {
	phi := make([]float64, m.n)
	for i, p := range m.pi {
		for j := range phi {
			phi[j] += p * m.d1[i*m.n+j]
		}
	}
	for j := range phi {
		phi[j] /= m.rate
	}
	return phi
}

// Interarrival returns the distribution of the time between two arrivals of the stationary process, PH(π·D1/λ, D0); the
// zero value for a process without phases.
func (m MAP) Interarrival() Dist { return m.between }

// arrivalRates returns D1·1.
func (m MAP) arrivalRates() []float64 {
	rates := make([]float64, m.n)
	m.timesD1(rates, ones(m.n))
	return rates
}

// timesD1 sets dst to D1·v.
func (m MAP) timesD1(dst, v []float64) {
	for i := range dst {
		dst[i] = dot(m.d1[i*m.n:(i+1)*m.n], v)
	}
}

// InterarrivalMoment returns the raw moment E[X^k] of the stationary interarrival time.
func (m MAP) InterarrivalMoment(k int) float64 {
	return m.between.Moment(k)
}

// SCV returns the squared coefficient of variation of the stationary interarrival time.
func (m MAP) SCV() float64 {
	return m.between.SCV()
}

// LagCorrelation returns the coefficient of correlation of two stationary interarrival times X_0 and X_k, k ≥ 0 apart:
//
//	ρ_k = [φ·M·P^k·M·1 − E[X]²]/Var[X],  M = (−D0)⁻¹,  P = M·D1,  φ = π·D1/λ,
//
// 1 for k = 0 and 0 for all others in a renewal process. For a negative k it is ρ_{−k}.
//
// Reference: M. F. Neuts, Algorithmic Probability: A Collection of Problems, Chapman & Hall, 1995, ch. 5.
func (m MAP) LagCorrelation(k int) float64 {
	if k < 0 {
		k = -k
	}
	switch {
	case k == 0:
		return 1
	case m.n == 0:
		return 0
	}
	d := m.between
	e := d.eliminate()
	// u is the deviation of the conditional mean interarrival time, given the phase at its beginning, from the mean. Its
	// mean under φ is zero; centring it at every step keeps rounding from adding a constant to it.
	u := ones(m.n)
	e.solve(u)
	center(u, d.alpha)
	x := slices.Clone(d.alpha)
	e.solveRow(x)
	next := make([]float64, m.n)
	for i := 0; i < k && floats.Norm(u, math.Inf(1)) > 0x1p-1000; i++ { // below, no digit of a correlation changes
		m.timesD1(next, u)
		e.solve(next)
		u, next = next, u
		center(u, d.alpha)
	}
	return dot(x, u) / d.Variance()
}

// JointMoment returns the joint raw moment of successive stationary interarrival times,
//
//	E[X_0^k0·X_1^k1·…] = φ·k0!·M^k0·P·k1!·M^k1·P·…·1,  M = (−D0)⁻¹,  P = M·D1,  φ = π·D1/λ,
//
// with one power for each interval: JointMoment(1, 0, 1) is E[X_0·X_2], and JointMoment() is 1. All terms are positive,
// so that no digits cancel. A negative power, or a moment out of range, gives +Inf. Of a process without phases, whose
// intervals are 0, any positive power gives 0.
//
// Reference: M. F. Neuts, Algorithmic Probability: A Collection of Problems, Chapman & Hall, 1995, ch. 5.
func (m MAP) JointMoment(powers ...int) float64 {
	factor, whole := 1.0, 0
	for _, k := range powers {
		if k < 0 {
			return math.Inf(1)
		}
		whole += k
		for j := 2; j <= k; j++ {
			factor *= float64(j)
		}
	}
	switch {
	case whole == 0:
		return 1
	case m.n == 0:
		return 0
	}
	e := m.between.eliminate()
	v, next := ones(m.n), make([]float64, m.n)
	for l, power := range slices.Backward(powers) {
		for range power {
			e.solve(v)
			floats.Scale(m.rate, v) // in units of the mean, in which powers stay in range
		}
		if l > 0 {
			m.timesD1(next, v)
			e.solve(next)
			v, next = next, v
		}
	}
	moment := dot(m.between.alpha, v) * factor
	for range whole {
		moment /= m.rate
	}
	if math.IsNaN(moment) {
		return math.Inf(1)
	}
	return moment
}

// Dispersion returns the limiting index of dispersion of counts, which equals the index of dispersion of intervals:
//
//	lim Var[N(t)]/E[N(t)] = SCV·(1 + 2·Σ_{k≥1} ρ_k) = 1 + 2·(π·D1·u)/λ,  −(D0 + D1)·u = D1·1 − λ·1,  π·u = 0,
//
// 1 for a Poisson process and SCV for a renewal process. For a superposition of independent processes it is the mean of
// their indices, weighted by their rates. It returns 0 for a process without phases.
//
// Reference: W. Fischer, K. Meier-Hellstern, The Markov-modulated Poisson process (MMPP) cookbook, Performance
// Evaluation 18 (1993) 149–171.
func (m MAP) Dispersion() float64 {
	if m.n == 0 {
		return 0
	}
	excess := m.arrivalRates()
	floats.AddConst(-m.rate, excess)
	u := m.deviation(excess)
	center(u, m.pi)
	after := make([]float64, m.n)
	m.timesD1(after, u)
	return 1 + 2*dot(m.pi, after)/m.rate
}

// deviation returns a solution u of −(D0 + D1)·u = b for b with π·b = 0. It is the expected integral of b until the
// phase of largest probability is reached. The time until then is phase-type, with the other phases.
func (m MAP) deviation(b []float64) []float64 {
	n := m.n
	u := make([]float64, n)
	if n == 1 {
		return u
	}
	home := 0
	for i, p := range m.pi {
		if p > m.pi[home] {
			home = i
		}
	}
	q := m.generator()
	rest := Dist{n: n - 1, t: make([]float64, 0, (n-1)*(n-1))}
	var v []float64
	for i := range n {
		if i == home {
			continue
		}
		row := q[i*n : (i+1)*n]
		rest.t = append(append(rest.t, row[:home]...), row[home+1:]...)
		rest.exit = append(rest.exit, row[home])
		v = append(v, b[i])
	}
	rest.eliminate().solve(v)
	copy(u[:home], v[:home])
	copy(u[home+1:], v[home:])
	return u
}

// center subtracts from u, in place, its mean under p.
func center(u, p []float64) {
	floats.AddConst(-dot(p, u), u)
}
