package phasetype_test

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/phasetype/phtest"
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
				q := left * rapid.Float64Range(0.01, 1).Draw(t, "share") // far from what Reduce takes for rounding
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
		tol := 1e-11 // 1e-15·order², with some reserve for the tail's steepness
		if !d.Acyclic() {
			tol = 1e-9 // as promised where eigenvalues are needed
		}
		switch {
		case err != nil && (d.Acyclic() || !errors.Is(err, phasetype.ErrCyclic)):
			t.Fatalf("acyclic %v: %v", d.Acyclic(), err)
		case err == nil && !(c.Acyclic() && compare(c, d).Within(tol)):
			t.Fatalf("%+v", compare(c, d))
		}
	})
}

// exactTransformOfTwo is exactTransform for two phases with or without a cycle.
func exactTransformOfTwo(d phasetype.Dist, s *big.Rat) *big.Rat {
	rat := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	mul := func(x, y *big.Rat) *big.Rat { return new(big.Rat).Mul(x, y) }
	add := func(x, y *big.Rat) *big.Rat { return new(big.Rat).Add(x, y) }
	u, v, exit, alpha := rat(d.Rate(0, 1)), rat(d.Rate(1, 0)), d.Exit(), d.Alpha()
	e, f := rat(exit[0]), rat(exit[1])
	a, b := add(add(e, u), s), add(add(f, v), s)
	one, two := add(mul(e, b), mul(u, f)), add(mul(f, a), mul(v, e)) // from each phase, times the determinant
	det := add(mul(a, b), new(big.Rat).Neg(mul(u, v)))
	p, q := rat(alpha[0]), rat(alpha[1])
	up := add(mul(p, one), mul(q, two))
	return up.Quo(up, mul(det, add(p, q)))
}

// TestCanonicalOfTwoExactly compares the transform of the closed form with that of two phases with a cycle, as
// TestCanonicalExactly does. Rates are up to 16 decades apart, or nearly equal. Measured: 7.9e-16 in 60,000 cases.
func TestCanonicalOfTwoExactly(t *testing.T) {
	var worst float64
	rapid.Check(t, func(t *rapid.T) {
		rate := func(label string) float64 { return math.Pow(10, rapid.Float64Range(-8, 8).Draw(t, label)) }
		p, exit1, exit2 := rapid.Float64Range(0, 1).Draw(t, "p"), rate("exit 1"), rate("exit 2")
		switch rapid.IntRange(0, 3).Draw(t, "exits") {
		case 0:
			exit2 = exit1
		case 1:
			exit2 = exit1 * (1 + rapid.Float64Range(0, 1e-6).Draw(t, "apart"))
		case 2:
			exit2 = 0
		}
		d, err := phasetype.FromRates([]float64{p, 1 - p}, mat.NewDense(2, 2, []float64{0, rate("up"), rate("down"), 0}),
			[]float64{exit1, exit2})
		if err != nil {
			t.Fatal(err)
		}
		c, err := d.Canonical()
		if err != nil {
			t.Fatal(err)
		}
		if c.Phases() == 2 && c.Rate(0, 0) < c.Rate(1, 1) {
			t.Fatalf("rates descend: %v", c.T())
		}
		one := big.NewRat(1, 1)
		for _, s := range []float64{1e-12, 1e-8, 1e-4, 1, 1e4, 1e8, 1e12} {
			at := new(big.Rat).SetFloat64(s)
			f, g := exactTransformOfTwo(d, at), exactTransform(c, at)
			for range 2 {
				diff := new(big.Rat).Sub(g, f)
				relative, _ := diff.Quo(diff, f).Float64()
				worst = math.Max(worst, math.Abs(relative))
				// Some 15 roundings in a rate and an entry of alpha, 1.1e-16 each.
				if math.Abs(relative) > 2e-15 {
					t.Fatalf("at %g: relative difference %g", s, relative)
				}
				f, g = f.Sub(one, f), g.Sub(one, g)
			}
		}
	})
	t.Logf("largest relative difference of transforms %.2g", worst)
}

// TestCanonicalOfCycles: two phases with a cycle always have a canonical form; of three in a ring the eigenvalues are
// complex.
func TestCanonicalOfCycles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := func(label string) float64 { return math.Pow(10, rapid.Float64Range(-2, 2).Draw(t, label)) }
		p := rapid.Float64Range(0, 1).Draw(t, "p")
		d, err := phasetype.FromRates([]float64{p, 1 - p}, mat.NewDense(2, 2, []float64{0, rate("up"), rate("down"), 0}),
			[]float64{rate("exit 1"), rate("exit 2")})
		if err != nil {
			t.Fatal(err)
		}
		c, err := d.Canonical()
		if err != nil {
			t.Fatal(err)
		}
		// The forms agree to a few ulps; the survival function of d knows its smallest rate to an ulp of the largest, 1e4
		// more.
		if !compare(c, d).Within(1e-11) {
			t.Fatalf("%+v", compare(c, d))
		}
	})
	ring := must(t)(phasetype.FromRates([]float64{1, 0, 0},
		dense([]float64{0, 1, 0}, []float64{0, 0, 1}, []float64{1, 0, 0}),
		[]float64{0, 0, 0.1}))
	if _, err := ring.Canonical(); !errors.Is(err, phasetype.ErrCyclic) {
		t.Errorf("ring: %v", err)
	}
}

func TestReduce(t *testing.T) {
	ok := must(t)
	one, two := ok(phasetype.Exponential(1)), ok(phasetype.Exponential(2))
	erlang := func(k int) phasetype.Dist { return ok(phasetype.Erlang(k, 1)) }
	cycle := ok(phasetype.FromRates([]float64{.25, .75, 0},
		dense([]float64{0, 1, 2}, []float64{1, 0, 2}, []float64{2, 2, 0}),
		[]float64{3, 3, 1}))
	lost := ok(phasetype.FromRates([]float64{1, 0}, mat.NewDense(2, 2, nil), []float64{3, 4}))
	for _, c := range []struct {
		name   string
		d      phasetype.Dist
		phases int
	}{
		{"exponential", one, 1},
		{"mixture of one and the same", ok(phasetype.Mixture([]float64{1, 3}, []phasetype.Dist{one, one})), 1},
		{"Erlang", erlang(10), 10},
		{"mixture of an Erlang and its last phases", ok(phasetype.Mixture([]float64{1, 1},
			[]phasetype.Dist{erlang(4), ok(erlang(3).Scale(.75))})), 4},
		{"unreached", lost, 1},
		{"minimum of exponentials", ok(phasetype.Minimum(one, two)), 1},
		// The survival functions squared are (1 + 2x)²·e^(−4x), e^(−x)+e^(−2x)−e^(−3x) and products of distinct powers.
		{"minimum of Erlangs", ok(phasetype.Minimum(erlang(2), erlang(2))), 3},
		{"maximum of exponentials", ok(phasetype.Maximum(one, two)), 3},
		{"maximum of equals", ok(phasetype.Maximum(one, one)), 2},
		{"lumpable cycle", cycle, 2},
		{"hyperexponential, three times", ok(phasetype.Minimum(ok(phasetype.TwoMoments(1, 4)), one)), 2},
		{"zero", phasetype.Dist{}, 0},
	} {
		r := reduce(c.d)
		if r.Phases() != c.phases {
			t.Errorf("%s: %d phases, want %d", c.name, r.Phases(), c.phases)
		}
		if !compare(r, c.d).Within(1e-13) { // a few ulps times the order
			t.Errorf("%s: %+v", c.name, compare(r, c.d))
		}
	}
}

// TestReduceProperty: superfluous phases are found and removed.
func TestReduceProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawAcyclic(t, 4, 2)
		p := rapid.Float64Range(0.1, 0.9).Draw(t, "p")
		double, err := phasetype.Mixture([]float64{p, 1 - p}, []phasetype.Dist{d, d})
		if err != nil {
			t.Fatal(err)
		}
		again := reduce(double)
		if again.Phases() > d.Phases() || !compare(again, d).Within(1e-9) { // ten times what Reduce may lose
			t.Fatalf("%d phases after reduction, %d before; %d alone", again.Phases(), double.Phases(), reduce(d).Phases())
		}
	})
}

// TestReduceOfCycles: a mixture of a ring of phases with itself is lumped to the ring.
func TestReduceOfCycles(t *testing.T) {
	for n := 2; n <= 8; n++ {
		alpha, moves, exit := make([]float64, n), mat.NewDense(n, n, nil), make([]float64, n)
		alpha[0] = 1
		for i := range n {
			moves.Set(i, (i+1)%n, 1+float64(i))
		}
		exit[n-1] = 1
		ring := must(t)(phasetype.FromRates(alpha, moves, exit))
		twice := must(t)(phasetype.Mixture([]float64{1, 2}, []phasetype.Dist{ring, ring}))
		if r := reduce(twice); r.Phases() != n || !compare(r, ring).Within(1e-12) {
			t.Errorf("%d phases of two rings of %d, %+v", r.Phases(), n, compare(r, ring))
		}
	}
}
