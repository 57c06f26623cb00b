package phasetype

import (
	"errors"
	"slices"
	"sort"
)

// ErrCyclic says that a representation has phases that may be visited more than once.
var ErrCyclic = errors.New("phasetype: T has a cycle, so that it is not converted to canonical form 1")

// reached reports for each phase whether it can be visited.
func (d Dist) reached() []bool {
	seen, _ := spread(d.n, func(i int) bool { return d.alpha[i] > 0 }, func(i, j int) bool { return d.t[i*d.n+j] > 0 })
	return seen
}

// topological returns the phases that can be reached, each before those it moves to. ok is false if they have a cycle.
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
// most as many phases as can be reached in d. The error is [ErrCyclic] if d has a cycle.
//
// A representation is converted phase by phase, from the last to the first: each is put before the chain of the phases
// that are already converted. This uses
//
//	b/(b+s) = (1 − b/a)·[a/(a+s)]·[b/(b+s)] + (b/a)·a/(a+s),  a ≥ b,
//
// in which only two rates of d are subtracted. So each entry of the result is accurate to a few ulps times the square of
// the order.
//
// Reference: A. Cumani, On the canonical representation of homogeneous Markov processes modelling failure-time
// distributions, Microelectron. Reliab. 22 (1982) 583–602.
func (d Dist) Canonical() (Dist, error) {
	order, ok := d.topological()
	switch {
	case !ok:
		return Dist{}, ErrCyclic
	case d.IsZero():
		return Dist{}, nil
	}
	c := bidiagonal{}
	mixtures := make([][]float64, d.n) // for each phase, the initial vector of c for the time from that phase on
	for k, i := range slices.Backward(order) {
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
