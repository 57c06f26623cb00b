package markovtest_test

import (
	"math"
	"math/big"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/testdata/markovtest"
)

// mmc returns M/M/c with service times of mean one.
func mmc(c int, lambda float64) *markov.QBD {
	number := func(v float64) *mat.Dense { return mat.NewDense(1, 1, []float64{v}) }
	level := func(l int) markov.Level {
		out := markov.Level{Up: number(lambda), Local: number(-1)}
		if l > 0 {
			out.Down = number(float64(min(l, c)))
		}
		return out
	}
	q := &markov.QBD{Repeating: level(c + 1)}
	for l := range c + 1 {
		q.Boundary = append(q.Boundary, level(l))
	}
	return q
}

// All measures of M/M/c have the digits of a double, 1.2e-16, up to 1 − 1e-9 and down to 1e-6, judged by rational arithmetic.
func TestErlang(t *testing.T) {
	for _, c := range []int{1, 3, 24} {
		for _, load := range []float64{1e-6, .01, .7, .99, 1 - 1e-9} {
			lambda := load * float64(c)
			s := markovtest.Solve(mmc(c, lambda))
			rho := new(big.Rat).Quo(new(big.Rat).SetFloat64(lambda), big.NewRat(int64(c), 1))
			left := new(big.Rat).Sub(big.NewRat(1, 1), rho)
			mul := func(x ...*big.Rat) *big.Rat {
				p := big.NewRat(1, 1)
				for _, v := range x {
					p.Mul(p, v)
				}
				return p
			}
			add := func(x, y *big.Rat) *big.Rat { return new(big.Rat).Add(x, y) }
			over := func(x, y *big.Rat) *big.Rat { return new(big.Rat).Quo(x, y) }
			term := big.NewRat(1, 1)
			sum, first, second := new(big.Rat), new(big.Rat), new(big.Rat)
			p := []*big.Rat{term}
			for l := 1; l <= c; l++ {
				sum = add(sum, term)
				term = mul(term, new(big.Rat).SetFloat64(lambda), big.NewRat(1, int64(l)))
				p = append(p, term)
				if l < c {
					first = add(first, mul(term, big.NewRat(int64(l), 1)))
					second = add(second, mul(term, big.NewRat(int64(l*l), 1)))
				}
			}
			// Levels from c on are geometric: Σρ^k, Σk·ρ^k and Σk²·ρ^k are 1/d, ρ/d² and ρ(1+ρ)/d³ for d = 1−ρ.
			k := big.NewRat(int64(c), 1)
			g0 := over(term, left)
			g1 := over(mul(term, rho), mul(left, left))
			g2 := over(mul(term, rho, add(big.NewRat(1, 1), rho)), mul(left, left, left))
			sum = add(sum, g0)
			first = over(add(first, add(mul(k, g0), g1)), sum)
			second = over(add(second, add(mul(k, k, g0), add(mul(big.NewRat(2, 1), k, g1), g2))), sum)
			for what, m := range map[string]struct {
				got  float64
				want *big.Rat
			}{
				"mean":     {s.Mean(), first},
				"variance": {s.Variance(), new(big.Rat).Sub(second, mul(first, first))},
				"waiting":  {s.MeanAbove(c), over(g1, sum)},
				"P(0)":     {s.Probability(0), over(p[0], sum)},
				"P(c)":     {s.Probability(c), over(p[c], sum)},
				"P(c+5)":   {s.Probability(c + 5), over(mul(p[c], rho, rho, rho, rho, rho), sum)},
				"tail":     {s.Tail(c + 4), over(mul(g0, rho, rho, rho, rho, rho), sum)},
				"all":      {s.Tail(-1), big.NewRat(1, 1)},
				"decay":    {s.DecayRate(), rho},
			} {
				want, _ := m.want.Float64()
				if !(math.Abs(m.got-want) <= 0x1p-52*want) {
					t.Errorf("%d servers at load %v: %s is %v, not %v", c, load, what, m.got, want)
				}
			}
		}
	}
}

// TestVarianceOfNearlyFixedLevel: the level is 1 but for a share of 1e-24 of the time. The variance is this share, to the last digit.
func TestVarianceOfNearlyFixedLevel(t *testing.T) {
	one := func(v float64) *mat.Dense { return mat.NewDense(1, 1, []float64{v}) }
	const rare = 1e-24
	s := markovtest.Solve(&markov.QBD{
		Boundary:  []markov.Level{{Up: one(1), Local: one(0)}, {Up: one(rare), Local: one(0), Down: one(rare)}},
		Repeating: markov.Level{Up: one(rare), Local: one(0), Down: one(1)},
	})
	// Up to factors of 1 + rare, levels 0 and 2 have the probability rare. Those above are rarer still.
	if got, want := s.Variance(), 2*rare; !(math.Abs(got-want) <= 0x1p-52*want) {
		t.Errorf("the variance is %v, want %v", got, want)
	}
}

// TestDecayOfVanishingPowers: level 1 is left downward only, so R² = 0 and the decay rate is 0. It was NaN, as were bounds made
// of it.
func TestDecayOfVanishingPowers(t *testing.T) {
	square := func(v ...float64) *mat.Dense { return mat.NewDense(2, 2, v) }
	s := markovtest.Solve(&markov.QBD{
		Boundary:  []markov.Level{{Up: square(0, 1, 0, 0), Local: square(0, 0, 1, 0)}},
		Repeating: markov.Level{Up: square(0, 1, 0, 0), Local: square(0, 0, 0, 0), Down: square(1, 0, 1, 0)},
	})
	if rate, mean := s.DecayRate(), s.Mean(); rate != 0 || mean != 0.5 {
		t.Errorf("decay rate %v and mean %v, want 0 and .5", rate, mean)
	}
}
