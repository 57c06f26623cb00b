package block

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestGaussJordan holds elimination in place, by few columns at a time and by many, in blocks that lie across two classes
// too, against the elimination of I − D: entries are sums of nonnegative terms in either, which agree to their roundings.
func TestGaussJordan(t *testing.T) {
	for _, size := range []struct{ groups, classes, k int }{
		{1, 1, 5}, {2, 1, 30}, {3, 2, 17}, {4, 1, 50}, {4, 2, 31}, {5, 3, 9}, {2, 2, 355},
	} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			n, r, k := size.groups, size.classes, size.k
			draw := rand.New(rand.NewPCG(1, uint64(k)))
			weights, up := New(r, n), make([]float64, r*k)
			for i := range weights.Data {
				weights.Data[i] = draw.Float64() / float64(n)
			}
			stack := NewStack(r*k, PaddedSize(n*k, r*k))
			defer stack.Release()
			v := stack.Next(n*k, r*k)
			x, d := New(n*k, r*k), New(r*k, r*k)
			for i := range x.Data {
				x.Data[i] = draw.Float64() / float64(r*k)
			}
			for q := range r {
				for i := range k {
					up[q*k+i] = draw.Float64()
					for a := range n {
						for j, p := range x.Row(a*k + i) {
							d.Row(q*k + i)[j] += weights.At(q, a) * p
						}
					}
				}
			}
			for i := range n * k {
				clear(v.Row(i)[copy(v.Row(i), x.Row(i)):])
			}
			c := Combinations{Start: []int32{0}} // weights⊗I
			for row := range r * k {
				for a := range n {
					c.Rows, c.Weights = append(c.Rows, int32(a*k+row%k)), append(c.Weights, weights.At(row/k, a))
				}
				c.Start = append(c.Start, int32(len(c.Rows)))
			}
			g := NewGaussJordan(n*k, r*k)
			defer g.Release()
			if err := g.Eliminate(context.Background(), v, c, up); err != nil {
				t.Fatal(err)
			}
			loop, err := FactorGTH(context.Background(), d, append([]float64(nil), up...))
			if err != nil {
				t.Fatal(err)
			}
			loop.SolveLeftRows(context.Background(), x)
			tol := float64(8*r*k) * UnitRoundoff
			for i := range n * k {
				for j, p := range x.Row(i) {
					want, got := p, v.Row(i)[j]
					if !(got-want <= tol*want && want-got <= tol*want) {
						t.Fatalf("entry %d, %d: %v, by factors %v", i, j, got, want)
					}
				}
			}
		})
	}
}
