package markov

import (
	"fmt"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// levelVectors are the vectors of a chain whose levels repeat above level b, so that each follows from the one beneath it
// by one linear map, π_{i+1} = π_i·R for i > b. Where a chain has no levels above b, these vectors have no entries.
type levelVectors struct {
	first       int                         // b, the last boundary level
	levels      [][]float64                 // 0..b+1
	sums        [3][]float64                // Σ π, Σ k·π, Σ k(k−1)·π over the levels b+1+k
	next        func(x []float64) []float64 // x·R
	diagnostics Diagnostics
}

// sumLevels sets the sums over the levels above b by sum, which overwrites x with x·(I − R)⁻¹.
func (s *levelVectors) sumLevels(sum func(x []float64)) {
	s.sums[0] = append([]float64(nil), s.levels[s.first+1]...)
	sum(s.sums[0])
	for p := 1; p <= 2; p++ {
		s.sums[p] = s.next(s.sums[p-1])
		floats.Scale(float64(p), s.sums[p])
		sum(s.sums[p])
	}
}

// normalise makes the probabilities of all levels sum to 1; pi are those up to b.
func (s *levelVectors) normalise(pi scaledLevels) {
	factor := pi.normalise(block.Sum(s.sums[0]))
	for _, x := range s.beyond() {
		floats.Scale(factor, x)
	}
}

// residual returns the largest ‖(πQ)_l‖₁ of a level, relative to the flow through it, over levels 0..b+1, before they
// are made numbers of one scale: pi are those up to b, flow adds the flow from the vector of a level by some levels to y, and
// out returns the rates out of the phases of a level.
func (s *levelVectors) residual(pi scaledLevels, flow func(x []float64, level, by int, y []float64),
	out func(level int) []float64) float64 {
	top := s.levels[s.first+1]
	pi = pi.with(top).with(s.next(top))
	worst := 0.0
	for l, x := range s.levels {
		inflow := make([]float64, len(x))
		for by := -1; by <= min(l, 1); by++ {
			flow(pi.of(l-by, l), l-by, by, inflow)
		}
		worst = max(worst, imbalance(inflow, x, out(l)))
	}
	return worst
}

// finish makes the probabilities of all levels numbers of one scale, completes the diagnostics for eliminations of so many
// states, and refuses what is not a distribution, or is out of balance by more than the tolerance.
func (s *levelVectors) finish(d Diagnostics, pi scaledLevels, eliminated int, began time.Time, tolerance float64) error {
	for _, x := range s.beyond() {
		block.Unscale(x, pi.exponents[s.first])
	}
	pi.unscale()
	for _, x := range s.levels {
		d.States += len(x)
	}
	d.Phases, d.Seconds = len(s.levels[s.first+1]), time.Since(began).Seconds()
	s.diagnostics = d
	s.diagnostics.ErrorBound = s.errorBound(eliminated)
	s.diagnostics.ErrorPerLevel = d.Residual + gthBound(eliminated)
	for _, x := range s.sums {
		if !(block.Sum(x) >= 0) {
			return fmt.Errorf("sums over the levels are negative: %w", ErrInaccurate)
		}
	}
	return s.diagnostics.Check(tolerance)
}

// beyond returns the vectors beyond level b, which are of its scale.
func (s *levelVectors) beyond() [][]float64 {
	return append([][]float64{s.levels[s.first+1]}, s.sums[:]...)
}

// errorBound is the residual, at least the roundings of sums over the phases and of the way from level to level, times
// the condition of the sum over the levels, 1/(1−η) of a geometric one, of which the mean number of levels above the
// boundary is an estimate. Where a few levels far out have most of the second moment, that moment gives the larger one.
func (s *levelVectors) errorBound(phases int) float64 {
	condition := 1.0
	if m0 := block.Sum(s.sums[0]); m0 > 0 {
		m1, m2 := block.Sum(s.sums[1]), block.Sum(s.sums[2])
		condition += m1 / m0
		if m1 > 0 {
			condition = max(condition, 1+m2/(2*m1))
		}
	}
	return (s.diagnostics.Residual + gthBound(phases+roundingsPerLevel*(s.first+1))) * condition
}

// roundingsPerLevel are about how many states each boundary level counts as in [gthBound], besides its phases: the
// products, sums and quotients by which its vector follows from that of the next level. At light load that is the way from
// P(level = b) to P(level = 0).
const roundingsPerLevel = 4

// Level returns the probabilities of the phases of level i, nil if i < 0. Above the boundary of a [QBDSolution] each level takes a
// product by R; a [TransientSolution] has probability zero from Levels on.
func (s *levelVectors) Level(i int) []float64 {
	if i < 0 || len(s.levels) == 0 {
		return nil
	}
	if i <= s.first {
		return append([]float64(nil), s.levels[i]...)
	}
	x := append([]float64(nil), s.levels[s.first+1]...)
	for k := s.first + 1; k < i && block.Sum(x) > 0; k++ {
		x = s.next(x)
	}
	return x
}

// Each calls f for the levels from 0 on until f returns false, with the probabilities of the phases of the level and the
// probability of the levels above. Each level of a [QBDSolution] takes two products by R, where Level and Tail take as many as
// there are levels up to theirs.
func (s *levelVectors) Each(f func(level int, pi []float64, above float64) bool) {
	for i := 0; i < s.first; i++ {
		if !f(i, s.Level(i), s.Tail(i)) {
			return
		}
	}
	x, above := s.Level(s.first), s.sums[0]
	for i := s.first; f(i, x, block.Sum(above)); i++ {
		if i == s.first {
			x = s.levels[s.first+1]
		} else {
			x = s.next(x)
		}
		above = s.next(above)
	}
}

// Probability returns P(level = i), as Level does.
func (s *levelVectors) Probability(i int) float64 { return block.Sum(s.Level(i)) }

// Tail returns P(level > i): the boundary levels after i and Σ_k π_{b+1}·R^k, the first of its terms left out where i >
// b.
func (s *levelVectors) Tail(i int) float64 {
	if i < 0 {
		return 1
	}
	x := s.sums[0]
	for k := s.first; k < i && block.Sum(x) > 0; k++ {
		x = s.next(x)
	}
	total := block.Sum(x)
	for l := s.first; l > i; l-- {
		total += block.Sum(s.levels[l])
	}
	return total
}

// about returns E[level − a] and E[(level − a)²].
func (s *levelVectors) about(a float64) (first, second float64) {
	for l, x := range s.levels[:s.first+1] {
		p, d := block.Sum(x), float64(l)-a
		first += d * p
		second += d * d * p
	}
	c := float64(s.first+1) - a
	m0, m1, m2 := block.Sum(s.sums[0]), block.Sum(s.sums[1]), block.Sum(s.sums[2])
	return first + c*m0 + m1, second + c*c*m0 + (2*c+1)*m1 + m2
}

// Mean returns the mean level.
func (s *levelVectors) Mean() float64 {
	m, _ := s.about(0)
	return m
}

// MeanAbove returns E[max(0, level − i)], the mean number of levels by which the chain is above level i. All terms are
// positive, so that it keeps its digits however small it is: E[level] − E[min(level, i)] would lose them.
func (s *levelVectors) MeanAbove(i int) float64 {
	if len(s.levels) == 0 {
		return 0
	}
	i = max(i, 0)
	if i > s.first {
		x := s.sums[1]
		for k := s.first + 1; k < i && block.Sum(x) > 0; k++ {
			x = s.next(x)
		}
		return block.Sum(x)
	}
	total := block.Sum(s.sums[1]) + float64(s.first+1-i)*block.Sum(s.sums[0])
	for l := s.first; l > i; l-- {
		total += float64(l-i) * block.Sum(s.levels[l])
	}
	return total
}

// Variance returns the variance of the level.
func (s *levelVectors) Variance() float64 {
	_, v := s.about(s.Mean())
	return max(0, v)
}

// Diagnostics says how the solution was found and how good it is.
func (s *levelVectors) Diagnostics() Diagnostics { return s.diagnostics }

// RepeatingPhases returns the phase probabilities summed over all levels after the last boundary level.
func (s *levelVectors) RepeatingPhases() []float64 { return append([]float64(nil), s.sums[0]...) }
