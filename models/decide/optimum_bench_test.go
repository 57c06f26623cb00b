package decide_test

import (
	"fmt"
	"testing"

	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/phasetype"
)

// BenchmarkOptimal finds the optimum of N units at load .6 with its bound, for jobs of one and of two phases.
func BenchmarkOptimal(b *testing.B) {
	for _, c := range []struct {
		phases int
		demand phasetype.Dist
		sizes  []int
	}{
		{1, exponential(1), []int{4, 8, 16, 32}},
		{2, must(phasetype.BalancedHyperexponential(1, 4)), []int{2, 4, 8}},
	} {
		for _, n := range c.sizes {
			b.Run(fmt.Sprintf("phases=%d/N=%d", c.phases, n), func(b *testing.B) {
				s := machine(n, .6, .1, c.demand, poisson())
				for b.Loop() {
					o, err := decide.Optimal(b.Context(), s, decide.OptimumSettings{})
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(o.States), "states")
				}
			})
		}
	}
}
