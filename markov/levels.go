package markov

import (
	"fmt"
	"slices"
	"time"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/levelvectors"
	"gonum.org/v1/gonum/floats"
)

// levelVectors holds the vectors of a chain whose levels repeat above level b: π_{i+1} = π_i·R for i > b. If a chain has
// no levels above b, the vectors for these are empty.
type levelVectors struct {
	first       int                         // b, the last boundary level
	levels      [][]float64                 // π_0 to π_{b+1}
	sums        [4][]float64                // Σ_k π, Σ_k k·π, Σ_k k(k−1)·π and Σ_k k(k−1)(k−2)·π of level b+1+k
	next        func(x []float64) []float64 // x·R
	central     *levelvectors.Moments       // the moments about the mean, nil until they are known
	diagnostics Diagnostics
}

// sumLevels sets sums, the sums over the levels above b, given a function that overwrites x with x·(I − R)⁻¹. By
// differentiation of Σ z^k·π_{b+1+k},
//
//	sums[0] = π_{b+1}·(I − R)⁻¹,   sums[p] = p·sums[p−1]·R·(I − R)⁻¹.
func (s *levelVectors) sumLevels(sum func(x []float64)) {
	s.sums[0] = slices.Clone(s.levels[s.first+1])
	sum(s.sums[0])
	for p := 1; p < len(s.sums); p++ {
		s.sums[p] = s.next(s.sums[p-1])
		floats.Scale(float64(p), s.sums[p])
		sum(s.sums[p])
	}
}

// normalise scales all probabilities, in place, so that they sum to 1; pi holds levels 0 to b.
func (s *levelVectors) normalise(pi levelvectors.Scaled) {
	factor := pi.Normalise(block.Sum(s.sums[0]))
	for _, x := range s.beyond() {
		floats.Scale(factor, x)
	}
}

// finish applies the exponents and completes the diagnostics. eliminated is the number of states of the largest
// elimination, and of iterations with it. The bounds count these, or the phases of a repeating level if there are more:
// products from level to level sum over the phases. The error is ErrInaccurate if the result is no distribution or the
// residual is above the tolerance.
func (s *levelVectors) finish(d Diagnostics, pi levelvectors.Scaled, eliminated int, began time.Time, tolerance float64) error {
	for _, x := range s.beyond() {
		block.Unscale(x, pi.Exponents[s.first])
	}
	pi.ApplyExponents()
	for _, x := range s.levels {
		d.States += len(x)
	}
	d.Phases, d.Seconds = len(s.levels[s.first+1]), time.Since(began).Seconds()
	s.diagnostics = d
	states := max(eliminated, d.Phases)
	central := s.centralMoments()
	s.central = &central
	s.diagnostics.ErrorBound, s.diagnostics.ErrorPerLevel = s.errorBounds(states)
	for _, x := range s.sums {
		if !(block.Sum(x) >= 0) {
			return fmt.Errorf("sums over the levels are negative: %w", ErrInaccurate)
		}
	}
	return s.diagnostics.Check(tolerance)
}

// beyond returns the vectors of the levels above b: π_{b+1} and the sums. They have the exponent of level b.
func (s *levelVectors) beyond() [][]float64 {
	return append([][]float64{s.levels[s.first+1]}, s.sums[:]...)
}

// Level returns the probabilities of the phases of level i, nil if i < 0. Each level above the boundary of a
// [QBDSolution] takes a product by R, until R only scales the vectors. A [TransientSolution] has probability zero from
// Levels on.
func (s *levelVectors) Level(i int) []float64 {
	if i < 0 || len(s.levels) == 0 {
		return nil
	}
	if i <= s.first {
		return slices.Clone(s.levels[i])
	}
	return s.after(slices.Clone(s.levels[s.first+1]), i-s.first-1)
}

// after returns x·R^count, or x itself for count ≤ 0; see [levelvectors.Sequence.Skip]. x stays unchanged.
func (s *levelVectors) after(x []float64, count int) []float64 {
	levels := levelvectors.Sequence{X: x, Next: s.next}
	levels.Skip(count)
	return levels.X
}

// Each calls f for levels 0, 1, … until f returns false. above is the probability of all levels above the level. A level
// of a [QBDSolution] takes two products by R, while [QBDSolution.Level] and [QBDSolution.Tail] take as many products as
// there are levels before theirs. From where R only scales the vectors, no products are made.
func (s *levelVectors) Each(f func(level int, pi []float64, above float64) bool) {
	tails := s.boundaryTails()
	for i := 0; i < s.first; i++ {
		if !f(i, s.Level(i), tails[i]) {
			return
		}
	}
	if !f(s.first, s.Level(s.first), block.Sum(s.sums[0])) {
		return
	}
	x := levelvectors.Sequence{X: s.levels[s.first+1], Next: s.next}
	above := levelvectors.Sequence{X: s.sums[0], Next: s.next}
	for i := s.first + 1; ; i++ {
		above.Step()
		if !f(i, x.X, block.Sum(above.X)) {
			return
		}
		x.Step()
	}
}

// boundaryTails returns P(level > i) of the boundary levels i = 0..b. It goes through the levels once: a chain solved by
// iteration near saturation has many thousands.
func (s *levelVectors) boundaryTails() []float64 {
	tails := make([]float64, s.first+1)
	tails[s.first] = block.Sum(s.sums[0])
	for l := s.first; l > 0; l-- {
		tails[l-1] = tails[l] + block.Sum(s.levels[l])
	}
	return tails
}

// Probability returns P(level = i).
func (s *levelVectors) Probability(i int) float64 { return block.Sum(s.Level(i)) }

// Tail returns P(level > i). For i ≤ b it is the sum of the boundary levels after i and of all levels above b. For i > b
// it is Σ_{k≥0} π_{b+1}·R^{i−b+k}·1.
func (s *levelVectors) Tail(i int) float64 {
	if i < 0 {
		return 1
	}
	total := block.Sum(s.after(s.sums[0], i-s.first))
	for l := s.first; l > i; l-- {
		total += block.Sum(s.levels[l])
	}
	return total
}

// Mean returns the mean level.
func (s *levelVectors) Mean() float64 {
	return s.repeating().Mean()
}

// MeanAbove returns E[max(0, level − i)]. All terms are positive, so the result keeps its digits however small it is. The
// difference E[level] − E[min(level, i)] would lose them.
func (s *levelVectors) MeanAbove(i int) float64 {
	if len(s.levels) == 0 {
		return 0
	}
	i = max(i, 0)
	if i > s.first {
		return block.Sum(s.after(s.sums[1], i-s.first-1))
	}
	total := block.Sum(s.sums[1]) + float64(s.first+1-i)*block.Sum(s.sums[0])
	for l := s.first; l > i; l-- {
		total += float64(l-i) * block.Sum(s.levels[l])
	}
	return total
}

// Variance returns the variance of the level.
func (s *levelVectors) Variance() float64 { return s.centralMoments().Second }

// centralMoments returns the moments of the level about its mean. They take the products of [levelvectors.Repeating.CentralMoments],
// unless finish has found them before.
func (s *levelVectors) centralMoments() levelvectors.Moments {
	if s.central != nil {
		return *s.central
	}
	return s.repeating().CentralMoments()
}

// repeating returns the vectors, without copying them, as sums over the levels need them.
func (s *levelVectors) repeating() levelvectors.Repeating {
	return levelvectors.Repeating{First: s.first, Levels: s.levels, Sums: s.sums, Next: s.next}
}

// Diagnostics tells how the solution was found and how accurate it is.
func (s *levelVectors) Diagnostics() Diagnostics { return s.diagnostics }

// RepeatingPhases returns the probabilities of the phases, summed over all levels after the last boundary level.
func (s *levelVectors) RepeatingPhases() []float64 { return slices.Clone(s.sums[0]) }

// RepeatingMoments returns Σ_d π, Σ_d d·π and Σ_d d(d−1)·π by phase. The sums are over the levels b+d after the last boundary
// level b, d = 1, 2, ….
func (s *levelVectors) RepeatingMoments() [3][]float64 {
	return momentsShifted([3][]float64(s.sums[:3]), 1)
}

// momentsShifted returns Σ p, Σ d·p and Σ d(d−1)·p of d = k + by, given these sums for k.
func momentsShifted(sums [3][]float64, by float64) (shifted [3][]float64) {
	for p := range shifted {
		shifted[p] = slices.Clone(sums[p])
	}
	floats.AddScaled(shifted[1], by, sums[0])
	floats.AddScaled(shifted[2], 2*by, sums[1])
	floats.AddScaled(shifted[2], by*(by-1), sums[0])
	return shifted
}
