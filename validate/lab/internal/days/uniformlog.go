package days

import "math"

// UniformLog is a distribution that is uniform in the logarithm: between the ends
//
//	P(X ≤ t) = Beta0 + Beta1·ln t.
//
// Lifetimes of batch jobs on parallel machines were found to have this shape.
//
// Reference: A. B. Downey, A parallel workload model and its implications for processor allocation, Report
// UCB/CSD-96-922, University of California, Berkeley, 1996, section 3.
type UniformLog struct{ low, width float64 } // of the logarithm

// NewUniformLog returns the distribution between 0 < min ≤ max. Where they are equal it is a point.
func NewUniformLog(min, max float64) UniformLog {
	return UniformLog{math.Log(min), math.Log(max) - math.Log(min)}
}

// Quantile returns the least t with P(X ≤ t) ≥ p, 0 ≤ p ≤ 1. It is monotone in p, and of a uniform p a sample.
func (u UniformLog) Quantile(p float64) float64 { return math.Exp(u.low + p*u.width) }

// Mean returns the mean, (max − min) / ln(max/min).
func (u UniformLog) Mean() float64 {
	mean := 1.0 // of X/min
	if u.width > 0 {
		mean = math.Expm1(u.width) / u.width
	}
	return math.Exp(u.low) * mean
}
