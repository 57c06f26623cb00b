package phasetype

import (
	"context"
	"math"
	"slices"
)

// bidiagonal is a chain of phases with ascending rates and the initial vector alpha.
type bidiagonal struct {
	alpha, rates []float64
}

// insert returns the initial vector that gives the chain, with another phase of rate mu at position at, the same
// distribution as the initial vector mix without it. By the identity
//
//	1 = mu/(mu+s)·(1 + s/mu)
//
// the probability of entering a phase of rate λ ≤ mu is divided between that phase and the next one, in the ratio of
// 1 − λ/mu to λ/mu.
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

// prefix returns the initial vector for a phase of rate mu followed, with probability stop, by absorption and otherwise
// by the chain with the initial vector mix. It is one of the chain with the new phase at position at.
func (c bidiagonal) prefix(mu float64, at int, mix []float64, stop float64) []float64 {
	n := len(mix)
	out := make([]float64, n+1)
	copy(out, mix[:at]) // from these phases on, the chain passes the new one
	carry := stop       // weight of the new phase followed by the phases from k on
	for k := n; k > at; k-- {
		r := c.rates[k-1]
		out[k] = carry * (mu / r)
		carry = carry*((r-mu)/r) + mix[k-1]
	}
	out[at] += carry
	return out
}

// dist returns the distribution, without the phases before the first that is entered, with an atom at zero. An atom too
// small for a representation is distributed over the phases.
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
	for i := range alpha { // so that New sees the atom exactly
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

// chain returns a distribution in canonical form 1 as a bidiagonal.
func (d Dist) chain() bidiagonal {
	c := bidiagonal{append([]float64(nil), d.alpha...), make([]float64, d.n)}
	for i := range c.rates {
		c.rates[i] = -d.Rate(i, i)
	}
	return c
}

// cancelled returns the chain without the phases whose pole is cancelled by a zero, as long as alpha stays nonnegative
// without them. It stops when ctx ends.
func (c bidiagonal) cancelled(ctx context.Context, tol float64) bidiagonal {
	for found := true; found && len(c.rates) > 1; {
		found = false
		for at := 0; at < len(c.rates) && !found && ctx.Err() == nil; at++ {
			if at > 0 && c.rates[at] == c.rates[at-1] {
				continue // only the first of equal rates
			}
			var shorter bidiagonal
			if shorter, found = c.without(at, tol); found {
				c = shorter
			}
		}
	}
	return c
}

// without is the inverse of insert: it returns the chain without the phase at position at, of rate mu, if inserting
// that phase gives alpha back up to a relative change by tol of one entry. With q_k = λ_k/mu the entries a of the
// shorter chain satisfy
//
//	alpha_k = (1 − q_k)·a_k + q_{k−1}·a_{k−1} for k ≤ at,  alpha_{k+1} = a_k for k ≥ at.
//
// This is one equation more than there are unknowns. The equation that the others fulfil best is left out.
func (c bidiagonal) without(at int, tol float64) (out bidiagonal, ok bool) {
	n := len(c.rates)
	mu := c.rates[at]
	up, down := c.solveBothWays(at)
	best, leave := tol, -1
	for k := range at + 1 {
		var before, after float64
		if k > 0 {
			before = up[k-1] * (c.rates[k-1] / mu)
		}
		if k < at {
			after = down[k] * ((mu - c.rates[k]) / mu)
		}
		if !(positiveUpTo(tol, up[:k]) && positiveUpTo(tol, down[k:at])) {
			continue
		}
		scale := c.alpha[k] + math.Abs(before) + math.Abs(after)
		if miss := math.Abs(c.alpha[k] - before - after); miss <= best*scale {
			leave = k
			if scale > 0 {
				best = miss / scale
			}
		}
	}
	if leave < 0 {
		return bidiagonal{}, false
	}
	out = bidiagonal{make([]float64, n-1), append(append([]float64(nil), c.rates[:at]...), c.rates[at+1:]...)}
	copy(out.alpha, up[:leave])
	copy(out.alpha[leave:], down[leave:at])
	copy(out.alpha[at:], c.alpha[at+1:])
	for i, a := range out.alpha {
		out.alpha[i] = math.Max(a, 0)
	}
	return out, true
}

// solveBothWays returns the solutions a of the equations of without, upwards from the first equation and downwards from
// the equation at.
func (c bidiagonal) solveBothWays(at int) (up, down []float64) {
	mu := c.rates[at]
	up, down = make([]float64, at+1), make([]float64, at+1)
	for k := range at {
		up[k] = c.alpha[k]
		if k > 0 {
			up[k] -= up[k-1] * (c.rates[k-1] / mu)
		}
		up[k] *= mu / (mu - c.rates[k])
	}
	for k := at; k > 0; k-- {
		down[k-1] = c.alpha[k]
		if k < at {
			down[k-1] -= down[k] * ((mu - c.rates[k]) / mu)
		}
		down[k-1] *= mu / c.rates[k-1]
	}
	return up, down
}

// positiveUpTo reports whether no entry is below −tol.
func positiveUpTo(tol float64, v []float64) bool {
	for _, x := range v {
		if !(x >= -tol) {
			return false
		}
	}
	return true
}
