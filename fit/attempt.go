package fit

import (
	"math"
	"sort"
)

// attempt is where an ascent arrived.
type attempt struct {
	canonical
	mean      float64 // log-likelihood per unit of weight, on the mesh
	evals     int
	converged bool
	way       *descent // by which it goes on
}

// again returns at for a fresh ascent, on another mesh.
func (at attempt) again() attempt {
	at.rates, at.way = rising(at.way.y), nil
	return at
}

// rising returns the rates of parameters in order.
func rising(y []float64) []float64 {
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
const patience = 3

// climb goes on from at, evals evaluations at most, until the gain of steps is less than tolerance. The alpha of the
// result is only where to search for the best.
func (p *profile) climb(at attempt, evals int, tolerance float64) attempt {
	if at.way == nil {
		at.way = newDescent(logsOf(at.rates))
	}
	p.enter(at.alpha)
	before := at.way.evals
	at.way.run(p, evals, tolerance, patience)
	at.alpha = append([]float64(nil), p.alpha...)
	at.mean, at.converged = -at.way.f, at.way.converged
	at.evals += at.way.evals - before
	return at
}

// settle returns the best point of a climb.
func (p *profile) settle(at attempt) attempt {
	p.enter(at.alpha)
	if f := p.value(at.way.y); !math.IsInf(f, 1) {
		at.mean = -f
		at.canonical = canonical{append([]float64(nil), p.alpha...), append([]float64(nil), p.rates...)}
	}
	return at
}
