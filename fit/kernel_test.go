package fit

import (
	"math"
	"math/rand/v2"
	"testing"
)

// samples of every kind that a mesh knows.
func kinds() map[string]Sample {
	xs := recipe("weib07", 200)
	cut, weights, rounded := make([]bool, len(xs)), make([]float64, len(xs)), make([]float64, len(xs))
	for i, x := range xs {
		cut[i] = i%7 == 3
		weights[i] = 0.5 + float64(i%3)
		rounded[i] = math.Round(x*4) / 4
	}
	return map[string]Sample{
		"values":           {Values: xs},
		"weighted":         {Values: xs, Weights: weights},
		"censored":         {Values: xs, Censored: cut},
		"rounded":          {Values: rounded, Resolution: 0.25},
		"rounded censored": {Values: rounded, Censored: cut, Resolution: 0.25},
		"odd resolution":   {Values: xs, Resolution: 0.3},
	}
}

func mustProblem(t testing.TB, s Sample) *problem {
	t.Helper()
	p, err := newProblem(s, Options{Tolerance: 1e-10, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestGradient compares derivatives with central differences.
func TestGradient(t *testing.T) {
	const h = 1e-5
	for name, s := range kinds() {
		p := mustProblem(t, s)
		for meshName, mesh := range map[string]*quadrature{"grid": p.logGrid(4), "chain": p.exactQuadrature(p.points, 40)} {
			for _, m := range []int{1, 2, 5} {
				checkGradient(t, name+" "+meshName+" profile", newProfile(mesh, m), logsOf(geometric(m, 7, 1).perturbed(0.1).rates), h)
				g := newGeneralAscent(mesh, m, false)
				d := randomDense(rand.New(rand.NewPCG(1, uint64(m))), m, 1)
				checkGradient(t, name+" "+meshName+" general", g, g.parameters(d), h)
			}
		}
	}
}

func checkGradient(t *testing.T, name string, of objective, y []float64, h float64) {
	t.Helper()
	of.value(y)
	gradient := append([]float64(nil), of.gradient()...)
	for i := range y {
		at := y[i]
		y[i] = at + h
		up := of.value(y)
		y[i] = at - h
		down := of.value(y)
		y[i] = at
		// A central difference errs by h² times a third derivative and by rounding over h: 1e-10 and 1e-11, times a few.
		if d := math.Abs((up-down)/(2*h) - gradient[i]); d > 2e-8 {
			t.Errorf("%s, parameter %d: derivative %g, difference %g", name, i, gradient[i], (up-down)/(2*h))
		}
	}
}

// TestProfile: the likelihood that a profile finds is that of its alpha, by the sweep along the mesh, and no other alpha
// is better.
func TestProfile(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 3))
	for name, s := range kinds() {
		p := mustProblem(t, s)
		for meshName, mesh := range map[string]*quadrature{"grid": p.logGrid(4), "chain": p.exactQuadrature(p.points, 40)} {
			for _, m := range []int{1, 2, 5, 9} {
				c := geometric(m, 300, 1)
				pr := newProfile(mesh, m)
				got := -pr.value(logsOf(c.rates))
				copy(c.alpha, pr.alpha)
				if want := likelihood(mesh, c); math.Abs(got-want) > 1e-12*math.Abs(want) { // both sum some hundred logarithms
					t.Errorf("%s %s, %d phases: %.16g, of its alpha %.16g", name, meshName, m, got, want)
				}
				for range 20 {
					by := math.Pow(10, -4*random.Float64())
					other := c.clone()
					for i := range other.alpha {
						other.alpha[i] = (1 - by) * other.alpha[i]
					}
					other.alpha[random.IntN(m)] += by
					if v := likelihood(mesh, other); v > got+1e-12 {
						t.Errorf("%s %s, %d phases: %.16g at a distance of %g, %.16g thought best", name, meshName, m, v, by, got)
					}
				}
			}
		}
	}
}

// TestGridAgainstChain compares the interpolated likelihood with the exact one.
func TestGridAgainstChain(t *testing.T) {
	for _, name := range []string{"weib07", "lnorm12", "loguni", "bimodal", "det"} {
		p := mustProblem(t, Sample{Values: recipe(name, 500)})
		c := geometric(8, 200, 1).perturbed(0.1)
		want := likelihood(p.exactQuadrature(p.points, 50), c)
		// Sixth-order interpolation: a factor of 64 for each split, from the 1e-9 that split 4 promises; then rounding.
		for split, tolerance := range map[int]float64{4: 1e-8, 5: 1e-9, scoringSplit: 1e-12} {
			if got := likelihood(p.logGrid(split), c); math.Abs(got-want) > tolerance {
				t.Errorf("%s split %d: %.14g, exactly %.14g", name, split, got, want)
			}
		}
	}
}

// TestStiff checks that rates over twelve decades lose no digits: a mixture of two exponentials in canonical form.
func TestStiff(t *testing.T) {
	slow, fast := 1e-6, 1e6
	c := canonical{[]float64{0.25, 0.75}, []float64{slow, fast}} // slow then fast, or fast alone
	p := mustProblem(t, Sample{Values: []float64{1e-7, 1e-6, 1e-3, 1, 1e3, 1e6}})
	a := newAscent(p.exactQuadrature(p.points, 52), 2)
	c = c.scaled(1 / p.scale)
	a.load(c)
	got := a.k.logLikelihood(false) - math.Log(p.scale)
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
