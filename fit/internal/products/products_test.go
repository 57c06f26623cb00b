package products_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/partwise/partwise/fit/internal/products"
)

// TestProducts compares the products with plain loops, for full and for triangular matrices, and for parts of longer
// rows: the sums are the same to the last digit.
func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := 1; n < 20; n++ {
		for _, s := range []products.Shape{{N: n, Length: n}, {N: n, Length: n, Triangular: true}, {N: n, Length: n + 1}} {
			// matrix returns the numbers of(i, j), and zero where a triangular matrix has none.
			matrix := func(of func(i, j int) float64) []float64 {
				m := make([]float64, n*s.Length)
				for i := range n {
					for j := range n {
						if j >= i || !s.Triangular {
							m[i*s.Length+j] = of(i, j)
						}
					}
				}
				return m
			}
			vector := func(of func(i int) float64) []float64 {
				v := make([]float64, n)
				for i := range v {
					v[i] = of(i)
				}
				return v
			}
			draw := func() float64 { // zero, normal or, as far as products go, subnormal
				return float64(r.IntN(3)) * r.NormFloat64() * []float64{1, 1, 1e-155, 1e-310}[r.IntN(4)]
			}
			drawEntry := func(int, int) float64 { return draw() }
			drawNumber := func(int) float64 { return draw() }
			a, b, c := matrix(drawEntry), matrix(drawEntry), matrix(drawEntry)
			x, y := vector(drawNumber), vector(drawNumber)
			aTransposed, bTransposed := make([]float64, len(a)), make([]float64, len(b))
			s.Transpose(aTransposed, a)
			s.Transpose(bTransposed, b)

			at := func(m []float64, i, j int) float64 { return m[i*s.Length+j] }
			sum := func(start float64, term func(l int) float64) float64 {
				for l := range n {
					start += float64(term(l)) // rounded before it is added
				}
				return start
			}
			check := func(name string, got, want []float64) {
				t.Helper()
				if !slices.Equal(got, want) {
					t.Errorf("%s, %+v: %v, want %v", name, s, got, want)
				}
			}
			// checkEntries leaves out what is below the diagonal of a triangular matrix.
			checkEntries := func(name string, got []float64, want func(i, j int) float64) {
				t.Helper()
				check(name, matrix(func(i, j int) float64 { return at(got, i, j) }), matrix(want))
			}

			got := slices.Clone(c)
			s.Multiply(got, a, b)
			check("a·b", got, matrix(func(i, j int) float64 {
				return sum(0, func(l int) float64 { return at(a, i, l) * at(b, l, j) })
			}))
			right := func(i, j int) float64 {
				return at(c, i, j) + sum(0, func(l int) float64 { return at(a, i, l) * at(b, j, l) })
			}
			got = slices.Clone(c)
			s.AddRightTransposed(got, a, b, bTransposed)
			checkEntries("a·bᵀ", got, right)
			got = slices.Clone(c)
			s.AddRightTransposedWhere(got, a, b, c)
			checkEntries("a·bᵀ where c is not 0", got, func(i, j int) float64 {
				if at(c, i, j) == 0 {
					return 0
				}
				return right(i, j)
			})
			got = slices.Clone(c)
			s.AddLeftTransposed(got, a, b)
			checkEntries("aᵀ·b", got, func(i, j int) float64 {
				return sum(at(c, i, j), func(l int) float64 { return at(a, l, i) * at(b, l, j) })
			})
			column := make([]float64, n)
			s.TimesVector(column, a, aTransposed, x)
			check("a·x", column, vector(func(i int) float64 {
				return sum(0, func(j int) float64 { return at(a, i, j) * x[j] })
			}))
			got = slices.Clone(c)
			s.TimesVectorBack(column, got, x, a, y)
			check("x·a", column, vector(func(j int) float64 {
				return sum(0, func(i int) float64 { return x[i] * at(a, i, j) })
			}))
			checkEntries("outer product", got, func(i, j int) float64 { return at(c, i, j) + float64(x[i]*y[j]) })
		}
	}
}
