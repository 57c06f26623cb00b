package fit

import (
	"fmt"
	"math"
)

// Sample is a set of observed times, each with an optional weight.
type Sample struct {
	// Values are the observed times, nonnegative and finite.
	Values []float64
	// Weights are nonnegative; nil means one each. Whole numbers count observations, others say how much a value matters;
	// see [Scores.Observations].
	Weights []float64
	// Censored marks values that are only lower bounds (the time was longer); nil means none.
	Censored []bool
	// Upper turns values into intervals: the time lay in (Values[i], Upper[i]]. Where both are equal it is the value
	// itself, and +Inf makes Values[i] a lower bound. A histogram is a sample of its bins, weighted by their counts. nil
	// means no intervals.
	Upper []float64
	// Truncated holds the times at which observation began: a time that ended before Truncated[i] would not be in the
	// sample. 0, and nil for all, mean that every time would be in the sample.
	Truncated []float64
	// Resolution r > 0 means that the clock was rounded. A value x then stands for the interval [max(0, x−r/2), x+r/2],
	// or for the part of it after observation began. Its likelihood is the probability of the interval. 0 means exact
	// values, whose likelihood is their density. Zeros have no density and are dropped.
	Resolution float64

	sketch *Sketch // if not nil, the values are a summary of it
}

// SampleError says which value of a sample cannot be used.
type SampleError struct {
	Field   string // "values", "weights", "censored", "upper", "truncated", "resolution", "density", "survival", ...
	Index   int    // from 0; −1 where it does not apply
	Problem string
}

// Error returns the field, the index of the value unless it is −1, and what is wrong.
func (e *SampleError) Error() string {
	if e.Index < 0 {
		return "fit: " + e.Field + ": " + e.Problem
	}
	return fmt.Sprintf("fit: %s[%d]: %s", e.Field, e.Index, e.Problem)
}

// mostWeight is the largest weight. Up to it observations can be counted one by one in floating-point numbers.
const mostWeight = 1e15

// check returns a *[SampleError] for the first fault of the sample, or nil. It checks that
//
//   - there are values, and all lists that are not nil have as many entries,
//   - the resolution, values, weights and truncation times are nonnegative and finite, and no weight exceeds 1e15,
//   - no upper end is below its value, and no value with a higher upper end is marked as censored,
//   - every value could have been observed; see [Sample.checkTruncation].
func (s Sample) check() error {
	if len(s.Values) == 0 {
		return &SampleError{"values", -1, "no values"}
	}
	for _, f := range []struct {
		name, things string
		n            int
		none         bool
	}{
		{"weights", "weights", len(s.Weights), s.Weights == nil},
		{"censored", "flags", len(s.Censored), s.Censored == nil},
		{"upper", "upper ends", len(s.Upper), s.Upper == nil},
		{"truncated", "truncation times", len(s.Truncated), s.Truncated == nil},
	} {
		if !f.none && f.n != len(s.Values) {
			return &SampleError{f.name, -1, fmt.Sprintf("%d %s for %d values", f.n, f.things, len(s.Values))}
		}
	}
	if !(s.Resolution >= 0) || math.IsInf(s.Resolution, 1) {
		return &SampleError{"resolution", -1, fmt.Sprintf("%v is not a nonnegative number", s.Resolution)}
	}
	for _, f := range []struct {
		name   string
		values []float64
	}{{"values", s.Values}, {"weights", s.Weights}, {"truncated", s.Truncated}} {
		for i, x := range f.values {
			if !(x >= 0) || math.IsInf(x, 1) {
				return &SampleError{f.name, i, fmt.Sprintf("%v is not a nonnegative number", x)}
			}
		}
	}
	for i, w := range s.Weights {
		if w > mostWeight {
			return &SampleError{"weights", i, fmt.Sprintf("%v is more than %g; divide all weights by one number", w, mostWeight)}
		}
	}
	for i, b := range s.Upper {
		switch {
		case !(b >= s.Values[i]):
			return &SampleError{"upper", i, fmt.Sprintf("%v is less than the value %v", b, s.Values[i])}
		case b > s.Values[i] && s.Censored != nil && s.Censored[i]:
			return &SampleError{"upper", i, "the value is censored, so that it has no upper end"}
		}
	}
	return s.checkTruncation()
}

// checkTruncation returns a *[SampleError] for the first value that could not have been observed, or nil. A value, or
// the upper end of its interval, must be more than its truncation time, unless this is 0. A lower bound may equal it.
// All other numbers must have been checked.
func (s Sample) checkTruncation() error {
	for i, from := range s.Truncated {
		x := s.Values[i]
		if s.Upper != nil {
			x = max(x, s.Upper[i])
		}
		if from > 0 && from >= x && !(s.lowerBound(i) && from == x) {
			return &SampleError{"truncated", i, fmt.Sprintf(
				"the value %v could not have been observed: it must be more than %v", x, from)}
		}
	}
	return nil
}

// weight returns the weight of value i, by which its log-likelihood is multiplied; 1 if the sample has no weights.
func (s Sample) weight(i int) float64 {
	if s.Weights == nil {
		return 1
	}
	return s.Weights[i]
}

// lowerBound reports whether value i is only a lower bound: it is censored, or its upper end is infinite.
func (s Sample) lowerBound(i int) bool {
	return s.Censored != nil && s.Censored[i] || s.Upper != nil && math.IsInf(s.Upper[i], 1)
}
