package fit

import (
	"context"
	"math"
	"sort"

	"github.com/partwise/partwise/fit/internal/optimum"
)

// iterate is a point that an ascent has reached.
type iterate struct {
	canonical
	mean      float64 // log-likelihood per unit of weight, by the quadrature
	evals     int
	converged bool
	descent   *optimum.Descent // continues the ascent; nil before the first step
}

// restarted returns the same point for a new ascent, on another quadrature.
func (at iterate) restarted() iterate {
	at.rates, at.descent = sortedRates(at.descent.Y), nil
	return at
}

// sortedRates returns the rates whose logarithms are y, in ascending order.
func sortedRates(y []float64) []float64 {
	rates := make([]float64, len(y))
	for i, v := range y {
		rates[i] = math.Exp(v)
	}
	sort.Float64s(rates)
	return rates
}

func logsOf(rates []float64) []float64 {
	y := make([]float64, len(rates))
	for i, r := range rates {
		y[i] = math.Log(r)
	}
	return y
}

// maxSmallSteps is how many steps in a row may gain less than the tolerance before an ascent has converged.
const maxSmallSteps = 3

// ascend continues from at, for at most evals evaluations, until the gain per step is less than tolerance. The alpha of
// the result is only a start for finding the best one; see [profile.optimum].
func (p *profile) ascend(ctx context.Context, at iterate, evals int, tolerance float64) iterate {
	if at.descent == nil {
		at.descent = optimum.NewDescent(logsOf(at.rates))
	}
	p.SetAlpha(at.alpha)
	before := at.descent.Evals
	at.descent.Run(ctx, optimum.Objective{Value: p.value, Gradient: p.gradient}, evals, tolerance, maxSmallSteps)
	at.alpha = append([]float64(nil), p.Alpha...)
	at.mean, at.converged = -at.descent.F, at.descent.Converged
	at.evals += at.descent.Evals - before
	return at
}

// optimum returns the best point of an ascent, with its best alpha.
func (p *profile) optimum(ctx context.Context, at iterate) iterate {
	p.SetAlpha(at.alpha)
	if f := p.value(ctx, at.descent.Y); !math.IsInf(f, 1) {
		at.mean = -f
		at.canonical = canonical{append([]float64(nil), p.Alpha...), append([]float64(nil), p.rates...)}
	}
	return at
}
