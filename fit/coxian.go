package fit

import (
	"context"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// coxian is the family of Coxian distributions. Every acyclic distribution has a Coxian form with descending rates. So
// its fit is the fit of canonical form 1, with the phases in reverse order. Canonical form 1 is entered at phase i and
// passes phases i … m. The Coxian is entered at its first phase, of rate λ_m, and left after the phase of rate λ_i.
// Both take the same time.
//
// Reference: A. Cumani, On the canonical representation of homogeneous Markov processes modelling failure-time
// distributions, Microelectron. Reliab. 22 (1982) 583–602.
type coxian struct{ cf1 *nested[cf1Point] }

// each calls done with the Coxian form of the fit of each order from least to most, in ascending order. Candidates of
// the Coxian family are made from these solutions. It stops at the first error of done, of the fits or of ctx, or at a
// *[CandidateError] of the Coxian form.
func (c coxian) each(ctx context.Context, least, most int, done func(solution) error) error {
	return c.cf1.each(ctx, least, most, func(s solution) error {
		var err error
		if s.dist, err = coxianOf(s.dist); err != nil {
			return &CandidateError{Coxian, s.phases, err}
		}
		return done(s)
	})
}

// coxianOf returns the Coxian form of a distribution d in canonical form 1. The phases of d have the rates λ_1 ≤ … ≤
// λ_m and the initial probabilities α_1, …, α_m. The result is a new distribution with as many phases. The order of the
// phases is reversed: the Coxian starts in the phase of rate λ_m, which is its first. The phase of rate λ_i is followed
// by the phase of rate λ_{i−1} with probability (α_1 + … + α_{i−1})/(α_1 + … + α_i). Otherwise the time ends. The error
// comes from [phasetype.New], for numbers out of range.
func coxianOf(d phasetype.Dist) (phasetype.Dist, error) {
	m := d.Phases()
	enter := d.Alpha()
	alpha := make([]float64, m)
	alpha[0] = 1
	t := mat.NewDense(m, m, nil)
	var before float64 // alpha[0] + … + alpha[i−1]
	for i := range m {
		rate := -d.Rate(i, i)
		k := m - 1 - i
		t.Set(k, k, -rate)
		if before > 0 {
			t.Set(k, k+1, rate*(before/(before+enter[i])))
		}
		before += enter[i]
	}
	return phasetype.New(alpha, t)
}
