package fit

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/fit/internal/optimum"
)

// pointsPerOctave is how many points between x and 2x stand for a density or a survival function.
const pointsPerOctave = 64

// FromDensity returns a sample that stands for the density f between the times from and to: points on a logarithmic
// grid, weighted by f. The weights sum to size, the number of observations by which AIC and BIC judge a fit. The
// log-likelihood of a fit with density g is size·∫ f·log g, so that the best fit is the one with the least
// Kullback–Leibler divergence. The density outside of from and to is left out. The error is a *[SampleError] if the
// density is nil, negative, not finite, or zero everywhere, and if the range or the size is not positive.
func FromDensity(density func(x float64) float64, from, to, size float64) (Sample, error) {
	if density == nil {
		return Sample{}, &SampleError{"density", -1, "is missing"}
	}
	at, err := logGrid(from, to, size)
	if err != nil {
		return Sample{}, err
	}
	var s Sample
	h := math.Log(at[1] / at[0])
	for i := 1; i < len(at); i++ {
		x := at[i-1] * math.Exp(h/2) // the middle of the step, on the logarithmic axis
		f := density(x)
		if !(f >= 0) || math.IsInf(f, 1) {
			return Sample{}, &SampleError{"density", -1, fmt.Sprintf("is %v at %v", f, x)}
		}
		s.Values = append(s.Values, x)
		s.Weights = append(s.Weights, f*x*h)
	}
	return s.weighing(size)
}

// logGrid returns ascending times between from and to, both included, in geometric progression.
func logGrid(from, to, size float64) ([]float64, error) {
	switch {
	case !(from > 0 && to > from && !math.IsInf(to, 1)):
		return nil, &SampleError{"range", -1, fmt.Sprintf("%v to %v is not a range of positive times", from, to)}
	case !(size > 0) || math.IsInf(size, 1):
		return nil, &SampleError{"size", -1, fmt.Sprintf("%v is not a positive number of observations", size)}
	case !(to/from < maxRatio):
		return nil, &SampleError{"range", -1, "the end is more than 2^200 times the beginning"}
	}
	octaves := math.Log2(to / from)
	n := max(1, int(math.Ceil(octaves*pointsPerOctave)))
	at := make([]float64, n+1)
	for i := range at {
		at[i] = from * math.Exp2(octaves*float64(i)/float64(n))
	}
	return at, nil
}

// weighing returns s with its weights scaled to the given sum.
func (s Sample) weighing(size float64) (Sample, error) {
	sum := optimum.Sum(s.Weights)
	if !(sum > 0) || math.IsInf(sum, 1) {
		return Sample{}, &SampleError{"density", -1, fmt.Sprintf("its integral over the range is %v", sum)}
	}
	for i := range s.Weights {
		s.Weights[i] *= size / sum
	}
	return s, nil
}
