package markov

import (
	"fmt"
	"testing"
)

// BenchmarkReduction is the repeating part alone, U by cyclic reduction and R from it: what other tools call solving a
// quasi-birth-and-death process.
func BenchmarkReduction(b *testing.B) {
	for _, n := range []int{30, 100, 300} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			rep := dense(n, 0.8)
			for b.Loop() {
				u, _, err := cyclicReduction(rep, defaultMaxIter)
				if err != nil {
					b.Fatal(err)
				}
				f, err := factorGTH(u, rep.down.rowSums())
				if err != nil {
					b.Fatal(err)
				}
				f.solveLeftRows(rep.up.clone())
			}
		})
	}
}

// dense is the repeating part of qbdtest.Dense, which imports this package.
func dense(n int, rho float64) blocks {
	block := func(k int, factor float64) matrix {
		m := newMatrix(n, n)
		for i := range n {
			for j := range n {
				m.a[i*n+j] = factor * float64((31*i*i+17*j*j+13*i*j+101*k*(i+2*j+1))%1009+1) / 1009 / float64(n)
			}
		}
		return m
	}
	b := blocks{up: block(1, rho), local: block(2, 1), down: block(3, 1)}
	for i := range n {
		b.local.a[i*n+i] = 0
	}
	return b
}
