package markov

import (
	"fmt"
	"math"
	"testing"
)

// TestCorrectionsArePredicted feeds the errors c·q^(2^k) of a 2×2 block: the prediction is exact but for rounding, and ends the
// iteration one step before a correction that changes nothing.
func TestCorrectionsArePredicted(t *testing.T) {
	u := matrix{2, 2, []float64{0, 2, 3, 0}}
	var change corrections
	for k, q := 0, 0.9; ; k, q = k+1, q*q {
		d := matrix{2, 2, []float64{1, 2 * 0.3 * q, 3 * 0.2 * q, 1}}
		done := change.settled(u, d, false)
		if k > 0 {
			if want := 0.3 * q * q; math.Abs(change.next()-want) > 1e-13*want {
				t.Errorf("after %.3g and %.3g comes %.3g, predicted %.3g", change.before, change.last, want, change.next())
			}
		}
		if done {
			if after := 0.3 * q * q; after > 1e-18 || change.last <= entryTol {
				t.Errorf("settled after %.3g, before %.3g", change.last, after)
			}
			return
		}
	}
}

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
