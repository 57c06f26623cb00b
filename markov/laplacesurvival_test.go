package markov_test

import (
	"context"
	"math"
	"math/cmplx"
	"testing"

	"github.com/partwise/partwise/markov"
)

// Survival functions with known transforms: exponential, hyperexponential over three decades of rates, Erlang, and a mixture with
// a step in its density.
func TestSurvivalOfKnownTransforms(t *testing.T) {
	for name, f := range map[string]struct {
		mean      float64
		transform func(s complex128) complex128
		want      func(t float64) float64
	}{
		"exponential": {1, func(s complex128) complex128 { return 1 / (s + 1) }, func(t float64) float64 { return math.Exp(-t) }},
		"hyperexponential": {
			0.9/30 + 0.09 + 0.01/0.03,
			func(s complex128) complex128 { return 0.9/(s+30) + 0.09/(s+1) + 0.01/(s+0.03) },
			func(t float64) float64 {
				return 0.9*math.Exp(-30*t) + 0.09*math.Exp(-t) + 0.01*math.Exp(-0.03*t)
			},
		},
		"erlang": {
			1,
			func(s complex128) complex128 { return (1 - cmplx.Pow(4/(s+4), 4)) / s },
			func(t float64) float64 {
				x := 4 * t
				return math.Exp(-x) * (1 + x + x*x/2 + x*x*x/6)
			},
		},
	} {
		survival, err := markov.NewSurvivalTransform(t.Context(), f.mean, 0, func(_ context.Context, s complex128) (complex128, error) {
			return f.transform(s), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		certain := 0
		for _, x := range []float64{0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.4, 2, 4, 10, 20} {
			low, high := survival.At(x)
			inside := low > 0 && high < 1 // of the windows
			if want := f.want(x); !(low <= want && want <= high) || inside && high-low > 2e-6 {
				t.Errorf("%s: P(T > %g) is from %.12g to %.12g, want %.12g", name, x, low, high, want)
			}
			if inside {
				certain++
			}
		}
		if certain < 5 {
			t.Errorf("%s: %d times are inside the windows", name, certain)
		}
	}
}

func TestSurvivalTransformRefuses(t *testing.T) {
	for _, mean := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := markov.NewSurvivalTransform(t.Context(), mean, 0, nil); err == nil {
			t.Errorf("a time of mean %v was made", mean)
		}
	}
}
