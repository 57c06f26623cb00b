package models_test

import (
	"fmt"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
)

// BenchmarkRigid solves chains of rigid jobs at .7 of their largest stable arrival rate.
func BenchmarkRigid(b *testing.B) {
	for _, c := range []struct {
		phases, nodes int
		sizes         []int
		h2            bool
	}{
		{45, 16, []int{1, 4, 16}, false},
		{165, 16, []int{1, 2, 4, 8}, false},
		{239, 8, []int{1, 2, 4, 8}, true},
		{536, 16, []int{1, 4, 16}, true},
		{561, 64, []int{1, 4, 16}, false},
	} {
		b.Run(fmt.Sprintf("n=%d", c.phases), func(b *testing.B) {
			var classes []rigidClass
			for _, n := range c.sizes {
				run := must(phasetype.Erlang(1, float64(n)))
				if c.h2 {
					run = must(phasetype.BalancedHyperexponential(float64(n), 4))
				}
				classes = append(classes, rigidClass{1 / float64(n), n, run})
			}
			s := rigidSystem(b, c.nodes, poisson(1e-3), classes...)
			m := must(must(s.Chain(policy.FCFS{})).Solve(b.Context(), markov.Settings{}))
			s = must(s.WithArrivalRate(0.7 * m.MaxArrivalRate))
			b.ReportAllocs()
			for b.Loop() {
				m = must(must(s.Chain(policy.FCFS{})).Solve(b.Context(), markov.Settings{}))
			}
			if m.Diagnostics.Phases != c.phases {
				b.Errorf("%d phases", m.Diagnostics.Phases)
			}
		})
	}
}
