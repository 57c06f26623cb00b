package markov_test

import (
	"math"
	"math/big"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/testdata/qbdtest"
)

// The claimed bound holds for each level of M/M/c and for the jobs that wait, and does so after hundreds of levels, where
// roundings of the same sign add up.
func TestBoundsOfManyLevelsAgainstExactArithmetic(t *testing.T) {
	for _, c := range []int{1, 8, 64, 300} {
		for _, load := range []float64{1e-6, 1e-3, .1, .7, .97} {
			for _, method := range []string{markov.Auto, markov.SubtractionFree} {
				lambda := load * float64(c) // as the chain has it, rounded
				s, err := levelsOfMMc(c, lambda).Solve(t.Context(), markov.Settings{Method: method})
				if err != nil {
					t.Fatal(err)
				}
				bound := s.Diagnostics().ErrorBound
				check := func(what string, got float64, want *big.Float) {
					t.Helper()
					if got < 0x1p-1000 { // of fewer digits
						return
					}
					exact, _ := want.Rat(nil)
					if off := qbdtest.RelativeError(got, exact); !(off <= bound) {
						t.Errorf("%d servers, load %g, %s: %s = %g is off by %.2g, claimed %.2g", c, load, method, what, got, off, bound)
					}
				}
				p, above := exactMMc(c, lambda)
				for l := range p {
					check("P(level)", s.Probability(l), p[l])
				}
				for _, l := range []int{0, c / 2, c, c + 1, c + 3} {
					check("mean above", s.MeanAbove(l), above(l))
				}
				check("mean above none", s.MeanAbove(-1), above(0))
			}
		}
	}
}

// levelsOfMMc returns M/M/c with service times of mean one as a chain of levels.
func levelsOfMMc(c int, lambda float64) *markov.QBD {
	number := func(v float64) *mat.Dense { return mat.NewDense(1, 1, []float64{v}) }
	q := &markov.QBD{Repeating: markov.Level{Up: number(lambda), Local: number(0), Down: number(float64(c))}}
	for l := range c + 1 {
		level := markov.Level{Up: number(lambda), Local: number(0)}
		if l > 0 {
			level.Down = number(float64(l))
		}
		q.Boundary = append(q.Boundary, level)
	}
	return q
}

// exactMMc returns the probabilities of the levels 0..c+3 of M/M/c and E[max(0, level − i)], with numbers of 300 bits.
func exactMMc(c int, lambda float64) (p []*big.Float, above func(i int) *big.Float) {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }
	times := func(x, y *big.Float) *big.Float { return number(0).Mul(x, y) }
	over := func(x, y *big.Float) *big.Float { return number(0).Quo(x, y) }
	rho := over(number(lambda), number(float64(c)))
	left := number(0).Sub(number(1), rho)
	term, total := number(1), number(0)
	for l := range c + 4 {
		if l > 0 {
			term = over(times(term, number(lambda)), number(float64(min(l, c))))
		}
		p = append(p, term)
		if l < c {
			total.Add(total, term)
		}
	}
	total.Add(total, over(p[c], left)) // levels from c on are geometric
	for l := range p {
		p[l] = over(p[l], total)
	}
	return p, func(i int) *big.Float {
		sum := number(0)
		for l := i + 1; l < c; l++ {
			sum.Add(sum, times(p[l], number(float64(l-i))))
		}
		b := max(c, i) // and Σ_k (b−i+k)·p_b·ρ^k from there on
		mean := number(0).Add(number(float64(b-i)), over(rho, left))
		return sum.Add(sum, times(over(p[b], left), mean))
	}
}

// TestLevelsBeyondAllNumbers: a level whose probability is smaller than any number has the probability 0, however far it is.
// No product with the rate matrix rounds the smallest number to itself for ever.
func TestLevelsBeyondAllNumbers(t *testing.T) {
	for _, load := range []float64{.02, .8} {
		s, err := levelsOfMMc(2, 2*load).Solve(t.Context(), markov.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range []int{1 << 20, math.MaxInt >> 8, math.MaxInt} {
			if p, tail := s.Probability(i), s.Tail(i); p != 0 || tail != 0 {
				t.Errorf("load %g: P(level = %d) is %g and P(level > %[2]d) %g, want 0", load, i, p, tail)
			}
		}
	}
}

// An infinite growth of the bound from level to level says nothing of the first level that repeats.
func TestBoundAtFirstRepeatingLevel(t *testing.T) {
	d := markov.Diagnostics{ErrorBound: 1e-9, ErrorPerLevel: math.Inf(1)}
	for _, levels := range []int{-1, 0} {
		if got := d.BoundAt(levels); got != 1e-9 {
			t.Errorf("BoundAt(%d) is %g, want 1e-9", levels, got)
		}
	}
	if got := d.BoundAt(1); !math.IsInf(got, 1) {
		t.Errorf("BoundAt(1) is %g, want +Inf", got)
	}
}
