// Package levelvectors holds vectors of probabilities, one for each level of a chain. The vectors of a finite chain may differ by
// more than the range of a number. The vectors of repeating levels are computed one after the other, as far as they are asked for.
package levelvectors

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// Scaled holds a vector of probabilities for each level. The vector of level l is to be multiplied by
// 2^Exponents[l]. From one end of a chain to the other, probabilities can fall or rise by more than the range of a
// number.
type Scaled struct {
	Levels    [][]float64
	Exponents []int
}

// Normalise scales all levels so that they sum to one together with the mass beyond, which has the exponent of the last
// level. It returns the factor for beyond. Exponents are made relative to the largest one.
func (s Scaled) Normalise(beyond float64) (factor float64) {
	largest := slices.Max(s.Exponents)
	for l := range s.Exponents {
		s.Exponents[l] -= largest
	}
	total := math.Ldexp(beyond, s.Exponents[len(s.Exponents)-1])
	for l, x := range s.Levels {
		total += math.Ldexp(block.Sum(x), s.Exponents[l])
	}
	for _, x := range s.Levels {
		floats.Scale(1/total, x)
	}
	return 1 / total
}

// Append returns the levels and one more level after the last, with the exponent of the last.
func (s Scaled) Append(next []float64) Scaled {
	last := s.Exponents[len(s.Exponents)-1]
	return Scaled{append(slices.Clip(s.Levels), next), append(slices.Clip(s.Exponents), last)}
}

// AtExponent returns the vector of level l with the exponent of level m, so that flows between levels can be compared.
func (s Scaled) AtExponent(l, m int) []float64 {
	e := s.Exponents[l] - s.Exponents[m]
	if e == 0 {
		return s.Levels[l]
	}
	x := slices.Clone(s.Levels[l])
	block.Unscale(x, e)
	return x
}

// ApplyExponents multiplies the vectors by their powers of two, in place. Numbers that are too small become zero.
func (s Scaled) ApplyExponents() {
	for l, x := range s.Levels {
		block.Unscale(x, s.Exponents[l])
	}
}
