package fit

import (
	"fmt"
	"math"
)

// Sample is a set of observed times, each with an optional weight.
type Sample struct {
	// Values are the observed times, nonnegative and finite.
	Values []float64
	// Weights are nonnegative multiplicities; nil means one each.
	Weights []float64
	// Censored marks values that are only lower bounds (the time was longer); nil means none.
	Censored []bool
	// Resolution r > 0 says that the clock was rounded: a value x stands for the interval [max(0, x−r/2), x+r/2] and
	// its likelihood is the probability of the interval. 0 means exact values with a density; zeros are then dropped.
	Resolution float64
}

// SampleError says which value of a sample cannot be used.
type SampleError struct {
	Field   string // "values", "weights", "censored" or "resolution"
	Index   int    // from 0; −1 where there is none
	Problem string
}

func (e *SampleError) Error() string {
	if e.Index < 0 {
		return "fit: " + e.Field + ": " + e.Problem
	}
	return fmt.Sprintf("fit: %s[%d]: %s", e.Field, e.Index, e.Problem)
}

func (s Sample) check() error {
	if len(s.Values) == 0 {
		return &SampleError{"values", -1, "no values"}
	}
	if s.Weights != nil && len(s.Weights) != len(s.Values) {
		return &SampleError{"weights", -1, fmt.Sprintf("%d weights for %d values", len(s.Weights), len(s.Values))}
	}
	if s.Censored != nil && len(s.Censored) != len(s.Values) {
		return &SampleError{"censored", -1, fmt.Sprintf("%d flags for %d values", len(s.Censored), len(s.Values))}
	}
	if !(s.Resolution >= 0) || math.IsInf(s.Resolution, 1) {
		return &SampleError{"resolution", -1, fmt.Sprintf("%v is not a nonnegative number", s.Resolution)}
	}
	for i, x := range s.Values {
		if !(x >= 0) || math.IsInf(x, 1) {
			return &SampleError{"values", i, fmt.Sprintf("%v is not a nonnegative number", x)}
		}
	}
	for i, w := range s.Weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return &SampleError{"weights", i, fmt.Sprintf("%v is not a nonnegative number", w)}
		}
	}
	return nil
}
