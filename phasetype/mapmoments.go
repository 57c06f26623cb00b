package phasetype

import "gonum.org/v1/gonum/mat"

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
	for i := range rates {
		for _, v := range m.d1[i*m.n : (i+1)*m.n] {
			rates[i] += v
		}
	}
	return rates
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
// 1 for k = 0 and 0 for all others in a renewal process. For a negative k it is that of −k.
//
// Reference: M. F. Neuts, Algorithmic Probability: A Collection of Problems, Chapman & Hall, 1995, ch. 5.
func (m MAP) LagCorrelation(k int) float64 {
	if k < 0 {
		k = -k
	}
	if k == 0 || m.n == 0 {
		return 1
	}
	d := m.between
	e := d.eliminate()
	// The deviation u of the conditional mean interarrival time from the mean, of order zero under φ, is what the
	// embedded chain forgets. Centring it again at every step keeps rounding from growing a constant part.
	u := ones(m.n)
	e.solve(u)
	center(u, d.alpha)
	x := append([]float64(nil), d.alpha...)
	e.solveRow(x)
	next := make([]float64, m.n)
	for range k {
		for i := range next {
			next[i] = dot(m.d1[i*m.n:(i+1)*m.n], u)
		}
		e.solve(next)
		u, next = next, u
		center(u, d.alpha)
	}
	return dot(x, u) / d.Variance()
}

// center subtracts the mean of u under p from it.
func center(u, p []float64) {
	mean := dot(p, u)
	for i := range u {
		u[i] -= mean
	}
}

// Superpose returns the process of the arrivals of two independent ones, (D0 ⊕ D0', D1 ⊕ D1') of order
// Phases(a)·Phases(b); the rates add up. A process without phases adds nothing. The error is an order above
// [MaxPhases].
//
// Reference: M. F. Neuts, A versatile Markovian point process, J. Appl. Probab. 16 (1979) 764–779.
func Superpose(a, b MAP) (MAP, error) {
	switch {
	case a.n == 0:
		return b, nil
	case b.n == 0:
		return a, nil
	case a.n*b.n > MaxPhases:
		return MAP{}, bad("D0", -1, -1, "%d phases, at most %d are supported", a.n*b.n, MaxPhases)
	}
	n := a.n * b.n
	d0, d1 := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	kroneckerSum(d0, a.d0, a.n, b.d0, b.n)
	kroneckerSum(d1, a.d1, a.n, b.d1, b.n)
	return NewMAP(d0, d1)
}

// kroneckerSum sets dst to a⊗I + I⊗b.
func kroneckerSum(dst *mat.Dense, a []float64, na int, b []float64, nb int) {
	for i := range na {
		for j := range nb {
			s := i*nb + j
			for k := range na {
				dst.Set(s, k*nb+j, dst.At(s, k*nb+j)+a[i*na+k])
			}
			for k := range nb {
				dst.Set(s, i*nb+k, dst.At(s, i*nb+k)+b[j*nb+k])
			}
		}
	}
}
