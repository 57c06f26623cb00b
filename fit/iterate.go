package fit

import (
	"math"
	"sort"
)

// attempt is where an ascent arrived.
type iterate struct {
	canonical
	mean      float64 // log-likelihood per unit of weight, on the mesh
	evals     int
	converged bool
	descent   *descent // by which it goes on
}

// again returns at for a fresh ascent, on another mesh.
func (at iterate) restarted() iterate {
	at.rates, at.descent = sortedRates(at.descent.y), nil
	return at
}

// rising returns the rates of parameters in order.
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

// patience is how many steps in a row may gain next to nothing before an ascent is over.
const maxSmallSteps = 3

// climb goes on from at, evals evaluations at most, until the gain of steps is less than tolerance. The alpha of the
// result is only where to search for the best.
func (p *profile) ascend(at iterate, evals int, tolerance float64) iterate {
	if at.descent == nil {
		at.descent = newDescent(logsOf(at.rates))
	}
	p.setAlpha(at.alpha)
	before := at.descent.evals
	at.descent.run(p, evals, tolerance, maxSmallSteps)
	at.alpha = append([]float64(nil), p.alpha...)
	at.mean, at.converged = -at.descent.f, at.descent.converged
	at.evals += at.descent.evals - before
	return at
}

// settle returns the best point of a climb.
func (p *profile) optimum(at iterate) iterate {
	p.setAlpha(at.alpha)
	if f := p.value(at.descent.y); !math.IsInf(f, 1) {
		at.mean = -f
		at.canonical = canonical{append([]float64(nil), p.alpha...), append([]float64(nil), p.rates...)}
	}
	return at
}
