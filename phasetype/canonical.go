package phasetype

import (
	"errors"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"
)

// ErrCyclic says that a representation has phases that are visited more than once, and is not that of an acyclic
// distribution of the same order.
var ErrCyclic = errors.New("phasetype: T has a cycle, and no canonical form 1 of its order was found")

// Acyclic reports whether no phase that can be reached is ever visited twice: whether the phases can be put into an
// order in which T is upper triangular. The zero value is acyclic.
func (d Dist) Acyclic() bool {
	_, ok := d.topological()
	return ok
}

// reached marks the phases that are ever visited.
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

// Canonical returns d in canonical form 1: a chain of phases with ascending rates, each left for the next and the last
// for absorption, entered at phase i with probability alpha[i]; no acyclic representation of the order has fewer
// parameters. It has at most one phase for each phase of d that can be reached; [Dist.Reduce] removes those that are
// superfluous.
//
// Of an acyclic representation, one phase after the other, the last first, is put before the chain of those done. The
// mixtures of chains are rewritten by
//
//	b/(b+s) = (1 − b/a)·[a/(a+s)]·[b/(b+s)] + (b/a)·a/(a+s),  a ≥ b,
//
// in which nothing is subtracted but two rates of d: each entry of the result is accurate to a few ulps times the
// square of the order.
//
// Of a cyclic one the rates are the eigenvalues of −T, with
//
//	w_n = exit/r_n,  w_{i−1} = (T + r_i·I)·w_i/r_{i−1},  alpha_i = alpha·w_i.
//
// With two phases that is always a distribution, and written so that nothing is subtracted but two rates, accurate to a
// few ulps. With more it is returned if it is a distribution and within 1e-9 of d by [Compare]. Otherwise, as with
// complex eigenvalues, the error is [ErrCyclic].
//
// Reference: A. Cumani, On the canonical representation of homogeneous Markov processes modelling failure-time
// distributions, Microelectron. Reliab. 22 (1982) 583–602.
func (d Dist) Canonical() (Dist, error) {
	c, err := d.canonicalOfAcyclic()
	if errors.Is(err, ErrCyclic) {
		return d.canonicalOfCyclic()
	}
	return c, err
}

// canonicalOfAcyclic returns canonical form 1 to full accuracy, or ErrCyclic.
func (d Dist) canonicalOfAcyclic() (Dist, error) {
	order, ok := d.topological()
	switch {
	case !ok:
		return Dist{}, ErrCyclic
	case d.IsZero():
		return Dist{}, nil
	}
	c := bidiagonal{}
	mixtures := make([][]float64, d.n) // the time from a phase on, as a mixture of the chains that end ours
	for k := len(order) - 1; k >= 0; k-- {
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

// mostCyclic is the order beyond which the products over the eigenvalues have no digits left.
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
	if err != nil || !Equivalent(out, d, sumTol) {
		return Dist{}, ErrCyclic
	}
	return out, nil
}

// canonicalOfTwo returns canonical form 1 of two phases in closed form. With the rates a and b out of the phases and u
// and v between them, r_1 ≤ r_2 are the roots of r² − (a + b)·r + (a·b − u·v). As differences of rates r_1, r_2 − a and
// r_2 − b would be good to an ulp of r_2, which may be more than they are; here they are sums:
//
//	h = (a − b)/2,  s = √(h² + u·v),  r_2 − b = s + h,  r_2 − a = s − h = u·v/(s + h),  r_1·r_2 = exit_1·b + u·exit_2.
//
// The one difference left, a − b, has few digits only where a and b are near r_2; what is missing is an ulp in alpha.
func (d Dist) canonicalOfTwo() bidiagonal {
	u, v := d.t[1], d.t[2]
	a, b := d.exit[0]+u, d.exit[1]+v
	between := math.Sqrt(u) * math.Sqrt(v) // u·v itself may be out of range
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
		rates: []float64{math.Min(slow, fast), fast}, // equal but for rounding where the cycle is next to nothing
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

// bidiagonal is a chain of phases with ascending rates, entered by alpha.
type bidiagonal struct {
	alpha, rates []float64
}

// insert returns the mixture mix of the chain's ends as one of the chain with another phase of rate mu at position at.
// A start in a phase of rate λ ≤ mu becomes, by
//
//	1 = mu/(mu+s)·(1 + s/mu),
//
// a start there or in the phase behind it, with probabilities 1 − λ/mu and λ/mu.
func (c bidiagonal) insert(mu float64, at int, mix []float64) []float64 {
	out := make([]float64, len(mix)+1)
	copy(out[at+1:], mix[at:])
	for i := at - 1; i >= 0; i-- {
		r := c.rates[i]
		out[i+1] += mix[i] * (r / mu)
		out[i] = mix[i] * ((mu - r) / mu)
	}
	return out
}

// prefix returns the time of a phase of rate mu followed by the mixture mix of the chain's ends, and by nothing with
// probability stop, as a mixture of the ends of the chain with that phase at position at.
func (c bidiagonal) prefix(mu float64, at int, mix []float64, stop float64) []float64 {
	n := len(mix)
	out := make([]float64, n+1)
	copy(out, mix[:at]) // these ends hold the new phase already
	carry := stop       // of chains that begin with the new phase, followed by phase k and what is behind it
	for k := n; k > at; k-- {
		r := c.rates[k-1]
		out[k] = carry * (mu / r)
		carry = carry*((r-mu)/r) + mix[k-1]
	}
	out[at] += carry
	return out
}

// dist returns the distribution, from the first phase that is entered on. An atom below what a representation carries
// is spread over the phases.
func (c bidiagonal) dist(atom float64) (Dist, error) {
	first := 0
	for first < len(c.alpha)-1 && c.alpha[first] == 0 {
		first++
	}
	alpha, rates := slices.Clone(c.alpha[first:]), c.rates[first:]
	var total float64
	for _, a := range alpha {
		total += a
	}
	for i := range alpha { // one minus the atom up to rounding, and New is to see it so
		alpha[i] *= (1 - atom) / total
	}
	n := len(alpha)
	moves, exit := make([]float64, n*n), make([]float64, n)
	for i := range n - 1 {
		moves[i*n+i+1] = rates[i]
	}
	exit[n-1] = rates[n-1]
	return fromRates(alpha, moves, exit)
}
