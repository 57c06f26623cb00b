package fit

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestMixtureGradient holds the derivatives to differences of the likelihood, whatever is censored, truncated or rounded.
func TestMixtureGradient(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := mustProblem(t, drawSample(r))
		e := p.erlangMixtures(p.bins(t.Context(), 16))
		e.narrow = 0 // at which the likelihood jumps a little as a rate passes it
		o := newMixtureObjective(&e, []int{1, 2, 1})
		start := e.quantileStart([]int{1, 2, 1})
		y := logsOf(start.weights, start.rates)
		for i := range y {
			y[i] += rapid.Float64Range(-.3, .3).Draw(r, "moved by")
		}
		f := o.Value(t.Context(), y)
		grad := append([]float64(nil), o.Gradient(t.Context())...)
		for i := range y {
			const h = 1e-5
			at := y[i]
			y[i] = at + h
			above := o.Value(t.Context(), y)
			y[i] = at - h
			below := o.Value(t.Context(), y)
			y[i] = at
			// Of a likelihood with 9 digits, after the differences of incomplete gamma functions, the quotient has an error of
			// 1e-4 of it; cubes of h come to less.
			if d := (above - below) / (2 * h); math.Abs(d-grad[i]) > 1e-4*(1+math.Abs(f)) {
				r.Errorf("derivative %d is %v, by differences %v", i, grad[i], d)
			}
		}
	})
}

// TestAscentsOfMixturesReachEM: what L-BFGS reaches from a start is no worse than what 5000 steps of EM reach from it.
// Different maxima are possible, but do not occur here.
func TestAscentsOfMixturesReachEM(t *testing.T) {
	for _, name := range []string{"weib07", "lnorm12", "loguni", "bimodal", "det"} {
		p := mustProblem(t, Sample{Values: recipe(name, 1000)})
		e := p.erlangMixtures(p.bins(t.Context(), 16))
		for _, shapes := range [][]int{{1}, {1, 1, 1}, {2, 1, 1}, {3, 2}} {
			start := e.quantileStart(shapes)
			em := e.runEM(t.Context(), start, effort{5000, 1e-10})
			got := e.ascend(t.Context(), start, effort{1000, 1e-10})
			if got.mean < em.mean-1e-8 || !got.converged {
				t.Errorf("%s %v: %.12g after %d evaluations (converged: %v), by EM %.12g after %d", name, shapes,
					got.mean, got.steps, got.converged, em.mean, em.steps)
			}
		}
	}
}
