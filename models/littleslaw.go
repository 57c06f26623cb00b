package models

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/markov"
)

// conservationTol is the largest relative difference of throughput and arrival rate far from saturation. The two come
// from different sums over the states. Near saturation both lose what moments lose, about 1e-16/(1−ρ).
const conservationTol = 1e-9

// conservationTolerance returns the largest relative difference of two measures that a law makes equal. The tolerance is at least
// the error bound of the solution. Slowly modulated arrivals may overload the machine for millions of arrivals, although ρ is far
// from 1. Sums over the levels then lose 1e-16/(1−η), where η is the decay rate. The error bound includes this loss.
func (m *Measures) conservationTolerance() float64 {
	return max(conservationTol+1e-14/(1-m.TrafficIntensity), m.Diagnostics.ErrorBound)
}

// checkConservation returns an error if the throughput differs from the arrival rate. The difference is a lower bound on
// the error bound of the measures.
func checkConservation(m *Measures, s *System) error {
	lambda := s.Arrivals.Rate()
	if off := math.Abs(m.Throughput/lambda - 1); !(off <= m.conservationTolerance()) {
		return fmt.Errorf("models: throughput differs from the arrival rate by a factor of 1%+.2g: %w", off,
			markov.ErrInaccurate)
	}
	m.Diagnostics.ErrorBound = max(m.Diagnostics.ErrorBound, math.Abs(m.Throughput/lambda-1))
	return nil
}

// checkRunning returns an error if the mean number of running jobs of a size differs from λ·p·E[S], which is known beforehand. The
// difference is a lower bound on the error bound of the measures.
func (q *rigidQueue) checkRunning(m *Measures, lambda float64, running []float64) error {
	tol := m.conservationTolerance()
	for k, z := range q.Sizes {
		off := math.Abs(running[k]/(lambda*z.Share*z.Service.Mean()) - 1)
		if !(off <= tol) {
			return fmt.Errorf("running jobs of %d nodes differ from Little's law by a factor of 1%+.2g: %w", z.Nodes*q.Unit, off,
				markov.ErrInaccurate)
		}
		m.Diagnostics.ErrorBound = max(m.Diagnostics.ErrorBound, off)
	}
	return nil
}
