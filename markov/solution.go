package markov

import (
	"context"

	"github.com/partwise/partwise/markov/internal/block"
)

// Solution is a stationary distribution as seen through its levels. No maker of one has to hold R or the vectors of all
// levels.
type Solution interface {
	// Probability returns P(level = i), 0 for levels that there are not.
	Probability(i int) float64
	// Tail returns the complementary distribution function of the level,
	//
	//	P(level > i) = Σ_{j>i} P(level = j),
	//
	// for every i, 1 for i < 0. It is a sum of nonnegative terms: small tails keep their digits.
	Tail(i int) float64
	// Mean and Variance are those of the level.
	Mean() float64
	Variance() float64
	Diagnostics() Diagnostics
}

// maxLevels bounds what LevelProbabilities returns.
const maxLevels = 10000

// LevelProbabilities returns P(level = i) from 0 until the mass that remains, P(level > i), is below rest, at most
// 10,000 values. A solution with a method LevelReady prepares each level first, as that of package multiserver does. The
// errors are those of LevelReady, and that of ctx if it ends.
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
	// Summed from the first level on, 1 − Σ carries an error of some ulps, far below any rest that makes sense; the
	// decay rate tells when what is left has become smaller than that.
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
