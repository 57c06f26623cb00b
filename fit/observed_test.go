package fit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/partwise/partwise/phasetype"
)

// TestExponentialByHand fits one phase, whose best rate has a closed form, to all kinds of observations.
func TestExponentialByHand(t *testing.T) {
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		s    Sample
		mean float64
	}{
		// Memoryless: the mean of the times since observation began.
		"truncated": {Sample{Values: []float64{3, 5, 4}, Truncated: []float64{1, 2, 0}}, 9. / 3},
		// Observation begins so late that a time is longer with a probability of 2e-21.
		"truncated late": {Sample{Values: []float64{108.15, 80.837, 20.149}, Truncated: []float64{97.335, 72.7533, 18.1341},
			Weights: []float64{0.053, 0.000186, 29.1}}, (0.053*10.815 + 0.000186*8.0837 + 29.1*2.0149) / 29.153186},
		// Events over time at risk.
		"open intervals": {Sample{Values: []float64{3, 5, 4}, Upper: []float64{3, inf, 4}}, 12. / 2},
		// q = exp(−λ) per unit: 60 end in the first, 40·(1−q) … solve 100 trials at q, 40 again: q = 55/140.
		"histogram": {Sample{Values: []float64{0, 1, 2}, Upper: []float64{1, 2, inf}, Weights: []float64{60, 25, 15}},
			-1 / math.Log(55./140)},
		"truncated intervals": {Sample{Values: []float64{2, 3, 4}, Upper: []float64{3, 4, inf},
			Weights: []float64{60, 25, 15}, Truncated: []float64{2, 2, 2}}, -1 / math.Log(55./140)},
	} {
		for _, f := range []Family{CF1, Hyperexponential, HyperErlang, General} {
			got := best(t, c.s, Options{Families: []Family{f}, MaxPhases: 1})[1]
			// A gain of 1e-10 in the mean log-likelihood is a change of the rate by 1e-5.
			if d := math.Abs(got.Dist.Mean()/c.mean - 1); d > 3e-5 {
				t.Errorf("%s, %s: mean %.8g, want %.8g", name, f, got.Dist.Mean(), c.mean)
			}
		}
	}
}

// TestGradientOfIntervals compares derivatives with central differences on grids and exact quadratures.
func TestGradientOfIntervals(t *testing.T) {
	xs := recipe("weib07", 60)
	s := Sample{Values: xs, Upper: make([]float64, len(xs)), Truncated: make([]float64, len(xs))}
	for i, x := range xs {
		s.Upper[i] = x * (1 + float64(i%3)/2)
		s.Truncated[i] = x / 3 * float64(i%2)
	}
	p := mustProblem(t, s)
	var ll []float64
	for name, q := range map[string]*quadrature{
		"grid": p.logGrid(t.Context(), 5), "exact": p.exactQuadrature(t.Context(), p.points, 50),
	} {
		a := newProfileLikelihood(q, 4)
		y := logsOf(geometric(4, 7, 1).rates)
		checkGradient(t, name, a, y, 1e-5)
		ll = append(ll, a.Value(t.Context(), y))
	}
	if d := math.Abs(ll[0] - ll[1]); d > 1e-8 { // interpolation of order six, 32 nodes in an octave
		t.Errorf("grid %.12g, chain %.12g", ll[0], ll[1])
	}
}

// TestFunctions fits two phases to the density of two phases.
func TestFunctions(t *testing.T) {
	truth := ph([]float64{.9, .1}, -2, 0, 0, -.1)
	density, law, step := Sample{}, phasetype.NewLaw(truth), math.Ln2/64
	for u := math.Log(1e-7); u < math.Log(300); u += step { // 64 weighted values between x and 2x
		x := math.Exp(u + step/2)
		density.Values, density.Weights = append(density.Values, x), append(density.Weights, 1000*x*law.PDF(x)*step)
	}
	c := best(t, density, Options{MinPhases: 2, MaxPhases: 2})[2]
	// The range is cut off, and ascents stop at gains of 1e-10; KS is half a step of a density with 64 points per octave.
	if d := math.Abs(c.Dist.Mean()/truth.Mean() - 1); d > 1e-4 || c.KS > 4e-3 {
		t.Errorf("mean off by %g, KS %g", d, c.KS)
	}
}

// TestCellOf: the bits of a value give the same cell as its fraction and exponent, also at powers of two and for the smallest values.
func TestCellOf(t *testing.T) {
	values := []float64{math.SmallestNonzeroFloat64, 0x1p-1023, 0x1.fffffffffffffp-1023, 0x1p-1022, math.MaxFloat64}
	r := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		exponent := r.IntN(2098) - 1074
		values = append(values, math.Ldexp(1, exponent), math.Ldexp(1+r.Float64(), exponent))
	}
	for _, x := range values {
		f, e := math.Frexp(x)
		if key, place := cellOf(x); key != 2*e || place != int((2*f-1)*cellsPerOctave) {
			t.Errorf("cellOf(%g) is key %d and place %d, want %d and %g", x, key, place, 2*e, math.Floor((2*f-1)*cellsPerOctave))
		}
	}
}

// TestSketch compares a sketch that summarises its observations with the observations themselves.
func TestSketch(t *testing.T) {
	xs := recipe("lnorm12", 20_000)
	var whole Sketch
	whole.summarise()
	for i, x := range xs {
		if err := whole.Add(x, 1, i%5 == 4); err != nil {
			t.Fatal(err)
		}
	}
	raw := Sample{Values: xs, Censored: make([]bool, len(xs))}
	for i := range xs {
		raw.Censored[i] = i%5 == 4
	}
	a := best(t, raw, Options{MaxPhases: 4})[4]
	b := best(t, whole.Sample(), Options{MaxPhases: 4})[4]
	// Each scored on all of the data; the ascents stop within 1e-9 of the same maximum.
	if d := math.Abs(a.MeanLogLikelihood - b.MeanLogLikelihood); d > 1e-8 || a.Samples != b.Samples {
		t.Errorf("data %.12g of %d, sketch %.12g of %d", a.MeanLogLikelihood, a.Samples, b.MeanLogLikelihood, b.Samples)
	}
	if d := math.Abs(a.KS - b.KS); d > 1e-3 { // a cell of 1/4096 holds up to 1e-3 of the data
		t.Errorf("KS %g, of the sketch %g", a.KS, b.KS)
	}
}

// TestIncomplete: EM and L-BFGS find the same likelihood of intervals, bounds and truncated values, and no step of EM
// decreases it.
func TestIncomplete(t *testing.T) {
	xs := recipe("bimodal", 60)
	s := Sample{Values: xs, Upper: make([]float64, len(xs)), Truncated: make([]float64, len(xs))}
	for i, x := range xs {
		s.Upper[i] = x * (1 + float64(i%3)/2)
		if i%7 == 0 {
			s.Upper[i] = math.Inf(1)
		}
		s.Truncated[i] = x / 3 * float64(i%2)
	}
	for _, f := range []Family{CF1, General} {
		quick := best(t, s, Options{Families: []Family{f}, MaxPhases: 2, Method: LBFGS})[2]
		slow := best(t, s, Options{Families: []Family{f}, MaxPhases: 2, Method: EM})[2]
		// EM stops at gains of 1e-10 a step with a linear rate of perhaps .99: it is within 1e-8.
		if d := quick.MeanLogLikelihood - slow.MeanLogLikelihood; math.Abs(d) > 1e-7 || !slow.Converged {
			t.Errorf("%s: L-BFGS is %g better than EM, converged: %v", f, d, slow.Converged)
		}
	}
	p := mustProblem(t, s)
	exact := p.exactQuadrature(t.Context(), p.points, emDigits)
	c, last := geometric(3, 20, 1).dense(), math.Inf(-1)
	a := newGeneralAscent(exact, 3, true, true)
	for range 30 {
		at := a.maximise(t.Context(), c, effort{2, -1})
		if at.mean < last-1e-12 { // some hundred logarithms are summed
			t.Errorf("a step of EM decreased the likelihood from %.15g to %.15g", last, at.mean)
		}
		c, last = at.at, at.mean
	}
}

// TestFarTruncated: an interval far from the other values, truncated shortly before it, hardly changes the rate of an
// exponential, although the probability of lasting that long underflows. The expected rate maximises the likelihood
// written as a function of the rate, in logarithms.
func TestFarTruncated(t *testing.T) {
	for name, s := range map[string]Sample{
		"one value": {
			Values: []float64{1, 9000}, Upper: []float64{1, 1e5}, Truncated: []float64{0, 8995},
			Weights: []float64{400, 0.01},
		},
		"rounded": { // the probability of lasting one step is less than the size at which vectors are rescaled
			Values: []float64{0.1, 40}, Upper: []float64{0.15, 400}, Truncated: []float64{0, 38.8}, Weights: []float64{10, 1},
			Resolution: 0.1,
		},
	} {
		value := func(rate float64) float64 {
			var sum float64
			for i, x := range s.Values {
				one := math.Log(rate)
				if h := s.Upper[i] - x; h > 0 {
					one = math.Log(-math.Expm1(-rate * h))
				}
				sum += s.Weights[i] * (one - rate*(x-s.Truncated[i]))
			}
			return sum
		}
		low, high := 1e-3, 1e2 // the logarithm of the likelihood is concave
		for high-low > 1e-7 {
			a, b := low+(high-low)/3, high-(high-low)/3
			if value(a) < value(b) {
				low = a
			} else {
				high = b
			}
		}
		c := best(t, s, Options{MinPhases: 1, MaxPhases: 1})[1]
		// A gain below 1e-10 ends an ascent: a step of 1e-5 of the rate.
		if got := -c.Dist.Rate(0, 0); math.Abs(got-low) > 2e-5*low || !c.Converged {
			t.Errorf("%s: rate %.9g, want %.9g; converged: %v", name, got, low, c.Converged)
		}
	}
}
