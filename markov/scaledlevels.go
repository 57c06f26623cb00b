package markov

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// scaledLevels holds a vector of probabilities for each level. The vector of level l is to be multiplied by
// 2^exponents[l]. From one end of a chain to the other, probabilities can fall or rise by more than the range of a
// number.
type scaledLevels struct {
	levels    [][]float64
	exponents []int
}

// normalise scales all levels so that they sum to one together with the mass beyond, which has the exponent of the last
// level. It returns the factor for beyond. Exponents are made relative to the largest one.
func (s scaledLevels) normalise(beyond float64) (factor float64) {
	largest := slices.Max(s.exponents)
	for l := range s.exponents {
		s.exponents[l] -= largest
	}
	total := math.Ldexp(beyond, s.exponents[len(s.exponents)-1])
	for l, x := range s.levels {
		total += math.Ldexp(block.Sum(x), s.exponents[l])
	}
	for _, x := range s.levels {
		floats.Scale(1/total, x)
	}
	return 1 / total
}

// append returns the levels and one more level after the last, with the exponent of the last.
func (s scaledLevels) append(next []float64) scaledLevels {
	last := s.exponents[len(s.exponents)-1]
	return scaledLevels{append(slices.Clip(s.levels), next), append(slices.Clip(s.exponents), last)}
}

// atExponent returns the vector of level l with the exponent of level m, so that flows between levels can be compared.
func (s scaledLevels) atExponent(l, m int) []float64 {
	e := s.exponents[l] - s.exponents[m]
	if e == 0 {
		return s.levels[l]
	}
	x := slices.Clone(s.levels[l])
	block.Unscale(x, e)
	return x
}

// applyExponents multiplies the vectors by their powers of two, in place. Numbers that are too small become zero.
func (s scaledLevels) applyExponents() {
	for l, x := range s.levels {
		block.Unscale(x, s.exponents[l])
	}
}
