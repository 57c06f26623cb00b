package statespace_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// TestForgottenAfter: two phases that change after one of 1/p arrivals differ by (1 − 2p)^k after k arrivals.
func TestForgottenAfter(t *testing.T) {
	for _, v := range []struct {
		name   string
		d0, d1 []float64
		want   float64
	}{
		{"renewal", []float64{-2, 0, 0, -3}, []float64{1, 1, 1.5, 1.5}, 1},
		{"one of a hundred arrivals", []float64{-1, 0, 0, -1}, []float64{0.99, 0.01, 0.01, 0.99}, 64},
		{"one of a million arrivals", []float64{-1, 0, 0, -1}, []float64{1 - 1e-6, 1e-6, 1e-6, 1 - 1e-6}, 1 << 19},
		{"slow modulation", []float64{-1 - 1e-3, 1e-3, 1e-3, -1 - 1e-3}, []float64{1, 0, 0, 1}, 512},
		{"alternating, never forgotten", []float64{-1, 0, 0, -2}, []float64{0, 1, 2, 0}, 1 << 30},
	} {
		ar, err := statespace.NewArrivals(t.Context(), mat.NewDense(2, 2, v.d0), mat.NewDense(2, 2, v.d1))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ar.ForgottenAfter(t.Context()); err != nil || got != v.want {
			t.Errorf("%s: forgotten after %v arrivals, %v; want %v", v.name, got, err, v.want)
		}
	}
}
