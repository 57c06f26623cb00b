// Package sensitivity bounds the errors of measures that follow from many numbers with rounding errors. The numbers are
// changed at random by their errors, all measures are computed again, and the differences are compared.
package sensitivity

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// Responses holds, for each measure of a solution by modes, how much the measure differs if every number of the modes
// has an error. Terms of different modes cancel. At level c they cancel little. Far out, or where waiting is rare, they
// cancel much. So each measure has its own response.
//
// The responses are measured, not derived:
//
//   - Every number of the modes is changed by its rounding errors, up or down at random.
//   - The coefficients are corrected to first order. Their equations are factored already, so this takes a few products
//     with vectors.
//   - All measures are computed again.
//   - The response of measure f is |f' − f|/|f| + computing. Its error bound is margin times the largest response.
//
// A change is as large as the errors are. Modes can nearly coincide, and arrivals can change their rate slowly. Changes
// that exceed the differences between such modes have no proportional response. A difference that is divided by them
// is then too small. The rounding errors of the second computation are part of the response, as they are part of the
// error. By accident they can cancel, so each response counts computing more: then the bounds of a few modes depend
// less on the order in which a processor adds.
//
// The coefficients leave an imbalance in their equations, because they are numbers of 53 bits. For rare states the
// imbalance is a large share of the balance. It is therefore treated as one more change.
//
// Reference: C. S. Kenney, A. J. Laub, Small-sample statistical condition estimates for general matrix functions, SIAM
// J. Sci. Comput. 15 (1994) 36–61.
type Responses struct {
	moments float64 // largest response of means, rates and P(level = l), l ≤ c; half the response of the variance
	// levels[i] is the largest response of P(level = l) and P(level ≥ l) for l = c + 4^j, j ≤ i
	levels [Farthest + 1]float64
}

// margin multiplies the largest observed difference. A single difference is a normal variable, which can be near zero
// by accident. So vectors of differences over the states are compared as well: their norms are near zero only if many
// variables are. A norm exceeds the absolute value of the sum of the differences.
const margin = 16

// computing is the rounding error that computing a measure from the modes may have, relative to the measure: 4 roundings.
const computing = 4 * block.UnitRoundoff

// mostResponse is the largest response of a measure that has an error bound. With a larger response, margin times the
// response exceeds the measure, and no digit of the measure is certain.
const mostResponse = 1.0 / margin

// Sensitivities are measured at the levels c + 4^i for i up to Farthest. For i up to Nearby, the states of a level are
// compared, too. Higher levels consist of few slow modes, whose roots change by the full amount.
const (
	Nearby   = 3
	Farthest = 7
)

// NoDigits is the size below which numbers are too near the smallest positive number to have all their digits.
const NoDigits = 1e-290

// Reading holds the measures whose sensitivities are measured. Level c+k has the probability of k waiting jobs, and x_k
// are its states in service.
type Reading struct {
	Moments       [12]float64           // means, rates and probabilities; the standard deviation for the variance
	InPhases      []float64             // mean number of jobs in each phase of service, if the queue has speeds
	Sums          [3][]float64          // Sums[p] = Σ_k k(k−1)…(k−p+1)·x_k
	Levels        [Nearby + 1][]float64 // states in service of level c + 4^i
	Masses, Tails []float64             // P(level = c+4^i) and P(level ≥ c+4^i), i ≤ Farthest, in a unit of each level
	Measured      int                   // how many of these levels to compare: the level before each has a probability with digits
}

// Observe raises the responses, in place, by one draw of changed modes. Each becomes the largest relative change of its
// measures so far, from before to after. Vectors over the states change by the 1-norm of their difference, relative to
// their sum. For the vector of the second moments, Sums[2], twice the given variance of the level replaces the sum. The
// response of a level is at least the response of each lower level. A change that leaves no digit makes the response
// infinite, see [relativeChange].
func (s *Responses) Observe(before, after *Reading, variance float64) {
	for i, m := range before.Moments {
		s.moments = max(s.moments, relativeChange(m, after.Moments[i]-m))
	}
	for j, m := range before.InPhases {
		s.moments = max(s.moments, relativeChange(m, after.InPhases[j]-m))
	}
	for p, x := range before.Sums {
		whole := block.Sum(x)
		if p == 2 {
			whole = 2 * variance // x_2 is a share of the variance, which has twice the bound of the others
		}
		s.moments = max(s.moments, relativeChange(whole, floats.Distance(x, after.Sums[p], 1)))
	}
	// The response of a level is at least the response of every lower level. So a level between two measured levels has a
	// bound.
	for i := range s.levels {
		s.levels[i] = max(s.levels[i], s.levels[max(0, i-1)])
		if i >= before.Measured {
			continue
		}
		s.levels[i] = max(s.levels[i], relativeChange(before.Masses[i], after.Masses[i]-before.Masses[i]),
			relativeChange(before.Tails[i], after.Tails[i]-before.Tails[i]))
		if i <= Nearby {
			x := before.Levels[i]
			s.levels[i] = max(s.levels[i], relativeChange(block.Sum(x), floats.Distance(x, after.Levels[i], 1)))
		}
	}
}

// relativeChange returns |difference/of| + computing, the response of a measure with the value of. It returns 0 if |of|
// is below NoDigits, where the measure has no digits to lose. It returns +Inf if |difference/of| is above mostResponse,
// 1/16, or not a number.
func relativeChange(of, difference float64) float64 {
	if math.Abs(of) < NoDigits {
		return 0
	}
	response := math.Abs(difference / of)
	if !(response <= mostResponse) {
		return math.Inf(1)
	}
	return response + computing
}

// OfMoments returns the bound on the relative error of means, rates and probabilities of levels up to c that rounding
// of the modes causes: margin, 16, times the largest response of these measures.
func (s *Responses) OfMoments() float64 { return margin * s.moments }

// OfLevel returns the bound on the relative error of P(level = c+k) and P(level ≥ c+k), k > 0, that rounding of the
// modes causes. It is margin, 16, times the response measured at level c + 4^i. 4^i is the least power of four that is
// not below k.
//
// For i above Nearby, 3, one slow mode makes all states of a level. The change is then a single normal variable, and
// the bound has the safety factor margin once more. Beyond the farthest level measured, c + 4⁷, the bound grows in
// proportion to k, as the error of the power of a root does.
func (s *Responses) OfLevel(k int) float64 {
	i := (bits.Len(uint(k-1)) + 1) / 2 // the least with k ≤ 4^i
	if i > Farthest {
		return margin * margin * s.levels[Farthest] * math.Ldexp(float64(k), -2*Farthest)
	}
	if i > Nearby {
		return margin * margin * s.levels[i]
	}
	return margin * s.levels[i]
}
