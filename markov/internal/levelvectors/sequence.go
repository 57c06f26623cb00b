package levelvectors

import (
	"math"

	"github.com/partwise/partwise/markov/internal/block"
)

// cheapProducts is a number of multiplications that take some milliseconds. Products of level vectors and R that take
// no more are made, whether or not the levels are geometric.
const cheapProducts = 1 << 22

// Sequence steps through the vectors x·R^k, k = 0, 1, …, of a nonnegative vector x. Once R only scales the
// vectors, a step takes no product.
type Sequence struct {
	X    []float64                   // the present vector
	Next func(x []float64) []float64 // x·R

	work  float64 // multiplications so far
	ratio float64 // the factor from vector to vector; 0 while a step takes a product
}

// Step replaces X by X·R, in new storage.
func (s *Sequence) Step() {
	if s.ratio > 0 {
		s.X = scaled(s.X, s.ratio)
		return
	}
	before := s.X
	s.X = s.Next(before)
	s.work += float64(len(before)) * float64(len(before))
	if s.work > cheapProducts {
		s.ratio = geometricRatio(before, s.X)
	}
}

// Skip replaces X by X·R^count, in new storage, and leaves it for count ≤ 0. Vectors that sum to less than
// [block.LeastNormal] count as zero: with a decay rate above one half, further products would never reach zero.
func (s *Sequence) Skip(count int) {
	for count > 0 {
		if s.ratio > 0 {
			s.X = scaled(s.X, math.Pow(s.ratio, float64(count)))
			count = 0
		} else {
			s.Step()
			count--
		}
		if block.Sum(s.X) < block.LeastNormal {
			s.X = make([]float64, len(s.X))
			return
		}
	}
}

// geometricRatio returns the decay rate η = Σ y/Σ x for y = x·R if all later vectors are y·η^j up to rounding errors,
// and 0 otherwise. x and y hold the phases of two levels in succession and are not negative. Let lo·x ≤ y ≤ hi·x in
// each entry. Because R is nonnegative, lo^j·x ≤ x·R^j ≤ hi^j·x for all j. So the relative error of η^j·x is at most
// (hi/lo)^j − 1.
//
// The vectors count as geometric if hi/lo exceeds 1 by at most [block.GTHBound] of the number n of phases. j levels later the
// error is then about j·block.GTHBound(n). markov.Diagnostics covers it: ErrorPerLevel is at least this bound of n.
//
// Reference: E. Seneta, Non-negative Matrices and Markov Chains, 2nd ed., Springer 1981, section 1.2, on the bounds of
// Collatz and Wielandt.
func geometricRatio(x, y []float64) float64 {
	lo, hi := math.Inf(1), 0.0
	for i, v := range x {
		switch {
		case v > 0:
			lo, hi = min(lo, y[i]/v), max(hi, y[i]/v)
		case y[i] > 0:
			return 0
		}
	}
	if !(lo > 0 && hi > 0 && hi-lo <= block.GTHBound(len(x))*lo) {
		return 0
	}
	return block.Sum(y) / block.Sum(x)
}

// scaled returns by·x.
func scaled(x []float64, by float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = by * v
	}
	return y
}
