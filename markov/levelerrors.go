package markov

import (
	"math"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/levelvectors"
)

// roundingsPerLevel is the number of states as which a boundary level counts in [block.GTHBound], besides its phases. It stands
// for the products, sums and quotients by which the vector of a level follows from the next. At light load these lead
// from P(level = b) to P(level = 0).
const roundingsPerLevel = 4

// errorBounds returns the bounds of [Diagnostics]. The error e of R, and of each level from the next, is the residual and the
// rounding errors of sums over so many states. P(level = b+k) is a product with k factors R, so its error is k·e. The
// error of a measure is e times the mean of k over its terms, its condition. With an error e·c of 1/(1 − η), results are off
// by e·c/(1 − e·c).
func (s *levelVectors) errorBounds(states int) (bound, perLevel float64) {
	condition := s.condition()
	residual := s.diagnostics.Residual
	bound = (residual + block.GTHBound(states+roundingsPerLevel*(s.first+1))) * condition
	if bound /= 1 - bound; !(bound >= 0) {
		bound = math.Inf(1)
	}
	growth := levelvectors.ConditionGrowth(s.sums[0], s.sums[1], s.next, condition)
	return bound, (residual + block.GTHBound(states)) * (1 + growth)
}

// condition returns the largest condition of the probabilities, the mean, and half the variance, whose bound is twice as
// large. For a geometric sum it is 1/(1 − η). The condition of the sum over the levels is E[level − b | level > b] = 1 +
// m_1/m_0, where m_p is the sum of the entries of sums[p]. The condition of a moment is larger where a few levels far out
// have most of the moment. The mean number of factors R is taken off the condition of the variance, because the normalisation
// takes back what all probabilities have in common.
func (s *levelVectors) condition() float64 {
	m0, m1, m2 := block.Sum(s.sums[0]), block.Sum(s.sums[1]), block.Sum(s.sums[2])
	condition := 1.0
	if m0 > 0 {
		condition += m1 / m0
	}
	if m1 > 0 {
		condition = max(condition, 1+m2/(2*m1))
	}
	if m := s.centralMoments(); m.Second > 0 {
		condition = max(condition, (m.Third/m.Second-(m0+m1))/2)
	}
	return condition
}
