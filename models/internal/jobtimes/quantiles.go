// Package jobtimes holds the distributions of the waiting and response times of jobs under a policy: quantiles with error bounds,
// and the transforms from which quantiles are inverted.
package jobtimes

import (
	"context"

	"github.com/partwise/partwise/markov"
)

// Quantile returns the p-quantile of a time. A nil Quantile means that the distribution is not known.
type Quantile func(ctx context.Context, p float64) (float64, error)

// Distributions are the distributions of the waiting time and of the response time under a policy. The functions of the
// errors are called when the quantiles are known.
type Distributions struct {
	Waiting, Response Quantile
	ProbabilityError  func() float64 // error of P(time ≤ t) that the inversion of a transform causes; nil if no transform is inverted
	RelativeError     func() float64 // relative error of probabilities and times
}

// Quantiles returns the quantiles of the waiting time and of the response time at all p. They are nil for a time whose
// distribution is not known. bound is the largest error of P(time ≤ t) at a quantile t. The error comes from the distributions or
// from ctx.
func (d *Distributions) Quantiles(ctx context.Context, p []float64) (waiting, response []float64, bound float64, err error) {
	waiting, changeWaiting, err := quantiles(ctx, d.Waiting, p)
	if err != nil {
		return nil, nil, 0, err
	}
	response, changeResponse, err := quantiles(ctx, d.Response, p)
	if err != nil {
		return nil, nil, 0, err
	}
	// A relative error of all times changes P(time ≤ t) by the error times t·density(t).
	bound = d.RelativeError() * (1 + max(changeWaiting, changeResponse))
	if d.ProbabilityError != nil {
		bound += d.ProbabilityError()
	}
	return waiting, response, bound, nil
}

// quantiles returns the quantiles at all p, nil if the distribution is not known, and the largest t·density(t) at a quantile t.
// The density comes from the difference to a quantile nearby.
func quantiles(ctx context.Context, of Quantile, p []float64) (all []float64, change float64, err error) {
	if of == nil {
		return nil, 0, nil
	}
	const nearby = 1.0 / 64 // share of 1 − p
	all = make([]float64, len(p))
	for i := range p {
		if all[i], err = of(ctx, p[i]); err != nil {
			return nil, 0, err
		}
		step := nearby * (1 - p[i])
		next, err := of(ctx, p[i]+step)
		if err != nil {
			return nil, 0, err
		}
		if next > all[i] {
			change = max(change, next*step/(next-all[i]))
		}
	}
	return all, change, nil
}

// Middle returns the mean of the lower and the upper bound on the time at which P(time > t) has fallen to rest. The error comes from
// [markov.SurvivalTransform.Quantile].
func Middle(ctx context.Context, t *markov.SurvivalTransform, rest float64) (float64, error) {
	low, err := t.Quantile(ctx, rest, false)
	if err != nil {
		return 0, err
	}
	high, err := t.Quantile(ctx, rest, true)
	return (low + high) / 2, err
}

// Transform returns start·(sI − Q)⁻¹·1 for the rates Q of a chain: the transform at s of the probability that the chain has not
// ended by a time t, if it starts with the probabilities start. The error comes from [markov.Chain.Resolvent].
func Transform(ctx context.Context, chain *markov.Chain, start []float64, s complex128) (sum complex128, err error) {
	x := make([]complex128, len(start))
	for i, p := range start {
		x[i] = complex(p, 0)
	}
	y, _, err := chain.Resolvent(ctx, s, x)
	for _, v := range y {
		sum += v
	}
	return sum, err
}
