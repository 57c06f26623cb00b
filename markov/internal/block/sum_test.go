package block

import (
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
