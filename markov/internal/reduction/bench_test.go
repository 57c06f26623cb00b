package reduction_test

import (
	"fmt"
	"testing"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/reduction"
)

// BenchmarkReduction is the repeating part alone, U by cyclic reduction and R from it: what other tools call solving a
// quasi-birth-and-death process.
func BenchmarkReduction(b *testing.B) {
	for _, n := range []int{30, 100, 300, 600} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			rep := dense(n, 0.8)
			for b.Loop() {
				u, leave, _, err := cyclic(b, rep)
				if err != nil {
					b.Fatal(err)
				}
				f, err := block.FactorGTH(b.Context(), u, leave)
				if err != nil {
					b.Fatal(err)
				}
				f.SolveLeftRows(b.Context(), rep.Up.Clone())
			}
		})
	}
}

// dense is the repeating part of qbdtest.Dense, which imports this package.
func dense(n int, rho float64) reduction.Blocks {
	full := func(k int, factor float64) block.Matrix {
		m := block.New(n, n)
		for i := range n {
			for j := range n {
				m.Data[i*n+j] = factor * float64((31*i*i+17*j*j+13*i*j+101*k*(i+2*j+1))%1009+1) / 1009 / float64(n)
			}
		}
		return m
	}
	b := reduction.Blocks{Up: full(1, rho), Local: full(2, 1), Down: full(3, 1)}
	for i := range n {
		b.Local.Data[i*n+i] = 0
	}
	return b
}
