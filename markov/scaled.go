package markov

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// scaledLevels are vectors of probabilities, that of level l to be multiplied by 2^exponents[l]: from one end of a chain
// to the other they may fall, or rise, by more than a number holds.
type scaledLevels struct {
	levels    [][]float64
	exponents []int
}

// normalise makes the sum of all levels and of a mass beyond the last, of the same scale as that, one, and returns the
// factor. Exponents count from that of the largest level.
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

// with returns the levels and one more after the last, of its scale.
func (s scaledLevels) with(next []float64) scaledLevels {
	last := s.exponents[len(s.exponents)-1]
	return scaledLevels{append(slices.Clip(s.levels), next), append(slices.Clip(s.exponents), last)}
}

// of returns level l in the scale of level m.
func (s scaledLevels) of(l, m int) []float64 {
	e := s.exponents[l] - s.exponents[m]
	if e == 0 {
		return s.levels[l]
	}
	x := slices.Clone(s.levels[l])
	block.Unscale(x, e)
	return x
}

// unscale makes all levels numbers of one scale; those that are too small for one become zero.
func (s scaledLevels) unscale() {
	for l, x := range s.levels {
		block.Unscale(x, s.exponents[l])
	}
}
