package markov

import (
	"context"

	"github.com/partwise/partwise/markov/internal/block"
)

// Solution is a stationary distribution, seen through its levels. An implementation does not have to hold R or the
// vectors of all levels.
type Solution interface {
	// Probability returns P(level = i), 0 for levels that do not exist.
	Probability(i int) float64
	// Tail returns the complementary distribution function of the level,
	//
	//	P(level > i) = Σ_{j>i} P(level = j),
	//
	// for every i, 1 for i < 0. It is a sum of nonnegative terms, so that small tails keep their digits.
	Tail(i int) float64
	// Mean and Variance return the mean and the variance of the level.
	Mean() float64
	Variance() float64
	Diagnostics() Diagnostics
}

// maxLevels is the largest number of values that LevelProbabilities returns.
const maxLevels = 10000

// LevelProbabilities returns P(level = i) for i = 0, 1, … until the remaining mass, P(level > i), is below rest. It
// returns at most 10,000 values. If the solution has a method LevelReady, as the solution of package multiserver has,
// the method is called before each level. The error comes from LevelReady or from ctx.
func LevelProbabilities(ctx context.Context, s Solution, rest float64) ([]float64, error) {
	if s == nil {
		return nil, prefixed(errNoSolution)
	}
	var p []float64
	if vectors, ok := s.(interface {
		Each(f func(level int, pi []float64, above float64) bool)
	}); ok {
		vectors.Each(func(level int, pi []float64, above float64) bool {
			p = append(p, block.Sum(pi))
			return above > rest && level+1 < maxLevels && ctx.Err() == nil
		})
		return p, prefixed(ctx.Err())
	}
	slow, _ := s.(interface {
		LevelReady(ctx context.Context, i int) error
	})
	// The error of 1 − Σ is a few rounding errors, far below any sensible rest.
	left := 1.0
	for i := range maxLevels {
		if err := ctx.Err(); err != nil {
			return nil, prefixed(err)
		}
		if slow != nil {
			if err := slow.LevelReady(ctx, i); err != nil {
				return nil, err
			}
		}
		v := s.Probability(i)
		p = append(p, v)
		left -= v
		if left < rest {
			break
		}
	}
	return p, nil
}
