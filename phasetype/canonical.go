package phasetype

import (
	"context"
	"errors"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"
)

// ErrCyclic says that a representation has phases that may be visited more than once, and that it is not equivalent to
// an acyclic one of the same order.
var ErrCyclic = errors.New("phasetype: T has a cycle, and no canonical form 1 of its order was found")

// Acyclic reports whether no phase can be visited twice: whether T is upper triangular for some order of the phases
// that can be reached. The zero value is acyclic.
func (d Dist) Acyclic() bool {
	_, ok := d.topological()
	return ok
}

// reached marks the phases that can be visited.
func (d Dist) reached() []bool {
	return spread(d.n, func(i int) bool { return d.alpha[i] > 0 }, func(i, j int) bool { return d.t[i*d.n+j] > 0 })
}

// topological returns the phases that can be reached, each before those it moves to.
func (d Dist) topological() (order []int, ok bool) {
	seen := d.reached()
	into := make([]int, d.n)
	count := 0
	for i := range d.n {
		if !seen[i] {
			continue
		}
		count++
		for j := range d.n {
			if j != i && d.t[i*d.n+j] > 0 {
				into[j]++
			}
		}
	}
	for i := range d.n {
		if seen[i] && into[i] == 0 {
			order = append(order, i)
		}
	}
	for k := 0; k < len(order); k++ {
		i := order[k]
		for j := range d.n {
			if j == i || d.t[i*d.n+j] == 0 {
				continue
			}
			if into[j]--; into[j] == 0 {
				order = append(order, j)
			}
		}
	}
	return order, len(order) == count
}

// Canonical returns d in canonical form 1: a chain of phases with ascending rates, entered at phase i with probability
// alpha[i] and left from its last phase. No acyclic representation of the order has fewer parameters. The result has at
// most as many phases as can be reached in d; [Dist.Reduce] removes superfluous ones.
//
// An acyclic representation is converted phase by phase, from the last to the first: each is put before the chain of
// those already converted. This uses
//
//	b/(b+s) = (1 − b/a)·[a/(a+s)]·[b/(b+s)] + (b/a)·a/(a+s),  a ≥ b,
//
// in which only two rates of d are subtracted, so that each entry of the result is accurate to a few ulps times the
// square of the order.
//
// For a cyclic representation the rates r_i are the eigenvalues of −T, and
//
//	w_n = exit/r_n,  w_{i−1} = (T + r_i·I)·w_i/r_{i−1},  alpha_i = alpha·w_i.
//
// With two phases this is always a distribution, computed to a few ulps. With more phases it is returned if it is a
// distribution that [Compare] finds within 1e-9 of d. Otherwise, for example if eigenvalues are complex, the error is
// [ErrCyclic].
//
// Reference: A. Cumani, On the canonical representation of homogeneous Markov processes modelling failure-time
// distributions, Microelectron. Reliab. 22 (1982) 583–602.
func (d Dist) Canonical() (Dist, error) {
	c, err := d.canonicalOfAcyclic(context.Background())
	if errors.Is(err, ErrCyclic) {
		return d.canonicalOfCyclic()
	}
	return c, err
}

// canonicalOfAcyclic returns canonical form 1 to full accuracy. The error is ErrCyclic or that of ctx.
func (d Dist) canonicalOfAcyclic(ctx context.Context) (Dist, error) {
	order, ok := d.topological()
	switch {
	case !ok:
		return Dist{}, ErrCyclic
	case d.IsZero():
		return Dist{}, nil
	}
	c := bidiagonal{}
	mixtures := make([][]float64, d.n) // for each phase, the initial vector of c for the time from that phase on
	for k := len(order) - 1; k >= 0; k-- {
		if ctx.Err() != nil {
			return Dist{}, ctx.Err()
		}
		i := order[k]
		mu := -d.Rate(i, i)
		mix := make([]float64, len(c.rates))
		for _, j := range order[k+1:] {
			if p := d.t[i*d.n+j] / mu; p > 0 {
				for l, v := range mixtures[j] {
					mix[l] += p * v
				}
			}
		}
		at := sort.SearchFloat64s(c.rates, mu)
		own := c.prefix(mu, at, mix, d.exit[i]/mu)
		for _, j := range order[k+1:] {
			mixtures[j] = c.insert(mu, at, mixtures[j])
		}
		mixtures[i] = own
		c.rates = slices.Insert(c.rates, at, mu)
	}
	c.alpha = make([]float64, len(c.rates))
	for _, i := range order {
		for l, v := range mixtures[i] {
			c.alpha[l] += d.alpha[i] * v
		}
	}
	return c.dist(d.atom)
}

// mostCyclic is the order above which the products over the eigenvalues lose all digits.
const mostCyclic = 30

// canonicalOfCyclic returns canonical form 1 of a representation with cycles by its eigenvalues.
func (d Dist) canonicalOfCyclic() (Dist, error) {
	p := d.pruned()
	switch {
	case p.n == 2:
		return p.canonicalOfTwo().dist(d.atom)
	case p.n > mostCyclic:
		return Dist{}, ErrCyclic
	}
	rates, ok := p.realRates()
	if !ok {
		return Dist{}, ErrCyclic
	}
	c := bidiagonal{make([]float64, p.n), rates}
	w, next := p.Exit(), make([]float64, p.n)
	for i := p.n - 1; i >= 0; i-- {
		for k := range w {
			w[k] /= rates[i]
		}
		c.alpha[i] = dot(p.alpha, w)
		if c.alpha[i] < 0 && c.alpha[i] > -defaultTol { // 0, up to rounding
			c.alpha[i] = 0
		}
		for k := range w {
			next[k] = rates[i]*w[k] + dot(p.t[k*p.n:(k+1)*p.n], w)
		}
		w, next = next, w
	}
	out, err := c.dist(d.atom)
	if err != nil || !compareLaws(context.Background(), NewLaw(out), NewLaw(d)).Within(sumTol) {
		return Dist{}, ErrCyclic
	}
	return out, nil
}

// canonicalOfTwo returns canonical form 1 of two phases in closed form. With the rates a and b out of the phases and u
// and v between them, r_1 ≤ r_2 are the roots of r² − (a + b)·r + (a·b − u·v). Computed as differences, r_1, r_2 − a
// and r_2 − b would have an error of an ulp of r_2, which may be larger than they are. Here they are sums:
//
//	h = (a − b)/2,  s = √(h² + u·v),  r_2 − b = s + h,  r_2 − a = s − h = u·v/(s + h),  r_1·r_2 = exit_1·b + u·exit_2.
//
// The only difference left, a − b, has few digits only if a and b are near r_2, and then affects alpha by an ulp.
func (d Dist) canonicalOfTwo() bidiagonal {
	u, v := d.t[1], d.t[2]
	a, b := d.exit[0]+u, d.exit[1]+v
	between := math.Sqrt(u) * math.Sqrt(v) // u·v may be out of range
	half := (a - b) / 2
	farther := math.Hypot(half, between) + math.Abs(half)
	nearer := between * (between / farther)
	aboveA, aboveB := nearer, farther // r_2 − a, r_2 − b
	if half < 0 {
		aboveA, aboveB = farther, nearer
	}
	fast := math.Max(a, b) + nearer
	one, two := d.exit[0]/fast, d.exit[1]/fast // w_2
	slow := one*b + u*two
	return bidiagonal{
		alpha: []float64{
			(d.alpha[0]*(aboveA*one+u*two) + d.alpha[1]*(v*one+aboveB*two)) / slow,
			d.alpha[0]*one + d.alpha[1]*two,
		},
		rates: []float64{math.Min(slow, fast), fast}, // without a cycle, rounding may make slow the larger
	}
}

// realRates returns the eigenvalues of −T, ascending, if they are real and positive.
func (d Dist) realRates() (rates []float64, ok bool) {
	var eig mat.Eigen
	if !eig.Factorize(d.T(), mat.EigenNone) {
		return nil, false
	}
	for _, z := range eig.Values(nil) {
		if imag(z) != 0 || !(real(z) < 0) {
			return nil, false
		}
		rates = append(rates, -real(z))
	}
	slices.Sort(rates)
	return rates, true
}
