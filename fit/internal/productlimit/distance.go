package productlimit

import (
	"context"
	"math"
)

// CriticalValue returns the largest |S − F̄|/G, see [Estimate], that 5 % of large samples of n values exceed if F̄ is the true
// survival function: 1.358/√n, from the limit distribution of Kolmogorov. Fewer samples exceed it if there is censoring, or
// if F̄ was fitted to the sample.
func CriticalValue(n float64) float64 { return 1.358 / math.Sqrt(max(n, 1)) }

// Above returns the largest (S − F̄)/G for a survival function F̄, or 0. Its limit from the left counts at a step.
func (e *Estimate) Above(ctx context.Context, survival func(x float64) float64) float64 {
	return e.largest(ctx, survival, func(st Step, survival, leastSpread float64) float64 {
		return (st.Before - survival) / max(st.SpreadBefore, leastSpread)
	})
}

// Below returns the largest (F̄ − S)/G for a survival function F̄, or 0.
func (e *Estimate) Below(ctx context.Context, survival func(x float64) float64) float64 {
	return e.largest(ctx, survival, func(st Step, survival, leastSpread float64) float64 {
		return (survival - st.After) / max(st.SpreadAfter, leastSpread)
	})
}

// largest returns the largest distance at a step, or 0, of those looked at before ctx ends. The function distance gets the survival
// function of the observable values at the step, and the least spread there.
func (e *Estimate) largest(ctx context.Context, survival func(x float64) float64,
	distance func(st Step, survival, leastSpread float64) float64) (largest float64) {
	whole, spreads := e.Observable(survival), e.Spreads(ctx, survival)
	for i, st := range e.Steps {
		if i%chunk == 0 && ctx.Err() != nil {
			break
		}
		leastSpread := 0.0
		if spreads != nil {
			leastSpread = spreads[i]
		}
		largest = max(largest, distance(st, survival(st.X)/whole, leastSpread))
	}
	return largest
}

// AndersonDarling sums ∫ (c−F)²/(F·(1−F)) dF over the steps of the data, where the distribution function c of the data
// is constant on each step. From F = a to F = b the integral is
//
//	c²·log(b/a) + (1−c)²·log((1−a)/(1−b)) − (b−a).
//
// Reference: T. W. Anderson, D. A. Darling, A test of goodness of fit, J. Amer. Statist. Assoc. 49 (1954) 765–769.
type AndersonDarling struct {
	Sum           float64
	cdf, survival float64 // F and 1 − F at the end of the last step; both have small relative errors
}

// NewAndersonDarling returns the sum over no steps, before time 0.
func NewAndersonDarling() *AndersonDarling { return &AndersonDarling{survival: 1} }

// Add adds the integral of the Anderson–Darling statistic, (F_n − F)²/(F·(1−F)) dF, over one step of the data to a.Sum.
// On the step the survival function of the data, 1 − F_n, has the value data. F rises from a.cdf, its value at the end
// of the step before, to cdf, and 1 − F falls from a.survival to survival. Then cdf and survival become a.cdf and
// a.survival. Both are limited such that F does not fall and 1 − F stays positive, so that rounding errors have no
// effect.
func (a *AndersonDarling) Add(data, cdf, survival float64) {
	cdf, survival = max(cdf, a.cdf), min(max(survival, minPositive), a.survival)
	part := data*data*math.Log(a.survival/survival) - (cdf - a.cdf)
	if below := 1 - data; below > 0 && a.cdf > 0 {
		part += below * below * math.Log(cdf/a.cdf)
	}
	a.Sum += max(0, part)
	a.cdf, a.survival = cdf, survival
}

// Finish adds the integral above the largest value to a.Sum, where the distribution function of the data is 1. It must
// be left out where the largest observation is a lower bound.
func (a *AndersonDarling) Finish() {
	if a.cdf > 0 {
		a.Sum += max(0, -math.Log(a.cdf)-a.survival)
	}
}
