package allocatecmd

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/models/workload"
)

// UniformLog is a distribution that is uniform in the logarithm, in one stage or in several: between the ends of a
// stage
//
//	P(X ≤ t) = Beta0 + Beta1·ln t.
//
// Lifetimes of batch jobs on parallel machines were found to have this shape.
//
// Reference: A. B. Downey, A parallel workload model and its implications for processor allocation, Report
// UCB/CSD-96-922, University of California, Berkeley, 1996, section 3.
type UniformLog struct {
	logs []float64 // logarithms of the ends of the stages, in order
	cdf  []float64 // there
}

// NewUniformLog returns the distribution of one stage between 0 < min ≤ max. Where they are equal it is a point.
func NewUniformLog(min, max float64) UniformLog {
	return UniformLog{[]float64{math.Log(min), math.Log(max)}, []float64{0, 1}}
}

// NewUniformLogStages returns the distribution that has the share weights[i] of its probability between ends[i] and
// ends[i+1]. Ends are positive and must rise, weights are positive and are normalised.
func NewUniformLogStages(ends, weights []float64) (UniformLog, error) {
	if len(ends) != len(weights)+1 {
		return UniformLog{}, invalid("ends", "%d ends do not bound %d stages", len(ends), len(weights))
	}
	total := 0.0
	for _, w := range weights {
		total += w
	}
	u := UniformLog{make([]float64, len(ends)), make([]float64, len(ends))}
	sum := 0.0
	for i, t := range ends {
		if u.logs[i] = math.Log(t); i > 0 {
			if t < ends[i-1] || t == ends[i-1] && len(weights) > 1 {
				return UniformLog{}, invalid("ends", "%v does not lie beyond %v", t, ends[i-1])
			}
			sum += weights[i-1]
			u.cdf[i] = sum / total
		}
	}
	u.cdf[len(weights)] = 1
	return u, nil
}

// Quantile returns the least t with P(X ≤ t) ≥ p, 0 ≤ p ≤ 1. It is monotone in p, and of a uniform p a sample.
func (u UniformLog) Quantile(p float64) float64 {
	i := 1
	for i < len(u.cdf)-1 && p > u.cdf[i] {
		i++
	}
	share := (p - u.cdf[i-1]) / (u.cdf[i] - u.cdf[i-1])
	return math.Exp(u.logs[i-1] + share*(u.logs[i]-u.logs[i-1]))
}

// Moment returns the k-th moment, k ≥ 1: of a stage between min and max (maxᵏ − minᵏ) / (k·ln(max/min)).
func (u UniformLog) Moment(k int) float64 {
	m, power := 0.0, float64(k)
	for i := 1; i < len(u.logs); i++ {
		low, width := u.logs[i-1], u.logs[i]-u.logs[i-1]
		mean := 1.0 // of (X/min)ᵏ within the stage
		if x := power * width; x > 0 {
			mean = math.Expm1(x) / x
		}
		m += (u.cdf[i] - u.cdf[i-1]) * math.Exp(power*low) * mean
	}
	return m
}

// Mean returns the mean.
func (u UniformLog) Mean() float64 { return u.Moment(1) }

// invalid returns the error for a parameter that no distribution can have.
func invalid(parameter, format string, args ...any) error {
	return &workload.ParameterError{Parameter: parameter, Problem: fmt.Sprintf(format, args...)}
}
