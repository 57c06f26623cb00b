package products_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/partwise/partwise/fit/internal/products"
)

// TestProducts compares the products with sums over all entries, for full and for triangular matrices.
func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 9 {
		for _, s := range []products.Shape{{N: n}, {N: n, Triangular: true}} {
			draw := func() []float64 {
				m := make([]float64, n*n)
				for i := range n {
					for j := s.FirstColumn(i); j < n; j++ {
						m[i*n+j] = float64(r.IntN(3)) * r.NormFloat64()
					}
				}
				return m
			}
			a, b, c := draw(), draw(), draw()
			sum := func(of func(i, j, l int) float64) []float64 {
				m := make([]float64, n*n)
				for i := range n {
					for j := s.FirstColumn(i); j < n; j++ {
						for l := range n {
							m[i*n+j] += of(i, j, l)
						}
					}
				}
				return m
			}
			check := func(name string, got, before, want []float64) {
				t.Helper()
				for i := range got {
					if d := got[i] - before[i] - want[i]; !(math.Abs(d) <= 1e-13) {
						t.Errorf("%s, %+v: entry %d is off by %g", name, s, i, d)
					}
				}
			}
			got := slices.Clone(c)
			s.Multiply(got, a, b)
			check("a·b", got, make([]float64, n*n), sum(func(i, j, l int) float64 { return a[i*n+l] * b[l*n+j] }))
			got = slices.Clone(c)
			s.AddRightTransposed(got, a, b, nil)
			check("a·bᵀ", got, c, sum(func(i, j, l int) float64 { return a[i*n+l] * b[j*n+l] }))
			got = slices.Clone(c)
			s.AddRightTransposed(got, a, b, c)
			check("a·bᵀ where c is not 0", got, c, sum(func(i, j, l int) float64 {
				if c[i*n+j] == 0 {
					return 0
				}
				return a[i*n+l] * b[j*n+l]
			}))
			got = slices.Clone(c)
			s.AddLeftTransposed(got, a, b)
			check("aᵀ·b", got, c, sum(func(i, j, l int) float64 { return a[l*n+i] * b[l*n+j] }))
		}
	}
}
