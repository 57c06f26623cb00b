package block

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// The inverse against solves with the factorisation, which holds for any order and for rates over many decades; both
// subtract nothing, so that every entry agrees to some roundings for each of the n states that are censored.
func TestInverseOfCensoredStates(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 11, 12, 13, 24, 25, 47, 90, 131} {
		p, exit := New(n, n), make([]float64, n)
		for i := range p.Data {
			if rng.Float64() < 0.7 {
				p.Data[i] = math.Pow(10, -12*rng.Float64())
			}
		}
		for i := range exit {
			exit[i] = math.Pow(10, -12*rng.Float64())
		}
		f, err := FactorGTH(context.Background(), p.Clone(), append([]float64(nil), exit...))
		if err != nil {
			t.Fatal(err)
		}
		want := Identity(n)
		f.Solve(context.Background(), want)
		if err := InvertGTH(context.Background(), p, exit); err != nil {
			t.Fatal(err)
		}
		for i, v := range p.Data {
			if !(math.Abs(v-want.Data[i]) <= 1e-14*float64(n)*want.Data[i]) {
				t.Fatalf("order %d, entry %d: %g, want %g", n, i, v, want.Data[i])
			}
		}
	}
	if err := InvertGTH(context.Background(), New(3, 3), make([]float64, 3)); err == nil {
		t.Error("a set that is never left has an inverse")
	}
}

// TestInvertGTHEnds: the error of a context that has ended takes the place of an incomplete inverse, of any order.
func TestInvertGTHEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, n := range []int{1, 2, 3, 200} {
		p, exit := New(n, n), Ones(n)
		for i := range n {
			p.Row(i)[(i+1)%n] = 1
		}
		if err := InvertGTH(ctx, p, exit); !errors.Is(err, context.Canceled) {
			t.Errorf("order %d: %v", n, err)
		}
	}
}
