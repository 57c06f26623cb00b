package inversion_test

import (
	"context"
	"math"
	"math/cmplx"
	"testing"

	"github.com/partwise/partwise/markov/internal/inversion"
)

// TestWindowOfKnownTransforms: the survival functions of an exponential and of an Erlang time are within the error that the window
// states, and that error is small, from a tenth of the window on.
func TestWindowOfKnownTransforms(t *testing.T) {
	for name, c := range map[string]struct {
		transform func(s complex128) complex128
		want      func(x float64) float64
	}{
		"exponential": {func(s complex128) complex128 { return 1 / (s + 1) }, func(x float64) float64 { return math.Exp(-x) }},
		"Erlang": {func(s complex128) complex128 { return (1 - cmplx.Pow(2/(s+2), 2)) / s }, func(x float64) float64 {
			return math.Exp(-2*x) * (1 + 2*x)
		}},
	} {
		const length = 3
		w, err := inversion.NewWindow(t.Context(), length, func(_ context.Context, s complex128) (complex128, error) { return c.transform(s), nil })
		if err != nil {
			t.Fatal(err)
		}
		if w.Length() != length {
			t.Errorf("%s: length %g", name, w.Length())
		}
		for x := length / 10.; x <= length; x += length / 10. {
			got, off := w.At(x)
			if math.Abs(got-c.want(x)) > off || off > 1e-6 {
				t.Errorf("%s at %g: %.12g ± %.2g, want %.12g", name, x, got, off, c.want(x))
			}
		}
	}
}

// TestWindowRefuses: a window needs a transform, and a length that is positive and finite.
func TestWindowRefuses(t *testing.T) {
	one := func(context.Context, complex128) (complex128, error) { return 1, nil }
	if _, err := inversion.NewWindow(t.Context(), 1, nil); err == nil {
		t.Error("a window without a transform was made")
	}
	for _, length := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := inversion.NewWindow(t.Context(), length, one); err == nil {
			t.Errorf("a window of length %v was made", length)
		}
	}
}
