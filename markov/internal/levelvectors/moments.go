package levelvectors

import (
	"math"

	"github.com/partwise/partwise/markov/internal/block"
)

// Repeating holds the vectors of a chain whose levels repeat above level First: π_{i+1} = π_i·R for i > First.
type Repeating struct {
	First  int                         // the last boundary level b
	Levels [][]float64                 // π_0 to π_{b+1}
	Sums   [4][]float64                // Σ_k π, Σ_k k·π, Σ_k k(k−1)·π and Σ_k k(k−1)(k−2)·π of level b+1+k
	Next   func(x []float64) []float64 // x·R
}

// Moments holds E[level − a], E[(level − a)²] and E[(level − a)²·max(0, level − b)] for a level a and the last boundary level b.
// terms is the sum of the amounts of the terms of the second.
type Moments struct {
	First, Second, Third float64
	terms                float64
}

// Mean returns the mean level.
func (s Repeating) Mean() float64 { return s.momentsAbout(0, s.First+1).First }

// CentralMoments returns the moments about the mean. They are taken about the level a next to the mean where the chain nearly
// always is at a, or where terms of levels beyond a cancel:
//
//	E[(level − mean)²] = E[(level − a)²] − E[level − a]².
//
// The second term is at most half the first, and level a has no share in either. So the variance has digits where rounding
// of P(a) or of the mean exceeds it. Levels up to a are taken one by one, which ends the cancellation. Variances of levels
// far out are larger, or their bound is. Moments about a take five products by R for each level from b+1 to a.
func (s Repeating) CentralMoments() Moments {
	const nearlyFixed, fewTimes, farOut = .01, 4, 10_000
	mean := s.Mean()
	m := s.momentsAbout(mean, s.First+1)
	a := math.Round(mean)
	cancels := m.terms > fewTimes*m.Second && a < float64(s.First+farOut)
	if m.Second < nearlyFixed || cancels {
		m = s.momentsAbout(a, max(int(a), s.First+1))
		m.Second -= m.First * m.First
	}
	m.Second = max(0, m.Second)
	return m
}

// momentsAbout returns the moments about a. Levels before from ≥ b+1 are taken one by one, and the others by sums. With c =
// from−a, e = from−b and m_p the sums of Sums[p] of the levels on, these contribute
//
//	First:  c·m_0 + m_1
//	Second: c²·m_0 + (2c+1)·m_1 + m_2
//	Third:  e·Second + c²·m_1 + 2c·(m_1 + m_2) + m_1 + 3·m_2 + m_3.
func (s Repeating) momentsAbout(a float64, from int) (m Moments) {
	above := Sequence{X: s.Levels[s.First+1], Next: s.Next}
	for l := range from {
		x := above.X
		if l <= s.First {
			x = s.Levels[l]
		} else {
			above.Step()
		}
		d := float64(l) - a
		share := d * d * block.Sum(x)
		m.First += d * block.Sum(x)
		m.Second += share
		m.Third += share * float64(max(0, l-s.First))
	}
	var sums [4]float64
	for p, x := range s.Sums {
		later := Sequence{X: x, Next: s.Next}
		later.Skip(from - s.First - 1)
		sums[p] = block.Sum(later.X)
	}
	c, m1, m2 := float64(from)-a, sums[1], sums[2]
	second := c*c*sums[0] + (2*c+1)*m1 + m2
	m.First += c*sums[0] + m1
	m.Second += second
	m.terms = c*c*sums[0] + math.Abs(2*c+1)*m1 + m2
	m.Third += float64(from-s.First)*second + c*c*m1 + 2*c*(m1+m2) + m1 + 3*m2 + sums[3]
	return m
}
