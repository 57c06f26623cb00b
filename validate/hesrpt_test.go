package validate_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
)

// batchFlow returns the sum of the response times of jobs that all come at time 0, on n nodes that can be divided at
// will, run times on one node being sizes in descending order: of m jobs that are left the i-th largest has the share
// share(i, m). The smallest must end first.
func batchFlow(sizes []float64, n, p float64, share func(i, m int) float64) float64 {
	left := slices.Clone(sizes)
	flow := 0.0
	for m := len(left); m > 0; m-- {
		time := left[m-1] / math.Pow(n*share(m, m), p)
		flow += float64(m) * time
		for i := range m {
			left[i] -= time * math.Pow(n*share(i+1, m), p)
		}
	}
	return flow
}

func equalShare(_, m int) float64 { return 1 / float64(m) }

// heSRPT is the division of the nodes that makes the sum of the response times of a batch least where the speedup on n
// nodes is n^p.
//
// Reference: B. Berg, R. Vesilo, M. Harchol-Balter, heSRPT: parallel scheduling to minimize mean slowdown, Perform. Eval.
// 144 (2020) 102147.
func heSRPT(p float64) func(i, m int) float64 {
	return func(i, m int) float64 {
		upTo := func(i int) float64 { return math.Pow(float64(i)/float64(m), 1/(1-p)) }
		return upTo(i) - upTo(i-1)
	}
}

// Batches under the policies of this module: equal division is what the formula says, and no policy is better than the
// best division. That is held against a search over all shares of two jobs.
func TestBatchesAgainstTheBestDivision(t *testing.T) {
	const nodes = 60 // divisible by any number of jobs below 7
	stream := des.Seed(3).Stream()
	for _, p := range []float64{0.3, 0.6, 0.9} {
		for jobs := 1; jobs <= 5; jobs++ {
			sizes := make([]float64, jobs)
			for i := range sizes {
				sizes[i] = 10 + 100*stream.Exp()
			}
			slices.SortFunc(sizes, func(a, b float64) int { return int(math.Copysign(1, b-a)) })
			what := fmt.Sprintf("speedup n^%g, %d jobs", p, jobs)
			best := batchFlow(sizes, nodes, p, heSRPT(p))
			equal := batchFlow(sizes, nodes, p, equalShare)
			if got := simulatedFlow(t, dynamic, sizes, nodes, p); math.Abs(got/equal-1) > 1e-12 {
				t.Errorf("%s: equal division takes %v, want %v", what, got, equal)
			}
			for _, other := range []policy.Policy{dynamic, policy.Folding{}, policy.Static{Partitions: 2}} {
				if got := simulatedFlow(t, other, sizes, nodes, p); got < best*(1-1e-12) {
					t.Errorf("%s: %v takes %v, less than the least %v", what, other, got, best)
				}
			}
			if jobs == 2 {
				least := math.Inf(1)
				for k := 1; k < 20000; k++ {
					small := float64(k) / 20000
					least = min(least, batchFlow(sizes, nodes, p, func(i, m int) float64 {
						switch {
						case m == 1:
							return 1
						case i == m:
							return small
						}
						return 1 - small
					}))
				}
				if math.Abs(best/least-1) > 1e-6 {
					t.Errorf("%s: the best division takes %v, a search finds %v", what, best, least)
				}
			}
		}
	}
}

// simulatedFlow is batchFlow by the machine of whole nodes.
func simulatedFlow(t *testing.T, p policy.Policy, sizes []float64, nodes int, exponent float64) float64 {
	var jobs []workload.Job
	for i, x := range sizes {
		jobs = append(jobs, workload.Job{ID: i + 1, Kind: workload.Malleable, Work: x,
			Speedup: workload.Power{Exponent: exponent}})
	}
	flow := 0.0
	c := machine.Config{Nodes: nodes, Policy: p, Jobs: machine.List(jobs), Done: func(r *machine.Record) { flow += r.End - r.Submit }}
	if _, err := machine.Run(ctx, c, des.Seed(1)); err != nil {
		t.Fatal(err)
	}
	return flow
}
