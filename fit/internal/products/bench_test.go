package products_test

import (
	"fmt"
	"testing"

	"github.com/partwise/partwise/fit/internal/products"
)

// BenchmarkMultiply compares products with the kernel, where they use it, and by loops (GODEBUG=cpu.avx2=off).
func BenchmarkMultiply(b *testing.B) {
	for _, n := range []int{3, 5, 8, 12, 30} {
		for _, triangular := range []bool{false, true} {
			s := products.Shape{N: n, Length: n, Triangular: triangular}
			x, y, z := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
			for i := range x {
				if row, column := i/n, i%n; column >= row || !triangular {
					x[i], y[i] = float64(i%7), float64(i%5)
				}
			}
			b.Run(fmt.Sprintf("n=%d/triangular=%v", n, triangular), func(b *testing.B) {
				for b.Loop() {
					s.Multiply(z, x, y)
				}
			})
		}
	}
}
