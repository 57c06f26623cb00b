package block

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"
)

// A sum is the same to the last digit wherever the numbers lie.
func TestSumDoesNotDependOnAddresses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 50 {
		room := make([]float64, n+4)
		x := make([]float64, n)
		for i := range x {
			x[i] = r.ExpFloat64()
		}
		want := Sum(x)
		if !scalar.EqualWithinRel(want, floats.Sum(x), 1e-15*float64(n+1)) {
			t.Errorf("%d numbers: %v, want %v", n, want, floats.Sum(x))
		}
		for shift := range 4 {
			if got := Sum(room[shift : shift+copy(room[shift:], x)]); got != want {
				t.Errorf("%d numbers, %d further: %v, want %v", n, shift, got, want)
			}
		}
	}
}

// TestLargestChange: the change of an entry is relative to its new value, and an entry that is not a number never
// settles.
func TestLargestChange(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		from, to []float64
		want     float64
	}{
		{[]float64{1, 2, 0}, []float64{1, 2, 0}, 0},
		{[]float64{1, 3, 0}, []float64{1, 2, 0}, 0.5},
		{[]float64{3, 3, 0}, []float64{2, 1, 0}, 2},
		{[]float64{1, 2, 1}, []float64{1, 2, 0}, inf},
		{[]float64{1, 0, 3}, []float64{0, 0, 2}, inf},
		{[]float64{nan, 2, 0}, []float64{nan, 2, 0}, nan},
		{[]float64{1, 2, 0}, []float64{1, nan, 0}, nan},
		{[]float64{1, 2, 0}, []float64{0, nan, 0}, nan},
	} {
		if got := LargestChange(c.from, c.to); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("change from %v to %v is %v, want %v", c.from, c.to, got, c.want)
		}
	}
}
