package optimum

import (
	"context"
	"math"
	"testing"
)

// valley is Σ_i curvature_i·(y_i − 1)²/2.
type valley struct {
	curvature, grad []float64
	reached         []float64 // the point of the first step
	calls           int
}

func (v *valley) Value(_ context.Context, y []float64) (f float64) {
	v.calls++
	if v.calls == 2 {
		v.reached = append(v.reached, y...)
	}
	for i, c := range v.curvature {
		v.grad[i] = c * (y[i] - 1)
		f += v.grad[i] * (y[i] - 1) / 2
	}
	return f
}

func (v *valley) Gradient(context.Context) []float64 { return v.grad }

// TestScaledDescent: with scales from the second derivatives, a descent reaches the minimum of a quadratic function in
// its first step, and with other scales in the steps that L-BFGS needs.
func TestScaledDescent(t *testing.T) {
	curvature := []float64{1e4, 1, 1e-4}
	exact := []float64{1e-2, 1, 1e2}
	for name, scale := range map[string][]float64{"exact": exact, "rough": {3e-2, .5, 30}} {
		v := &valley{curvature: curvature, grad: make([]float64, 3)}
		d := NewScaledDescent([]float64{.999, .9, .5}, scale)
		d.Run(t.Context(), v, 200, 1e-14, 3)
		for i, y := range d.Y {
			if math.Abs(y-1) > 1e-5 {
				t.Errorf("%s: variable %d is %g after %d evaluations", name, i, y, d.Evals)
			}
		}
		if name == "exact" && math.Abs(v.reached[0]-1)+math.Abs(v.reached[1]-1)+math.Abs(v.reached[2]-1) > 1e-12 {
			t.Errorf("the first step led to %v", v.reached)
		}
	}
}
