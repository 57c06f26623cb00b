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
func TestWindowOfKnownTransforms(t *testing.T) {
	for name, f := range map[string]struct {
		transform func(s complex128) complex128
		want      func(t float64) float64
	}{
		"exponential": {func(s complex128) complex128 { return 1 / (s + 1) }, func(t float64) float64 { return math.Exp(-t) }},
		"hyperexponential": {
			func(s complex128) complex128 { return 0.9/(s+30) + 0.09/(s+1) + 0.01/(s+0.03) },
			func(t float64) float64 {
				return 0.9*math.Exp(-30*t) + 0.09*math.Exp(-t) + 0.01*math.Exp(-0.03*t)
			},
		},
		"erlang": {
			func(s complex128) complex128 { return (1 - cmplx.Pow(4/(s+4), 4)) / s },
			func(t float64) float64 {
				x := 4 * t
				return math.Exp(-x) * (1 + x + x*x/2 + x*x*x/6)
			},
		},
	} {
		for _, length := range []float64{0.5, 2, 20} {
			w, err := markov.NewWindowTransform(t.Context(), length, func(_ context.Context, s complex128) (complex128, error) {
				return f.transform(s), nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, share := range []float64{0.1, 0.2, 0.5, 1} {
				got, off := w.At(share * length)
				want := f.want(share * length)
				if !(math.Abs(got-want) <= off) || off > 1e-6 {
					t.Errorf("%s: P(T > %g) = %.12g up to %.1g, want %.12g", name, share*length, got, off, want)
				}
			}
		}
	}
}

func TestNewWindowRefuses(t *testing.T) {
	for _, length := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := markov.NewWindowTransform(t.Context(), length, nil); err == nil {
			t.Errorf("a window of length %v was made", length)
		}
	}
}
