package fit

import (
	"math"
	"slices"
	"sort"

	"github.com/partwise/partwise/phasetype"
)

// canonical is an acyclic phase-type distribution: a chain of phases 1 → 2 → … → m → absorption with the given rates.
// The chain is entered at phase i with probability alpha[i]. With ascending rates it is canonical form 1.
//
// Reference: A. Cumani, On the canonical representation of homogeneous Markov processes modelling failure-time
// distributions, Microelectron. Reliab. 22 (1982) 583–602.
type canonical struct {
	alpha, rates []float64
}

// canonicalOf returns canonical form 1, with at least m phases, of an acyclic distribution, in its unit of time. If the
// form has fewer phases, phases are added that leave the distribution as it is, each twice as fast as the fastest. The
// error comes from [phasetype.Dist.Canonical], for example if d is not acyclic.
func canonicalOf(d phasetype.Dist, m int) (canonical, error) {
	d, err := d.Canonical()
	if err != nil {
		return canonical{}, err
	}
	c := canonical{d.Alpha(), make([]float64, d.Phases())}
	for i := range c.rates {
		c.rates[i] = -d.Rate(i, i)
	}
	for len(c.rates) < m {
		c = c.insert(2 * c.rates[len(c.rates)-1])
	}
	return c, nil
}

// ascending returns the same distribution in canonical form 1, with as many phases: a chain whose rates ascend. EM can
// leave the rates out of order. It returns c itself where the conversion fails because rates are out of range.
func (c canonical) ascending() canonical {
	d, err := c.dist()
	if err != nil {
		return c
	}
	if same, err := canonicalOf(d, len(c.rates)); err == nil {
		return same
	}
	return c
}

// insert returns the same distribution with one more phase, of rate mu > 0; both are in canonical form 1. c stays
// unchanged. A fit with one more phase starts from the result. The identity
//
//	1 = mu/(mu+s)·(1 + s/mu)
//
// of Laplace transforms divides the probability of entering the chain at a phase of rate λ ≤ mu. The chain is entered
// at this phase with the share 1−λ/mu of it, and at the next phase with the share λ/mu.
func (c canonical) insert(mu float64) canonical {
	at := sort.SearchFloat64s(c.rates, mu)
	out := canonical{make([]float64, len(c.alpha)+1), slices.Insert(slices.Clone(c.rates), at, mu)}
	copy(out.alpha[at+1:], c.alpha[at:])
	for i := at - 1; i >= 0; i-- {
		q := c.rates[i] / mu
		out.alpha[i+1] += c.alpha[i] * q
		out.alpha[i] += c.alpha[i] * (1 - q)
	}
	return out
}

// dense returns the chain as a distribution with all matrices of numbers, in new storage. EM and scoring take this
// form.
func (c canonical) dense() dense {
	m := len(c.rates)
	d := newDense(m)
	copy(d.alpha, c.alpha)
	for i, r := range c.rates[:m-1] {
		d.jump[i*m+i+1] = r
	}
	d.exit[m-1] = c.rates[m-1]
	return d
}

// chain returns d, a result of EM, as a chain of phases with their rates. d must have this form: its phases follow one
// another, and only the last phase is left. The initial probabilities are shared.
func (d dense) chain() canonical {
	m := len(d.alpha)
	c := canonical{d.alpha, make([]float64, m)}
	for i := range m - 1 {
		c.rates[i] = d.jump[i*m+i+1]
	}
	c.rates[m-1] = d.exit[m-1]
	return c
}

// dist returns c as a phase-type distribution, in the unit of its rates. The error comes from [phasetype.New], for
// numbers out of range.
func (c canonical) dist() (phasetype.Dist, error) { return c.dense().dist(1) }

// scaled returns the distribution of by·X, where X has the distribution c: rates are divided by the factor. It changes
// the unit of time, or moves a mean. c stays unchanged.
func (c canonical) scaled(by float64) canonical {
	out := c.clone()
	for i := range out.rates {
		out.rates[i] /= by
	}
	return out
}

// clone returns a copy that shares no memory with c, so that an ascent may change the copy.
func (c canonical) clone() canonical {
	return canonical{slices.Clone(c.alpha), slices.Clone(c.rates)}
}

// perturbed returns a copy of c with every entry of alpha positive and equal rates moved apart. Alpha becomes a mixture
// with equal probabilities of weight by, and rates change by up to the relative amount by/2. An ascent needs both: EM
// would leave zeros at zero, and the likelihood is stationary in the difference of two equal rates.
func (c canonical) perturbed(by float64) canonical {
	out := c.clone()
	m := float64(len(out.rates))
	for i := range out.alpha {
		out.alpha[i] = (1-by)*out.alpha[i] + by/m
		out.rates[i] *= 1 + by*(float64(i)-(m-1)/2)/m
	}
	return out
}

// geometric returns a chain of m phases with ascending rates in geometric progression, the last spread times the first.
// Each phase is entered with probability 1/m; the distribution has the given mean. With m = 1 it is the exponential
// distribution. Ascents start from it.
func geometric(m int, spread, mean float64) canonical {
	c := canonical{make([]float64, m), make([]float64, m)}
	var unscaled float64 // the mean with a first rate of 1
	for i := range m {
		c.alpha[i] = 1 / float64(m)
		c.rates[i] = math.Pow(spread, float64(i)/float64(max(1, m-1)))
		unscaled += float64(i+1) / float64(m) / c.rates[i]
	}
	for i := range m {
		c.rates[i] *= unscaled / mean
	}
	return c
}
