package phasetype

import "slices"

// bidiagonal is a chain of phases with ascending rates and the initial vector alpha.
type bidiagonal struct {
	alpha, rates []float64
}

// insert returns the initial vector of the chain with another phase of rate mu at position at, one entry longer. With
// this vector the longer chain has the same distribution as c with the initial vector mix. By the identity
//
//	1 = mu/(mu+s)·(1 + s/mu)
//
// the probability of entering a phase of rate λ ≤ mu is divided. The phase gets the share 1 − λ/mu of it, the next
// phase λ/mu. The result uses the storage of mix, if there is enough.
func (c bidiagonal) insert(mu float64, at int, mix []float64) []float64 {
	mix = slices.Insert(mix, at, 0)
	for i := at - 1; i >= 0; i-- {
		r := c.rates[i]
		mix[i+1] += mix[i] * (r / mu)
		mix[i] *= (mu - r) / mu
	}
	return mix
}

// prefix returns the initial vector for a phase of rate mu that comes before the chain. After the phase follows
// absorption with probability stop, otherwise the chain with the initial vector mix. The result belongs to the chain
// with the new phase at position at.
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

// dist returns the distribution of the time in the chain, without the phases before the first that is entered. It has
// an atom at zero. An atom too small for a representation is distributed over the phases.
func (c bidiagonal) dist(atom float64) (Dist, error) {
	first := 0
	for first < len(c.alpha)-1 && c.alpha[first] == 0 {
		first++
	}
	alpha := slices.Clone(c.alpha[first:])
	var total float64
	for _, a := range alpha {
		total += a
	}
	for i := range alpha { // so that New sees the atom exactly
		alpha[i] *= (1 - atom) / total
	}
	return chain(alpha, c.rates[first:])
}
