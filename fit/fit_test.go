package fit

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/testdata/phtest"
)

func best(t rapid.TB, s Sample, o Options) map[int]Candidate {
	t.Helper()
	all, err := PhaseType(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	byOrder := map[int]Candidate{}
	for _, c := range all {
		byOrder[c.Phases] = c
	}
	return byOrder
}

// directly returns the log-likelihood by the definition, value by value.
func directly(s Sample, d phasetype.Dist) float64 {
	var sum float64
	for i, x := range s.Values {
		w := 1.0
		if s.Weights != nil {
			w = s.Weights[i]
		}
		r := s.Resolution / 2
		switch {
		case s.Censored != nil && s.Censored[i]:
			sum += w * math.Log(d.Survival(x))
		case r > 0:
			sum += w * math.Log(d.Survival(math.Max(0, x-r))-d.Survival(x+r))
		case x > 0:
			sum += w * d.LogProb(x)
		}
	}
	return sum
}

// TestScore compares the reported likelihood with the sum over the values.
func TestScore(t *testing.T) {
	for name, s := range kinds() {
		for _, family := range Families() {
			for m, c := range best(t, s, Options{Families: []Family{family}, MaxPhases: 2, MaxIter: 50}) {
				want := directly(s, c.Dist)
				// Differences of survival functions of rounded data lose four digits; 200 values.
				tolerance := 1e-10 * math.Abs(want)
				if math.Abs(c.LogLikelihood-want) > tolerance {
					t.Errorf("%s, %s with %d phases: %.12g, directly %.12g", name, family, m, c.LogLikelihood, want)
				}
			}
		}
	}
}

// TestExponential has closed answers: the rate is the number of observed values over the total time, also with lower
// bounds and weights.
func TestExponential(t *testing.T) {
	s := Sample{Values: []float64{1, 2, 3, 10}, Weights: []float64{1, 2, 1, 3},
		Censored: []bool{false, false, true, false}}
	want := (1 + 2 + 3) / (1 + 2*2 + 3 + 3*10.)
	for _, f := range Families() {
		c := best(t, s, Options{Families: []Family{f}, MaxPhases: 1})[1]
		// The likelihood is flat to 1e-10 within 1e-5 of its maximum.
		if got := c.Dist.Exit()[0]; math.Abs(got-want) > 1e-4*want {
			t.Errorf("%s: rate %.10g, want %.10g", f, got, want)
		}
		if want := 6*math.Log(want) - want*(1+2*2+3+3*10); math.Abs(c.LogLikelihood-want) > 1e-8 {
			t.Errorf("%s: log-likelihood %.10g, want %.10g", f, c.LogLikelihood, want)
		}
	}
}

// TestZeros: dropped and counted without a resolution, used with one.
func TestZeros(t *testing.T) {
	s := Sample{Values: []float64{0, 0, 1, 2, 3}}
	c := best(t, s, Options{MaxPhases: 1})[1]
	if w := errors.Join(c.Warnings...); len(c.Warnings) != 2 || !errors.Is(w, ErrFewValues) || !errors.Is(w, ErrZeros) {
		t.Errorf("warnings: %v", c.Warnings)
	}
	if c.Zeros != 2 || c.Samples != 3 || c.Likelihood != "density" {
		t.Errorf("%+v", c)
	}
	s.Resolution = 1
	c = best(t, s, Options{MaxPhases: 1})[1]
	if len(c.Warnings) != 1 || !errors.Is(c.Warnings[0], ErrFewValues) {
		t.Errorf("warnings: %v", c.Warnings)
	}
	if c.Zeros != 0 || c.Samples != 5 || c.Likelihood != "interval" {
		t.Errorf("%+v", c)
	}
	// With q = exp(−λ), P(0) = 1−√q and P(k) = q^(k−1/2)·(1−q): the maximum over q by bisection of the derivative.
	score := func(q float64) float64 {
		return 2*math.Log(1-math.Sqrt(q)) + 3*math.Log(1-q) + (0.5+1.5+2.5)*math.Log(q)
	}
	lo, hi := 0.01, 0.99
	for range 200 {
		a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
		if score(a) < score(b) {
			lo = a
		} else {
			hi = b
		}
	}
	if want := score(lo); math.Abs(c.LogLikelihood-want) > 1e-8 {
		t.Errorf("log-likelihood %.12g, want %.12g", c.LogLikelihood, want)
	}
}

func ph(alpha []float64, t ...float64) phasetype.Dist {
	return phasetype.Must(phasetype.New(alpha, mat.NewDense(len(alpha), len(alpha), t)))
}

// TestRecovery fits quantiles of known distributions; the fit must be at least as likely as the truth and have its
// moments.
func TestRecovery(t *testing.T) {
	truths := map[string]phasetype.Dist{
		"chain of three":         ph([]float64{.2, .3, .5}, -1, 1, 0, 0, -4, 4, 0, 0, -9),
		"two exponentials":       ph([]float64{.9, .1}, -2, 0, 0, -.1),
		"a loop in milliseconds": ph([]float64{1, 0, 0}, -2e3, 2e3, 0, 0, -1e3, .9e3, .5e3, 0, -3e3),
	}
	const n = 4000
	for name, truth := range truths {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = truth.Quantile((float64(i) + 0.5) / n)
		}
		s := Sample{Values: xs}
		m := truth.Phases()
		c := best(t, s, Options{Families: []Family{General}, MinPhases: m, MaxPhases: m})[m]
		if want := directly(s, truth); c.LogLikelihood < want-1e-6*n {
			t.Errorf("%s: log-likelihood %.8g, the truth has %.8g", name, c.LogLikelihood, want)
		}
		// Quantiles at n points have the mean of the truth to about 1/n.
		if got, want := c.Dist.Mean(), truth.Mean(); math.Abs(got-want) > 3e-3*want {
			t.Errorf("%s: mean %g, truth %g", name, got, want)
		}
		if c.KS > 2e-3 { // half a step of 1/n, and what a likelihood within 1e-6 leaves open
			t.Errorf("%s: KS %g", name, c.KS)
		}
	}
}

// TestNested: more phases are never less likely, whatever the data and the family.
func TestNested(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := drawSample(r)
		family := rapid.SampledFrom(Families()).Draw(r, "family")
		last := math.Inf(-1)
		all := best(r, s, Options{Families: []Family{family}, MaxPhases: 3, MaxIter: 40})
		for m := 1; m <= 3; m++ {
			c := all[m]
			// Scoring is exact to rounding: 1e-9 of a mean log-likelihood.
			if !(c.MeanLogLikelihood >= last-1e-9) {
				r.Errorf("%s: %d phases %.12g, one less %.12g", family, m, c.MeanLogLikelihood, last)
			}
			last = c.MeanLogLikelihood
			if !(c.KS >= 0 && c.KS <= 1) {
				r.Errorf("KS %g", c.KS)
			}
		}
	})
}

// TestNestedGeneral: in 40 steps no ascent with three phases is as good as the fit with two phases, which is better than
// canonical form 1 with three. The fit with three phases is then the fit with two, written with one more phase.
func TestNestedGeneral(t *testing.T) {
	x := []float64{0.0962, 0.191, 0.00141}
	s := Sample{
		Values: x, Upper: []float64{x[0], x[1], 1.5 * x[2]}, Truncated: []float64{0.9 * x[0], 0.9 * x[1], 0.9 * x[2]},
		Weights: []float64{8, 4, 9}, Resolution: 1,
	}
	all := best(t, s, Options{Families: []Family{General}, MaxPhases: 3, MaxIter: 40})
	two, three := all[2].MeanLogLikelihood, all[3].MeanLogLikelihood
	if !(three >= two-1e-9) {
		t.Errorf("2 phases %.12g, 3 phases %.12g", two, three)
	}
	if three > two+1e-9 {
		t.Errorf("2 phases %.12g, an ascent with 3 phases %.12g: no example", two, three)
	}
	acyclic := best(t, s, Options{Families: []Family{CF1}, MaxPhases: 3, MaxIter: 40})
	if three := acyclic[3].MeanLogLikelihood; two <= three {
		t.Errorf("2 phases of any structure %.12g, 3 in a chain %.12g: no example", two, three)
	}
}

// TestWidened: another phase before the fastest changes nothing.
func TestWidened(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := phtest.Dist(t, 3)
		if d.Atom() > 0 {
			t.Skip("no fit has an atom")
		}
		m := d.Phases()
		at := newDense(m)
		copy(at.alpha, d.Alpha())
		copy(at.exit, d.Exit())
		for i := range m {
			for j := range m {
				at.jump[i*m+j] = d.Rate(i, j)
			}
		}
		w, err := at.withExtraPhase().dist(1)
		if err != nil {
			t.Fatal(err)
		}
		if w.Phases() != m+1 {
			t.Fatalf("%d phases", w.Phases())
		}
		if err := phtest.CheckSame(d, w, 1e-12); err != nil { // rates over 3 decades, 6 phases: an ulp of the largest times 6·1e3
			t.Fatal(err)
		}
	})
}

// drawSample returns a random sample of any kind.
func drawSample(r *rapid.T) Sample {
	n := rapid.IntRange(1, 30).Draw(r, "n")
	incomplete, decades, coarsest := rapid.Bool().Draw(r, "incomplete"), 1e6, 1e4
	if incomplete { // the probability of a short interval near 0 is a difference of numbers near one
		decades, coarsest = 1e3, 1
	}
	s := Sample{
		Values:     rapid.SliceOfN(rapid.Float64Range(1/decades, decades), n, n).Draw(r, "values"),
		Resolution: rapid.SampledFrom([]float64{0, 0, 0.5, coarsest}).Draw(r, "resolution"),
	}
	if rapid.Bool().Draw(r, "weighted") {
		s.Weights = rapid.SliceOfN(rapid.Float64Range(0.1, 10), n, n).Draw(r, "weights")
	}
	if rapid.Bool().Draw(r, "censored") {
		s.Censored = rapid.SliceOfN(rapid.Bool(), n, n).Draw(r, "flags")
		s.Censored[0] = false
	}
	if incomplete {
		s.Upper = append([]float64(nil), s.Values...)
		s.Truncated = make([]float64, n)
		for i, x := range s.Values {
			if s.Censored == nil || !s.Censored[i] {
				s.Upper[i] *= rapid.SampledFrom([]float64{1, 1.5, 10}).Draw(r, "width")
			}
			s.Truncated[i] = x * rapid.SampledFrom([]float64{0, 0.1, 0.9}).Draw(r, "from")
		}
	}
	return s
}

// TestOutlier: a value half a million times the mean is unlikely but not impossible.
func TestOutlier(t *testing.T) {
	s := Sample{Values: []float64{1, 1e6}, Weights: []float64{1e6, 1}}
	// Rounded to one in three, of a mean of 1 and an outlier 9000 times that.
	rounded := Sample{Values: []float64{0, 1, 9000}, Weights: []float64{3e3, 1e4, 1}, Resolution: 1. / 3}
	for _, f := range Families() {
		for m, c := range best(t, rounded, Options{Families: []Family{f}, MaxPhases: 2}) {
			rate, r := 1/c.Dist.Mean(), rounded.Resolution
			want := 3e3*math.Log(-math.Expm1(-rate*r/2)) + 1e4*(-rate*(1-r/2)+math.Log(-math.Expm1(-rate*r))) -
				rate*(9000-r/2) + math.Log(-math.Expm1(-rate*r))
			if m == 1 && math.Abs(c.LogLikelihood-want) > 1e-6 { // 1e-10 of it
				t.Errorf("%s: log-likelihood %.12g, by hand %.12g", f, c.LogLikelihood, want)
			}
		}
		for m, c := range best(t, s, Options{Families: []Family{f}, MaxPhases: 3}) {
			if m == 1 && math.Abs(c.LogLikelihood+(1e6+1)*(1+math.Log(c.Dist.Mean()))) > 1e-3 { // 1e-9 of it
				t.Errorf("%s: log-likelihood %.12g", f, c.LogLikelihood)
			}
		}
	}
}

// TestMonotoneEM: no step of EM decreases the likelihood, in any of its three forms.
func TestMonotoneEM(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := mustProblem(t, drawSample(r))
		m := rapid.IntRange(1, 4).Draw(r, "m")
		exact := p.exactQuadrature(t.Context(), p.points, emDigits)
		a, g := newGeneralAscent(exact, m, true, true), newGeneralAscent(exact, m, true, false)
		c := geometric(m, 50, 1).perturbed(0.1).dense()
		e := p.erlangMixtures(p.bins(t.Context(), 16))
		shapes := make([]int, m)
		for b := range shapes {
			shapes[b] = 1 + b%2
		}
		mix := e.quantileStart(shapes)
		open := c.withAllTransitions()
		last := [3]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
		for range 12 {
			// A step of EM at a time: two evaluations of which the second is the likelihood after the first.
			at := a.maximise(t.Context(), c, effort{2, -1})
			c = at.at
			dense := g.maximise(t.Context(), open, effort{2, -1})
			open = dense.at
			now := [3]float64{at.mean, dense.mean, e.step(t.Context(), mix)}
			for i, v := range now {
				if v < last[i]-1e-9*(1+math.Abs(last[i])) { // differences of incomplete gamma functions lose digits
					r.Errorf("form %d decreased from %.14g to %.14g", i, last[i], v)
				}
			}
			last = now
		}
	})
}

// TestMethods: EM and L-BFGS find the same likelihood where EM converges.
func TestMethods(t *testing.T) {
	s := Sample{Values: recipe("bimodal", 300)}
	for _, f := range []Family{CF1, General} {
		quick := best(t, s, Options{Families: []Family{f}, MaxPhases: 2, Method: LBFGS})[2]
		slow := best(t, s, Options{Families: []Family{f}, MaxPhases: 2, Method: EM})[2]
		// EM stops at gains of 1e-10 a step with a linear rate of perhaps .99: it is within 1e-8.
		if d := quick.MeanLogLikelihood - slow.MeanLogLikelihood; math.Abs(d) > 1e-7 || !slow.Converged {
			t.Errorf("%s: L-BFGS is %g better than EM, converged: %v", f, d, slow.Converged)
		}
	}
}

// TestNotConverged: an ascent that is cut off has a warning.
func TestNotConverged(t *testing.T) {
	for _, method := range []Method{LBFGS, EM} {
		c := best(t, Sample{Values: recipe("lnorm12", 100)}, Options{MaxPhases: 4, Method: method, MaxIter: 3})[4]
		if c.Converged || len(c.Warnings) != 1 || !errors.Is(c.Warnings[0], ErrNoConvergence) {
			t.Errorf("%s: converged %v, warnings %v", method, c.Converged, c.Warnings)
		}
	}
}

// TestCoxian: the Coxian fit is the canonical one in another representation.
func TestCoxian(t *testing.T) {
	s := Sample{Values: recipe("loguni", 300)}
	all, err := PhaseType(t.Context(), s, Options{Families: []Family{CF1, Coxian}, MaxPhases: 4})
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(all); i += 2 {
		a, b := all[i], all[i+1]
		// Both are scored on the data; they differ by rounding.
		if a.Phases != b.Phases || math.Abs(a.MeanLogLikelihood-b.MeanLogLikelihood) > 1e-12 {
			t.Errorf("%s %d: %.15g, %s %d: %.15g",
				a.Family, a.Phases, a.MeanLogLikelihood, b.Family, b.Phases, b.MeanLogLikelihood)
		}
	}
}

// TestDeterministic: the number of workers changes nothing.
func TestDeterministic(t *testing.T) {
	needs.Concurrency(t)
	s := Sample{Values: recipe("weib07", 200)}
	strip := func(workers int) []Candidate {
		all, err := PhaseType(t.Context(), s, Options{Families: Families(), MaxPhases: 3, Workers: workers, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		for i := range all {
			all[i].Seconds = 0
		}
		return all
	}
	same := cmp.Comparer(func(a, b phasetype.Dist) bool {
		return cmp.Equal(a.Alpha(), b.Alpha()) && mat.Equal(a.T(), b.T())
	})
	if diff := cmp.Diff(strip(1), strip(5), same); diff != "" {
		t.Error(diff)
	}
}

func TestRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, s := range map[string]Sample{
		"nothing": {}, "NaN": {Values: []float64{1, nan}}, "infinite": {Values: []float64{inf}},
		"negative": {Values: []float64{-1}}, "zeros": {Values: []float64{0, 0}},
		"rounded zeros": {Values: []float64{0, 0}, Resolution: 1},
		"weights":       {Values: []float64{1}, Weights: []float64{1, 2}},
		"weight":        {Values: []float64{1}, Weights: []float64{-1}},
		"uncounted":     {Values: []float64{1, 2}, Weights: []float64{1, 1e300}},
		"no weight":     {Values: []float64{1}, Weights: []float64{0}}, "flags": {Values: []float64{1}, Censored: []bool{}},
		"all censored": {Values: []float64{1}, Censored: []bool{true}},
		"resolution":   {Values: []float64{1}, Resolution: nan},
		"range":        {Values: []float64{1e-300, 1e300}}, "tiny": {Values: []float64{1e-300}},
		"overflow": {Values: []float64{1e308, 1e308, 1e308}, Weights: []float64{1e308, 1e308, 1e308}},
	} {
		var e *SampleError
		if _, err := PhaseType(t.Context(), s, Options{}); !errors.As(err, &e) {
			t.Errorf("%s: got %v, want a SampleError", name, err)
		}
	}
	for name, o := range map[string]Options{
		"family": {Families: []Family{"weibull"}}, "order": {MinPhases: 3, MaxPhases: 2}, "negative": {MinPhases: -1},
		"large": {MaxPhases: MaxPhases + 1}, "criterion": {Criterion: "best"}, "method": {Method: "newton"},
		"iterations": {MaxIter: -1}, "workers": {Workers: -1}, "tolerance": {Tolerance: nan},
	} {
		var e *OptionError
		if _, err := PhaseType(t.Context(), Sample{Values: []float64{1, 2}}, o); !errors.As(err, &e) {
			t.Errorf("%s: got %v, want an OptionError", name, err)
		}
	}
}

// TestFewValuesWarn: fewer than ten observations, of which weights may count several, have a warning. Equal values have their own.
func TestFewValuesWarn(t *testing.T) {
	nine := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	for _, c := range []struct {
		s      Sample
		few    bool
		reason string
	}{
		{Sample{Values: nine}, true, "nine values"},
		{Sample{Values: append(nine, 10)}, false, "ten values"},
		{Sample{Values: []float64{1, 2}, Weights: []float64{5, 5}}, false, "weights that count ten observations"},
		{Sample{Values: nine[:3], Weights: []float64{1, 3, 5}}, true, "weights that count nine observations"},
		{Sample{Values: []float64{5, 5, 5}}, false, "equal values"},
	} {
		all, err := PhaseType(t.Context(), c.s, Options{MaxPhases: 1})
		if err != nil {
			t.Fatalf("%s: %v", c.reason, err)
		}
		if got := slices.ContainsFunc(all[0].Warnings, func(w error) bool { return errors.Is(w, ErrFewValues) }); got != c.few {
			t.Errorf("%s: warning %v, want %v: %v", c.reason, got, c.few, all[0].Warnings)
		}
	}
}

// TestFew: one value, two values and equal values can be fitted.
func TestFew(t *testing.T) {
	for _, xs := range [][]float64{{3}, {1e-70}, {1e70}, {1, 2}, {5, 5, 5, 5}} {
		for _, r := range []float64{0, xs[0]} {
			for _, f := range Families() {
				for m, c := range best(t, Sample{Values: xs, Resolution: r}, Options{Families: []Family{f}, MaxPhases: 3}) {
					if math.IsNaN(c.LogLikelihood) || !(c.Dist.Mean() > 0) {
						t.Errorf("%v, resolution %g, %s with %d phases: %g, mean %g", xs, r, f, m, c.LogLikelihood, c.Dist.Mean())
					}
				}
			}
		}
	}
}
