package markov_test

import (
	"fmt"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/testdata/qbdtest"
)

// BenchmarkStationary solves a random walk on a square with a drift to one corner. Measured: 1 ms of CPU time for 100 states,
// 30 for 900.
func BenchmarkStationary(b *testing.B) {
	for _, side := range []int{10, 30} {
		b.Run(fmt.Sprintf("states=%d", side*side), func(b *testing.B) {
			chain, err := newChain(side*side, func(i int, add func(int, float64)) {
				x, y := i%side, i/side
				if x+1 < side {
					add(i+1, 1)
				}
				if y+1 < side {
					add(i+side, 1)
				}
				if x > 0 {
					add(i-1, 1.5)
				}
				if y > 0 {
					add(i-side, 1.2)
				}
			})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, _, err := chain.Stationary(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDense solves chains with full blocks. Measured for 100, 300 and 600 phases on one of two busy processors, checks
// included: 1.1, 15 and 105 ms of CPU time. U and R, which BenchmarkReduction of the package reduction measures alone, take
// .66, 10.3 and 73 ms of it. For 600 phases they are 8·n³ operations in double and 12·n³ in single precision. The kernels
// do them in 53 ms at their best rates of 56 and 116 GFlop/s. Cyclic reduction in numpy with OpenBLAS takes 2.7, 46 and 315 ms
// there with the eigenvalue 1 shifted away, as BuTools does. It gives G and R only, by 3 or 4 steps.
func BenchmarkDense(b *testing.B) {
	for _, n := range []int{30, 100, 300, 600} {
		for _, method := range []string{markov.CyclicReduction} {
			b.Run(fmt.Sprintf("%s/n=%d", method, n), func(b *testing.B) {
				q := qbdtest.Dense(n, 0.8)
				for b.Loop() {
					if _, err := q.Solve(b.Context(), markov.Settings{Method: method}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
