package markov

import (
	"math"

	"github.com/partwise/partwise/markov/internal/block"
)

// cheapProducts is a number of multiplications that take some milliseconds. Products of level vectors and R that take
// no more are made, whether or not the levels are geometric.
const cheapProducts = 1 << 22

// levelSequence steps through the vectors x·R^k, k = 0, 1, …, of a nonnegative vector x. Once R only scales the
// vectors, a step takes no product.
type levelSequence struct {
	x     []float64
	next  func(x []float64) []float64 // x·R
	work  float64                     // multiplications so far
	ratio float64                     // the factor from vector to vector; 0 while a step takes a product
}

// step replaces x by x·R, in new storage.
func (s *levelSequence) step() {
	if s.ratio > 0 {
		s.x = scaled(s.x, s.ratio)
		return
	}
	before := s.x
	s.x = s.next(before)
	s.work += float64(len(before)) * float64(len(before))
	if s.work > cheapProducts {
		s.ratio = geometricRatio(before, s.x)
	}
}

// skip replaces x by x·R^count, in new storage, and leaves it for count ≤ 0. Vectors that sum to less than
// [block.LeastNormal] count as zero: with a decay rate above one half, further products would never reach zero.
func (s *levelSequence) skip(count int) {
	for count > 0 {
		if s.ratio > 0 {
			s.x = scaled(s.x, math.Pow(s.ratio, float64(count)))
			count = 0
		} else {
			s.step()
			count--
		}
		if block.Sum(s.x) < block.LeastNormal {
			s.x = make([]float64, len(s.x))
			return
		}
	}
}

// geometricRatio returns the decay rate η = Σ y/Σ x for y = x·R if all later vectors are y·η^j up to rounding errors,
// and 0 otherwise. x and y hold the phases of two levels in succession and are not negative. Let lo·x ≤ y ≤ hi·x in
// each entry. Because R is nonnegative, lo^j·x ≤ x·R^j ≤ hi^j·x for all j. So the relative error of η^j·x is at most
// (hi/lo)^j − 1.
//
// The vectors count as geometric if hi/lo exceeds 1 by at most [gthBound] of the number n of phases. j levels later the
// error is then about j·gthBound(n). [Diagnostics] covers it: ErrorPerLevel is at least gthBound(n).
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
	if !(lo > 0 && hi > 0 && hi-lo <= gthBound(len(x))*lo) {
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
