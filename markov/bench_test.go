package markov_test

import (
	"fmt"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/qbdtest"
)

// BenchmarkQueue solves PH/PH/c queues from their description to all measures.
func BenchmarkQueue(b *testing.B) {
	queues := []struct {
		name string
		q    *markov.Multiserver
	}{
		{"H2-H2/c=8", qbdtest.H2H2(8)}, {"H2-H2/c=64", qbdtest.H2H2(64)}, {"H2-H2/c=128", qbdtest.H2H2(128)},
		{"H2-H3/c=8", qbdtest.H2H(3, 8)}, {"H2-H4/c=8", qbdtest.H2H(4, 8)},
	}
	for _, q := range queues {
		b.Run(q.name, func(b *testing.B) {
			for b.Loop() {
				s, err := q.q.Solve(markov.Settings{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(s.Diagnostics().Residual, "residual")
			}
		})
	}
}

// BenchmarkDense solves chains with full blocks.
func BenchmarkDense(b *testing.B) {
	for _, n := range []int{30, 100, 300} {
		for _, method := range []string{markov.CyclicReduction, markov.LogarithmicReduction} {
			b.Run(fmt.Sprintf("%s/n=%d", method, n), func(b *testing.B) {
				q := qbdtest.Dense(n, 0.8)
				for b.Loop() {
					if _, err := q.Solve(markov.Settings{Method: method}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
