package phasetype

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Mean returns E[X] = alpha·(−T)⁻¹·1, 0 for the zero value.
func (d Dist) Mean() float64 { return d.mean }

// Moment returns the raw moment
//
//	E[X^k] = k!·alpha·(−T)^(−k)·1,  k ≥ 0,
//
// with componentwise relative accuracy. Moment(0) is 1; a negative k, or a moment beyond the float64 range, gives +Inf.
//
// Reference: M. F. Neuts, Matrix-Geometric Solutions in Stochastic Models, Johns Hopkins University Press, 1981, ch. 2.
func (d Dist) Moment(k int) float64 {
	switch {
	case k < 0:
		return math.Inf(1)
	case k == 0:
		return 1
	case k == 1 || d.IsZero():
		return d.mean
	}
	v := ones(d.n)
	e := d.eliminate()
	factor := 1.0
	for step := 1; step <= k && factor > 0 && !math.IsInf(factor, 1); step++ {
		e.solve(v)
		// In units of the mean, high moments stay in range as long as the result does.
		for i := range v {
			v[i] /= d.mean
		}
		factor *= float64(step) * d.mean
	}
	// If factor alone overflows, so does the moment, but 0·Inf would be NaN.
	m := dot(d.alpha, v) * factor
	if math.IsNaN(m) {
		return math.Inf(1)
	}
	return m
}

// Variance returns E[X²] − E[X]², computed as a sum of nonnegative terms. It is accurate even if it is much smaller
// than the squared mean.
func (d Dist) Variance() float64 {
	unit, c2, _ := d.centralMoments()
	return c2 * unit * unit
}

// SCV returns the squared coefficient of variation Var[X]/E[X]², 0 for the zero value.
func (d Dist) SCV() float64 {
	if d.IsZero() {
		return 0
	}
	unit, c2, _ := d.centralMoments()
	m := d.mean / unit
	return c2 / m / m
}

// Skewness returns E[(X − E[X])³]/Var[X]^(3/2), 0 for the zero value.
func (d Dist) Skewness() float64 {
	if d.IsZero() {
		return 0
	}
	_, c2, c3 := d.centralMoments()
	s := math.Sqrt(c2)
	return c3 / s / s / s
}

// wideSpread bounds the ratio between the mean time from a phase and the mean: above it, the third power times the
// largest rate may overflow.
const wideSpread = 1e60

// centralMoments returns the second and third central moments of X/unit, and the unit: the mean, or a longer time if otherwise
// the moments from some phase would overflow.
//
// Let h_i and v_i be the mean and variance of the time to absorption from phase i. While the chain runs, the
// conditional mean of X jumps by h_j − h_i at rate T_ij, and by −h_i at the exit rate. The laws of total variance and
// of total third cumulant give both moments as integrals of these jumps over the occupation times x = alpha·(−T)⁻¹:
//
//	v  = (−T)⁻¹·g,   g_i = Σ_j T_ij·(h_j − h_i)² + exit_i·h_i²
//	c₃ = Σ_i x_i·(Σ_j T_ij·(h_j − h_i)·[(h_j − h_i)² + 3(v_j − v_i)] + exit_i·h_i·[−h_i² + 3·v_i]) + initial terms,
//
// None of these terms cancels as m₂ − m₁² does.
func (d Dist) centralMoments() (unit, c2, c3 float64) {
	if d.IsZero() {
		return 1, 0, 0
	}
	n, e, seen := d.n, d.eliminate(), d.reached()
	h, unit := d.meansFrom(e, seen)
	mean := d.mean / unit
	v := make([]float64, n+1) // the last entry: after absorption
	d.jumps(v, seen, func(i, j int) float64 {
		dh := h[j] - h[i]
		return dh * dh
	})
	e.solve(v)
	g := make([]float64, n)
	d.jumps(g, seen, func(i, j int) float64 {
		dh := h[j] - h[i]
		return dh * (dh*dh + 3*(v[j]-v[i]))
	})
	x := slices.Clone(d.alpha)
	e.solveRow(x)
	for i := range n {
		if x[i] > 0 {
			c3 += x[i] * g[i]
		}
		if d.alpha[i] > 0 {
			dh := h[i] - mean
			c2 += d.alpha[i] * (v[i] + dh*dh)
			c3 += d.alpha[i] * dh * (dh*dh + 3*v[i])
		}
	}
	// In the covariance of h and v over the initial phase, v need not be centred because h − mean is. At the atom h and v
	// are 0.
	c2 += d.atom * mean * mean
	c3 -= d.atom * mean * mean * mean
	return unit, c2, c3
}

// meansFrom returns the mean times h to absorption from each phase, in the given unit, and 0 after absorption. The unit is
// that of [Dist.centralMoments]. e is the elimination of T, and seen reports which phases can be visited. The times of the
// others do not matter, and are set to 0 because they might overflow.
func (d Dist) meansFrom(e elimination, seen []bool) (h []float64, unit float64) {
	h = append(ones(d.n), 0)
	e.solve(h)
	unit = d.mean
	for i, ok := range seen {
		if ok {
			unit = max(unit, h[i]/wideSpread)
		}
	}
	for i, ok := range seen {
		h[i] /= unit
		if !ok {
			h[i] = 0
		}
	}
	return h, unit
}

// jumps overwrites g with g_i = Σ_j T_ij·f(i, j) + exit_i·f(i, n), summed over the jumps out of each phase that can be
// visited.
func (d Dist) jumps(g []float64, seen []bool, f func(i, j int) float64) {
	for i, ok := range seen {
		if !ok {
			continue
		}
		var sum float64
		if d.exit[i] > 0 {
			sum = d.exit[i] * f(i, d.n)
		}
		for j, q := range d.t[i*d.n : (i+1)*d.n] {
			if j != i && q > 0 {
				sum += q * f(i, j)
			}
		}
		g[i] = sum
	}
}

// elimination is the factorisation −T = (I − F)·(P − L) by the elimination of Grassmann, Taksar and Heyman. F is
// strictly upper triangular, L strictly lower triangular and P diagonal. All entries are nonnegative and computed
// without subtraction. So they are accurate to a few ulps times the order however stiff T is. The same holds for
// solutions with nonnegative right-hand sides.
//
// Reference: C. O'Cinneide, Entrywise perturbation theory and error analysis for Markov chains, Numer. Math. 65 (1993)
// 109–120.
type elimination struct {
	n     int
	q     []float64 // F above the diagonal, L below
	pivot []float64
}

// shortRow is the length of a row up to which a loop takes less time than a call of floats.AddScaled.
const shortRow = 30

// eliminate eliminates the phases one by one, the last first. A triangular T takes O(n²).
func (d Dist) eliminate() elimination {
	n := d.n
	e := elimination{n: n, q: slices.Clone(d.t), pivot: slices.Clone(d.exit)}
	exit := e.pivot // exit rates of the censored chain; the exit rate of an eliminated phase is replaced by its pivot
	for k := n - 1; k >= 0; k-- {
		row := e.q[k*n : k*n+k]
		leave := exit[k]
		for _, v := range row {
			leave += v
		}
		for i := range k {
			q := e.q[i*n+k]
			if q == 0 {
				continue
			}
			f := q / leave
			e.q[i*n+k] = f
			exit[i] += f * exit[k]
			to := e.q[i*n:][:len(row)] // also the diagonal, which is not used
			if len(row) > shortRow {
				floats.AddScaled(to, f, row)
				continue
			}
			for j, v := range row {
				to[j] += f * v
			}
		}
		exit[k] = leave
	}
	return e
}

// solve overwrites b with (−T)⁻¹·b.
func (e elimination) solve(b []float64) {
	n := e.n
	for i := n - 2; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			b[i] += e.q[i*n+k] * b[k]
		}
	}
	for k := range n {
		for j := range k {
			b[k] += e.q[k*n+j] * b[j]
		}
		b[k] /= e.pivot[k]
	}
}

// solveRow overwrites a with a·(−T)⁻¹.
func (e elimination) solveRow(a []float64) {
	n := e.n
	for k := n - 1; k >= 0; k-- {
		a[k] /= e.pivot[k]
		for j := range k {
			a[j] += a[k] * e.q[k*n+j]
		}
	}
	for i := range n {
		for k := i + 1; k < n; k++ {
			a[k] += a[i] * e.q[i*n+k]
		}
	}
}

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

func dot(a, b []float64) float64 {
	var sum float64
	for i, v := range a {
		if v != 0 { // 0·∞: what is never visited does not count
			sum += v * b[i]
		}
	}
	return sum
}
