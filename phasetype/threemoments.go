package phasetype

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// MomentsError says that no acyclic phase-type distribution of up to [MaxPhases] phases has the given moments.
type MomentsError struct {
	Moments [3]float64 // the given raw moments
	Nearest [3]float64 // feasible moments with the same first moment and, if possible, the same second moment
	Needed  int        // the least order that has the moments Nearest
}

func (e *MomentsError) Error() string {
	s := fmt.Sprintf("phasetype: no acyclic distribution of up to %d phases has the moments %g, %g, %g; ",
		MaxPhases, e.Moments[0], e.Moments[1], e.Moments[2])
	if e.Nearest[1] != e.Moments[1] {
		s += fmt.Sprintf("nearest second moment %g, with ", e.Nearest[1])
	}
	return s + fmt.Sprintf("nearest third moment %g (%d phases)", e.Nearest[2], e.Needed)
}

// momentTol is the relative error of a moment up to which a result is accepted. Newton steps leave much less.
const momentTol = 1e-10

// thirdMomentBounds returns the bounds of the third raw moment of acyclic phase-type distributions of the given order
// with raw moments m1 and m2. ok is false if there is no such distribution: if the order is less than 2, a moment is
// not positive and finite, or m2 is less than m1²·(order + 1)/order.
//
// Reference: A. Bobbio, A. Horváth, M. Telek, Matching three moments with minimal acyclic phase type distributions,
// Stochastic Models 21 (2005) 303–326.
func thirdMomentBounds(order int, m1, m2 float64) (low, high float64, ok bool) {
	n, n2 := float64(order), m2/m1/m1
	if order < 2 || !(m1 > 0) || !(n2 >= (n+1)/n) || math.IsInf(n2, 1) || math.IsInf(m1, 1) {
		return 0, 0, false
	}
	low = (n + 1) / n * n2
	if n2 < (n+4)/(n+1) {
		root := math.Sqrt(max(4*(n+1)-3*n*n2, 0))
		p := (n + 1) * (n2 - 2) / (3 * n2 * (n - 1)) * (-2*math.Sqrt(n+1)/root - 1)
		a := (n2 - 2) / (p*(1-n2) + math.Sqrt(max(p*p+p*n*(n2-2)/(n-1), 0)))
		low = ((3+a)*(n-1)+2*a)/((n-1)*(1+a*p)) - 2*a*(n+1)/(2*(n-1)+a*p*(n*a+2*n-2))
	}
	high = math.Inf(1)
	if n2 <= n/(n-1) {
		root := math.Sqrt(max(1+n*(n2-2)/(n-1), 0))
		high = (2*(n-2)*(n*n2-n-1)*root + (n+2)*(3*n*n2-2*n-2)) / (n * n * n2)
	}
	return low * m1 * m2, high * m1 * m2, true
}

// ThreeMoments returns an acyclic phase-type distribution with the raw moments m1, m2, m3, of the least order possible.
// Relative errors of the moments are about 1e-12. Next to the moments of an Erlang distribution they are up to 1e-10, so
// that rounded moments do not need more phases. It returns an *[Error] if a moment is not positive and finite. If no
// order up to [MaxPhases] has the moments, it returns a *[MomentsError] with the nearest feasible ones.
//
// Reference: A. Bobbio, A. Horváth, M. Telek, Matching three moments with minimal acyclic phase type distributions,
// Stochastic Models 21 (2005) 303–326.
func ThreeMoments(m1, m2, m3 float64) (Dist, error) {
	if _, err := inverse("m1", -1, m1); err != nil {
		return Dist{}, err
	}
	if err := positive("m2", -1, m2); err != nil {
		return Dist{}, err
	}
	if err := positive("m3", -1, m3); err != nil {
		return Dist{}, err
	}
	n2, n3 := m2/m1/m1, m3/m1/m2
	for n := 1; n <= MaxPhases; n++ {
		if d, ok := matching(n, n2, n3); ok {
			return d.Scale(m1)
		}
	}
	return Dist{}, infeasible(m1, m2, m3)
}

// matching returns a distribution of order n with mean 1 and the normalised moments n2 = m2/m1² and n3 = m3/(m1·m2), if
// there is one.
func matching(n int, n2, n3 float64) (Dist, bool) {
	k := float64(n)
	if near(n2, (k+1)/k) && near(n3, (k+2)/k) { // the only one at this corner
		d, err := Erlang(n, 1)
		return d, err == nil
	}
	low, high, ok := thirdMomentBounds(n, 1, n2)
	if !ok || n3*n2 < low*(1-momentTol) || n3*n2 > high*(1+momentTol) {
		return Dist{}, false
	}
	if d, ok := startSplit(n, n2, n3); ok {
		return d, true
	}
	return endSlow(n, n2, n3)
}

// near reports whether a and b are equal but for rounding.
func near(a, b float64) bool { return math.Abs(a-b) <= momentTol/10*math.Abs(b) }

// optionalSum is the time B·U + V of a match. B is one with probability p and zero otherwise. U and V are independent
// Erlang distributions of u and v phases with the mean times x and y each.
type optionalSum struct {
	u, v    int
	p, x, y float64
}

// moments returns the raw moments of order 1 to 3, and their derivatives by p, log x and log y:
//
//	E[(B·U + V)^k] = E[V^k] + p·Σ_{j=1}^{k} (k over j)·E[U^j]·E[V^(k−j)].
func (s optionalSum) moments() (m [3]float64, derivatives [3][3]float64) {
	erlang := func(phases int, mean float64) (of [4]float64) {
		of[0] = 1
		for j := 1; j < 4; j++ {
			of[j] = of[j-1] * float64(phases+j-1) * mean
		}
		return of
	}
	u, v := erlang(s.u, s.x), erlang(s.v, s.y)
	binomial := [4][4]float64{{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}}
	for k := 1; k <= 3; k++ {
		d := &derivatives[k-1]
		m[k-1] = v[k]
		d[2] = float64(k) * v[k]
		for j := 1; j <= k; j++ {
			term := binomial[k][j] * u[j] * v[k-j]
			m[k-1] += s.p * term
			d[0] += term
			d[1] += float64(j) * s.p * term
			d[2] += float64(k-j) * s.p * term
		}
	}
	return m, derivatives
}

// refined returns the time after a few Newton steps for the moments 1, n2 and n2·n3. The formulas of p, x and y cancel
// near the edges of the region; the moments themselves are sums of nonnegative terms. A step that does not reduce the
// largest relative error of a moment is dropped, as on an edge, where the derivatives are linearly dependent. Errors of a
// few roundings are not reduced further.
func (s optionalSum) refined(n2, n3 float64) optionalSum {
	const (
		steps     = 4
		roundings = 0x1p-50
	)
	want := [3]float64{1, n2, n2 * n3}
	relative := func(s optionalSum) (off [3]float64, largest float64, derivatives [3][3]float64) {
		m, derivatives := s.moments()
		for k, goal := range want {
			off[k] = (goal - m[k]) / goal
			largest = max(largest, math.Abs(off[k]))
			for j := range derivatives[k] {
				derivatives[k][j] /= goal
			}
		}
		return off, largest, derivatives
	}
	off, largest, derivatives := relative(s)
	for range steps {
		if largest <= roundings {
			return s
		}
		step, ok := solve3(derivatives, off)
		if !ok {
			return s
		}
		next := s
		next.p = min(1, s.p+step[0])
		next.x, next.y = s.x*math.Exp(step[1]), s.y*math.Exp(step[2])
		nextOff, nextLargest, nextDerivatives := relative(next)
		if !(next.p >= 0 && nextLargest < largest) {
			return s
		}
		s, off, largest, derivatives = next, nextOff, nextLargest, nextDerivatives
	}
	return s
}

// solve3 returns the solution of a·x = b by elimination with row exchanges. ok is false if a is singular. For three
// unknowns a general solver spends nearly all of its time on memory.
func solve3(a [3][3]float64, b [3]float64) (x [3]float64, ok bool) {
	for k := range 3 {
		largest := k
		for i := k + 1; i < 3; i++ {
			if math.Abs(a[i][k]) > math.Abs(a[largest][k]) {
				largest = i
			}
		}
		a[k], a[largest] = a[largest], a[k]
		b[k], b[largest] = b[largest], b[k]
		if a[k][k] == 0 {
			return x, false
		}
		for i := k + 1; i < 3; i++ {
			factor := a[i][k] / a[k][k]
			for j := k + 1; j < 3; j++ {
				a[i][j] -= factor * a[k][j]
			}
			b[i] -= factor * b[k]
		}
	}
	for k := 2; k >= 0; k-- {
		x[k] = b[k]
		for j := k + 1; j < 3; j++ {
			x[k] -= a[k][j] * x[j]
		}
		x[k] /= a[k][k]
	}
	return x, true
}

// verified returns the distribution and whether it has the moments.
func verified(alpha, rates []float64, n2, n3 float64) (Dist, bool) {
	d, err := chain(alpha, rates)
	if err != nil || d.atom != 0 {
		return Dist{}, false
	}
	m1, m2, m3 := d.firstMoments()
	ok := math.Abs(m1-1) <= momentTol && math.Abs(m2/n2-1) <= momentTol && math.Abs(m3/(n2*n3)-1) <= momentTol
	return d, ok
}

// firstMoments returns the raw moments of orders 1 to 3, as [Dist.Moment] does, by one elimination. Moments whose
// powers of the mean leave the float64 range are not kept in range.
func (d Dist) firstMoments() (m1, m2, m3 float64) {
	v, e := ones(d.n), d.eliminate()
	e.solve(v)
	m1 = dot(d.alpha, v)
	e.solve(v)
	m2 = 2 * dot(d.alpha, v)
	e.solve(v)
	return m1, m2, 6 * dot(d.alpha, v)
}

// startSplit returns a match of n − 1 phases of one rate mu followed by one of rate lambda. It is entered at the first
// phase with probability p and at the last otherwise. These matches fill the upper part of the region.
func startSplit(n int, n2, n3 float64) (Dist, bool) {
	k := float64(n)
	disc := 12*n2*n2*(k+1) + 16*n3*(k+1) + n2*(k*(n3-15)*(n3+1)-8*(n3+3))
	root := math.Sqrt(k*n2) * math.Sqrt(max(disc, 0))
	// b and b − 1 are quotients in two conjugate forms, one of which cancels. For b − 1 this matters if the third moment
	// is large, and near n2 = 2, where it may be 0.
	span := 2 * n2 * (k*n3 - (k+1)*n2)
	b := (root + n2*(k*n3-4-k)) / span
	if k*n3 < 4+k {
		b = 2 * (4 - k*(3*n2-4)) / (n2*(4+k-k*n3) + root)
	}
	b1 := (root - n2*(k*n3+4+k-2*(k+1)*n2)) / span
	if rest := k*n3 + 4 + k - 2*(k+1)*n2; rest > 0 {
		b1 = 2 * (k + 1) * (2 - n2) * (2 - n2) / (root + n2*rest)
	}
	a := (n2 - 2 + b1*n2) * (k - 1) * b / (b1 * k)
	p := b1 / a
	lambda := p*a + 1
	mu := (k - 1) * lambda / a
	if !(p >= 0 && p <= 1 && lambda > 0 && mu > 0) {
		return Dist{}, false
	}
	sum := optionalSum{n - 1, 1, p, 1 / mu, 1 / lambda}.refined(n2, n3)
	alpha, rates := make([]float64, n), slices.Repeat([]float64{1 / sum.x}, n)
	alpha[0], alpha[n-1] = sum.p, 1-sum.p
	rates[n-1] = 1 / sum.y
	return verified(alpha, rates, n2, n3)
}

// endSlow returns a match of one phase of rate lambda followed by n − 1 of rate mu. It is entered at the first phase
// with probability p and at the second otherwise. These matches fill the lower part of the region. The parameter f is a
// root of a quartic. The quartic is written for g = f − 1, which the probabilities and rates need with full accuracy.
func endSlow(n int, n2, n3 float64) (Dist, bool) {
	k, s := float64(n), float64(n-1)
	edge := s*n2 - k
	quartic := []float64{
		3 * edge * edge,
		n2*s*s*(12*n2-2*n3-18) + 12*s*(k-n2) + 4*k*(2-k),
		6*n2*s*s*(3*n2-n3-3) + 6*s*(k-n2),
		6 * n2 * s * s * (2*n2 - 1 - n3),
		n2 * s * s * (3*n2 - 2*n3),
	}
	for _, g := range realRoots(quartic) {
		a := 2 * g * s / (edge + s*g*(2*n2-2+n2*g))
		p := g * a
		lambda := a * (1 + g)
		mu := s * (1 + g)
		if !(p >= 0 && p <= 1 && lambda > 0 && mu > 0) || math.IsInf(mu, 1) || math.IsInf(lambda, 1) {
			continue
		}
		sum := optionalSum{1, n - 1, p, 1 / lambda, 1 / mu}.refined(n2, n3)
		alpha, rates := make([]float64, n), slices.Repeat([]float64{1 / sum.y}, n)
		alpha[0], alpha[1] = sum.p, 1-sum.p
		rates[0] = 1 / sum.x
		if d, ok := verified(alpha, rates, n2, n3); ok {
			return d, true
		}
	}
	return Dist{}, false
}

// realRoots returns the real roots of Σ c_i·x^i, as eigenvalues of the companion matrix polished by Newton's method.
func realRoots(c []float64) []float64 {
	for len(c) > 1 && c[len(c)-1] == 0 {
		c = c[:len(c)-1]
	}
	n := len(c) - 1
	if n < 1 {
		return nil
	}
	m := mat.NewDense(n, n, nil)
	for i := range n {
		if i > 0 {
			m.Set(i, i-1, 1)
		}
		v := -c[i] / c[n]
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		m.Set(i, n-1, v)
	}
	var eig mat.Eigen
	if !eig.Factorize(m, mat.EigenNone) {
		return nil
	}
	var roots []float64
	for _, z := range eig.Values(nil) {
		// On the edge of the region, rounding turns a double root into a pair of complex ones. Their imaginary parts are
		// about the square root of the rounding. Numbers that are not roots fail when the moments are verified.
		if math.Abs(imag(z)) <= 1e-3*cmplx.Abs(z) {
			roots = append(roots, polish(c, real(z)))
		}
	}
	return roots
}

// polish improves a root by Newton's method, as long as the steps are small.
func polish(c []float64, x float64) float64 {
	for range 8 {
		var f, df float64
		for _, v := range slices.Backward(c) {
			df = df*x + f
			f = f*x + v
		}
		next := x - f/df
		if !(math.Abs(next-x) <= 0.5*math.Abs(x)) {
			return x
		}
		x = next
	}
	return x
}

// infeasible returns the error with the nearest feasible moments and the least order that has them.
func infeasible(m1, m2, m3 float64) error {
	const most = MaxPhases
	e := &MomentsError{Moments: [3]float64{m1, m2, m3}, Needed: most}
	e.Nearest = [3]float64{m1, max(m2, m1*m1*(most+1)/most), m3}
	low, high, ok := thirdMomentBounds(most, m1, e.Nearest[1])
	if e.Nearest[1] != m2 || !ok { // only the Erlang distribution of the largest order
		e.Nearest[2] = (most + 2.) / most * m1 * e.Nearest[1]
		return e
	}
	// Slightly inside the region, because matching loses digits on its edge.
	const inside = 1e-8
	e.Nearest[2] = min(max(m3, low*(1+inside)), high*(1-inside))
	for n := 2; n < most; n++ {
		if _, ok := matching(n, m2/m1/m1, e.Nearest[2]/m1/m2); ok {
			e.Needed = n
			break
		}
	}
	return e
}
