package markov

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// gthBound is the relative error of a component of a stationary vector by elimination without subtractions: in practice
// some roundings for each state that a path is censored through, of which long paths meet as many as there are states.
//
// Reference: C. A. O'Cinneide, Entrywise perturbation theory and error analysis for Markov chains, Numer. Math. 65
// (1993) 109–120.
func gthBound(states int) float64 { return 2 * block.UnitRoundoff * float64(states+4) }

// imbalance returns ‖inflow − x·diag(out)‖₁ relative to the flow; it overwrites inflow.
func imbalance(inflow, x, out []float64) float64 {
	flow := 0.0
	for i, xi := range x {
		inflow[i] -= xi * out[i]
		flow += xi * out[i]
	}
	switch off := floats.Norm(inflow, 1); {
	case off == 0:
		return 0
	case flow == 0:
		return math.Inf(1)
	default:
		return off / flow
	}
}

// finiteSolution is a distribution over finitely many levels.
type finiteSolution struct {
	levels      [][]float64
	diagnostics Diagnostics
}

// Level returns the probabilities of the phases of level i, nil if there is none.
func (s *finiteSolution) Level(i int) []float64 {
	if i < 0 || i >= len(s.levels) {
		return nil
	}
	return append([]float64(nil), s.levels[i]...)
}

// Probability returns P(level = i).
func (s *finiteSolution) Probability(i int) float64 {
	if i < 0 || i >= len(s.levels) {
		return 0
	}
	return block.Sum(s.levels[i])
}

// Tail returns P(level > i).
func (s *finiteSolution) Tail(i int) float64 {
	if i < 0 {
		return 1
	}
	total := 0.0
	for l := len(s.levels) - 1; l > i; l-- {
		total += block.Sum(s.levels[l])
	}
	return total
}

// Mean returns the mean level.
func (s *finiteSolution) Mean() float64 {
	mean := 0.0
	for l, x := range s.levels {
		mean += float64(l) * block.Sum(x)
	}
	return mean
}

// Variance returns the variance of the level.
func (s *finiteSolution) Variance() float64 {
	mean, sum := s.Mean(), 0.0
	for l, x := range s.levels {
		d := float64(l) - mean
		sum += d * d * block.Sum(x)
	}
	return sum
}

// Diagnostics says how the solution was found and how good it is.
func (s *finiteSolution) Diagnostics() Diagnostics { return s.diagnostics }
