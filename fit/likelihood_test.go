package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/partwise/partwise/fit/internal/optimum"
)

// kinds returns samples with every kind of observation at the nodes of a quadrature.
func kinds() map[string]Sample {
	xs := recipe("weib07", 200)
	censored, weights, rounded := make([]bool, len(xs)), make([]float64, len(xs)), make([]float64, len(xs))
	for i, x := range xs {
		censored[i] = i%7 == 3
		weights[i] = 0.5 + float64(i%3)
		rounded[i] = math.Round(x*4) / 4
	}
	return map[string]Sample{
		"values":           {Values: xs},
		"weighted":         {Values: xs, Weights: weights},
		"censored":         {Values: xs, Censored: censored},
		"rounded":          {Values: rounded, Resolution: 0.25},
		"rounded censored": {Values: rounded, Censored: censored, Resolution: 0.25},
		"odd resolution":   {Values: xs, Resolution: 0.3},
	}
}

func mustProblem(t testing.TB, s Sample) *problem {
	t.Helper()
	p, err := newProblem(t.Context(), s, Options{Tolerance: 1e-10, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestLoadOverwrites: an evaluator that held another distribution gets the generator that a new evaluator gets. The other
// distribution has rates between phases that the second never visits.
func TestLoadOverwrites(t *testing.T) {
	rates := []float64{-1, 0, 0, 0, -200, 100, 0, 100, -200}
	q := mustProblem(t, Sample{Values: []float64{1, 2}}).logGrid(t.Context(), 4)
	used, unused := newLikelihood(q, 3, false, false), newLikelihood(q, 3, false, false)
	used.load(ph([]float64{.5, .25, .25}, rates...), 1)
	for _, l := range []*likelihood{used, unused} {
		l.load(ph([]float64{1, 0, 0}, rates...), 1)
	}
	if !slices.Equal(used.t, unused.t) || !slices.Equal(used.exit, unused.exit) {
		t.Errorf("generator %v with exits %v, want %v with %v", used.t, used.exit, unused.t, unused.exit)
	}
}

// TestGradient compares derivatives with central differences.
func TestGradient(t *testing.T) {
	const h = 1e-5
	for name, s := range kinds() {
		p := mustProblem(t, s)
		for kind, q := range map[string]*quadrature{
			"grid": p.logGrid(t.Context(), 4), "exact": p.exactQuadrature(t.Context(), p.points, 40),
		} {
			for _, m := range []int{1, 2, 5} {
				checkGradient(t, name+" "+kind+" profile", newProfileLikelihood(q, m), logsOf(geometric(m, 7, 1).perturbed(0.1).rates), h)
				g := newGeneralAscent(q, m, false, false)
				d := randomDense(rand.New(rand.NewPCG(1, uint64(m))), m, 1)
				checkGradient(t, name+" "+kind+" general", g, logsOf(d.alpha, d.jump, d.exit), h)
			}
		}
	}
}

func checkGradient(t *testing.T, name string, of optimum.Objective, y []float64, h float64) {
	t.Helper()
	of.Value(t.Context(), y)
	gradient := append([]float64(nil), of.Gradient(t.Context())...)
	for i := range y {
		at := y[i]
		y[i] = at + h
		up := of.Value(t.Context(), y)
		y[i] = at - h
		down := of.Value(t.Context(), y)
		y[i] = at
		// A central difference errs by h² times a third derivative and by rounding over h: 1e-10 and 1e-11, times a few.
		if d := math.Abs((up-down)/(2*h) - gradient[i]); d > 2e-8 {
			t.Errorf("%s, parameter %d: derivative %g, difference %g", name, i, gradient[i], (up-down)/(2*h))
		}
	}
}

// TestProfile: the likelihood that a profile finds is the likelihood of its alpha, and no other alpha is better.
func TestProfile(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 3))
	for name, s := range kinds() {
		p := mustProblem(t, s)
		for kind, q := range map[string]*quadrature{
			"grid": p.logGrid(t.Context(), 4), "exact": p.exactQuadrature(t.Context(), p.points, 40),
		} {
			for _, m := range []int{1, 2, 5, 9} {
				c := geometric(m, 300, 1)
				pr := newProfileLikelihood(q, m)
				got := -pr.Value(t.Context(), logsOf(c.rates))
				copy(c.alpha, pr.Alpha)
				// Both sum some hundred logarithms.
				if want := c.meanOn(t.Context(), q); math.Abs(got-want) > 1e-12*math.Abs(want) {
					t.Errorf("%s %s, %d phases: %.16g, of its alpha %.16g", name, kind, m, got, want)
				}
				for range 20 {
					by := math.Pow(10, -4*random.Float64())
					other := c.clone()
					for i := range other.alpha {
						other.alpha[i] = (1 - by) * other.alpha[i]
					}
					other.alpha[random.IntN(m)] += by
					if v := other.meanOn(t.Context(), q); v > got+1e-12 {
						t.Errorf("%s %s, %d phases: %.16g at a distance of %g, %.16g thought best", name, kind, m, v, by, got)
					}
				}
			}
		}
	}
}

// TestGridAgainstExact compares the likelihood by a logarithmic grid with the exact one.
func TestGridAgainstExact(t *testing.T) {
	for _, name := range []string{"weib07", "lnorm12", "loguni", "bimodal", "det"} {
		p := mustProblem(t, Sample{Values: recipe(name, 500)})
		c := geometric(8, 200, 1).perturbed(0.1)
		want := c.meanOn(t.Context(), p.exactQuadrature(t.Context(), p.points, 50))
		// The error falls by a factor of 64 per split, from the 1e-9 that split 4 promises, down to rounding.
		for split, tolerance := range map[int]float64{4: 1e-8, 5: 1e-9, scoringSplit: 1e-12} {
			if got := c.meanOn(t.Context(), p.logGrid(t.Context(), split)); math.Abs(got-want) > tolerance {
				t.Errorf("%s split %d: %.14g, exactly %.14g", name, split, got, want)
			}
		}
	}
}

// TestStiff: rates over twelve decades lose no digits, in a mixture of two exponentials in canonical form.
func TestStiff(t *testing.T) {
	slow, fast := 1e-6, 1e6
	c := canonical{[]float64{0.25, 0.75}, []float64{slow, fast}} // slow then fast, or fast alone
	p := mustProblem(t, Sample{Values: []float64{1e-7, 1e-6, 1e-3, 1, 1e3, 1e6}})
	a := newGeneralAscent(p.exactQuadrature(t.Context(), p.points, 52), 2, false, true)
	c = c.scaled(1 / p.scale)
	copy(a.k.exit, c.dense().exit)
	c.dense().generator(func(i, j int, rate float64) { a.k.t[i*a.k.n+j] = rate })
	got := a.k.mean(t.Context(), c.alpha) - math.Log(p.scale) // by itself: the ascent refuses rates as far apart
	var want float64
	for _, pt := range p.points {
		x := pt.x * p.scale
		both := slow * fast / (fast - slow) * (math.Exp(-slow*x) - math.Exp(-fast*x))
		want += math.Log(0.25*both+0.75*fast*math.Exp(-fast*x)) / 6
	}
	// 60 squarings and 300 steps of rounding, on terms near 10.
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("got %.16g, want %.16g", got, want)
	}
}
