package phasetype_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/phasetype"
)

// TestErlangTails: the density and the survival function of Erlang distributions of many phases, far above the mean.
// The density is written by hand. The survival function is bounded on both sides by the density: f/rate ≤ P(X > x) ≤
// f/(rate − (k−1)/x).
func TestErlangTails(t *testing.T) {
	for _, k := range []int{5, 50, 100, 200, 1000} {
		for _, mean := range []float64{1, 0.123, 1e9} {
			d := phasetype.Must(phasetype.Erlang(k, mean))
			law, rate := phasetype.NewLaw(d), d.Exit()[k-1]
			lg, _ := math.Lgamma(float64(k))
			for _, times := range []float64{20, 30, 60, 100, 1e3, 1e6, 1e12} {
				x := times * mean
				density := math.Log(rate) + float64(k-1)*math.Log(rate*x) - lg - rate*x
				tolerance := 1e-12 * math.Abs(density)
				if got := law.LogProb(x); !(math.Abs(got-density) <= tolerance) {
					t.Errorf("%d phases at %g means: log density %.15g, want %.15g", k, times, got, density)
				}
				least, most := density-math.Log(rate), density-math.Log(rate-float64(k-1)/x)
				if got := law.LogSurvival(x); !(got >= least-tolerance && got <= most+tolerance) {
					t.Errorf("%d phases at %g means: log survival %.15g, not in [%.15g, %.15g]", k, times, got, least, most)
				}
			}
		}
	}
}
