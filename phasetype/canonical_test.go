package phasetype_test

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/phtest"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// drawAcyclic returns an acyclic distribution with its phases in random order; some of its rates are equal.
func drawAcyclic(t *rapid.T, most int, decades float64) phasetype.Dist {
	n := rapid.IntRange(1, most).Draw(t, "phases")
	place := rapid.Permutation(indices(n)).Draw(t, "order")
	alpha, moves, exit := make([]float64, n), mat.NewDense(n, n, nil), make([]float64, n)
	rates := []float64{1}
	rate := func() float64 {
		if rapid.IntRange(0, 2).Draw(t, "again?") == 0 {
			return rapid.SampledFrom(rates).Draw(t, "rate")
		}
		r := math.Pow(10, rapid.Float64Range(-decades/2, decades/2).Draw(t, "log rate"))
		rates = append(rates, r)
		return r
	}
	var total float64
	for i := range n {
		if i == 0 || rapid.Bool().Draw(t, "entered?") {
			alpha[place[i]] = rapid.Float64Range(1e-3, 1).Draw(t, "alpha")
			total += alpha[place[i]]
		}
		left := rate()
		for j := i + 1; j < n; j++ {
			if rapid.Bool().Draw(t, "move?") {
				q := left * rapid.Float64Range(0.01, 1).Draw(t, "share")
				moves.Set(place[i], place[j], q)
				left -= q
			}
		}
		exit[place[i]] = left
	}
	for i := range alpha {
		alpha[i] /= total
	}
	d, err := phasetype.FromRates(alpha, moves, exit)
	if err != nil {
		t.Skip("no way out of a phase")
	}
	return d
}

func indices(n int) []int {
	v := make([]int, n)
	for i := range v {
		v[i] = i
	}
	return v
}

// exactTransform returns E[exp(−s·X)] of an acyclic representation in rational arithmetic, alpha normalised.
func exactTransform(d phasetype.Dist, s *big.Rat) *big.Rat {
	rat := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	n := d.Phases()
	from := make([]*big.Rat, n)
	var time func(i int) *big.Rat
	time = func(i int) *big.Rat {
		if from[i] != nil {
			return from[i]
		}
		up, rate := rat(d.Exit()[i]), rat(d.Exit()[i])
		for j := range n {
			if q := d.Rate(i, j); j != i && q > 0 {
				rate.Add(rate, rat(q))
				up.Add(up, new(big.Rat).Mul(rat(q), time(j)))
			}
		}
		from[i] = up.Quo(up, rate.Add(rate, s))
		return from[i]
	}
	sum, total := new(big.Rat), new(big.Rat)
	for i, a := range d.Alpha() {
		if a > 0 {
			sum.Add(sum, new(big.Rat).Mul(rat(a), time(i)))
			total.Add(total, rat(a))
		}
	}
	return sum.Quo(sum, total)
}

// TestCanonicalExactly compares the transform of the canonical form with that of the original in rational arithmetic,
// so that the difference is the rounding of the conversion. Both f and (1−f)/s are compared, relatively, from below the
// slowest to above the fastest rate. Measured: 5e-16 for 7 phases over 8 decades.
func TestCanonicalExactly(t *testing.T) {
	var worst float64
	rapid.Check(t, func(t *rapid.T) {
		d := drawAcyclic(t, 7, 8)
		c, err := d.Canonical()
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.Phases() {
			for j := range c.Phases() {
				if q := c.Rate(i, j); j == i+1 && q != -c.Rate(i, i) || j != i && j != i+1 && q != 0 {
					t.Fatalf("T[%d][%d] is %g", i, j, q)
				}
			}
			if i > 0 && c.Rate(i, i) > c.Rate(i-1, i-1) {
				t.Fatalf("rates descend at %d", i)
			}
		}
		if c.Phases() > d.Phases() {
			t.Fatalf("%d phases became %d", d.Phases(), c.Phases())
		}
		one := big.NewRat(1, 1)
		for _, s := range []float64{1e-6, 1e-3, 1, 1e3, 1e6} {
			at := new(big.Rat).SetFloat64(s)
			f, g := exactTransform(d, at), exactTransform(c, at)
			for range 2 {
				diff := new(big.Rat).Sub(g, f)
				relative, _ := diff.Quo(diff, f).Float64()
				worst = math.Max(worst, math.Abs(relative))
				// 7 phases: 49 products of a few ulps, 1.1e-16 each.
				if math.Abs(relative) > 2e-14 {
					t.Fatalf("at %g: relative difference %g", s, relative)
				}
				f, g = f.Sub(one, f), g.Sub(one, g)
			}
		}
	})
	t.Logf("largest relative difference of transforms %.2g", worst)
}

func TestCanonicalKeepsAtom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := phtest.Dist(t, 3)
		c, err := d.Canonical()
		if errors.Is(err, phasetype.ErrCyclic) {
			t.Skip("a cycle")
		}
		if err == nil {
			err = phtest.CheckSame(d, c, 1e-11) // 1e-15·order², with some reserve for the tail's steepness
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestCanonicalOfACycle(t *testing.T) {
	ring := must(t)(phasetype.FromRates([]float64{1, 0, 0},
		dense([]float64{0, 1, 0}, []float64{0, 0, 1}, []float64{1, 0, 0}),
		[]float64{0, 0, 0.1}))
	if _, err := ring.Canonical(); !errors.Is(err, phasetype.ErrCyclic) {
		t.Errorf("ring: %v", err)
	}
}
