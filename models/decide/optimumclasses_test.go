package decide_test

import (
	"math"
	"slices"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
)

// classed returns a machine of n nodes on which jobs of classes arrive at a relative load.
func classed(n int, load float64, classes ...models.Class) *models.System {
	total := 0.0
	for _, c := range classes {
		total += c.Share
	}
	for k := range classes {
		classes[k].Share /= total
	}
	s := &models.System{Nodes: n, MinNodes: 1, Arrivals: poisson(), Classes: classes}
	s.Service = must(s.ServiceTimes())
	return must(s.WithLoad(load))
}

// Equal shares for all jobs are the best policy where resizing is free, sizes are exponential and all jobs have one concave
// speedup: also if the jobs bear the names of two classes.
//
// Reference: B. Berg, J.-P. Dorsman, M. Harchol-Balter, Towards optimality in parallel scheduling, Proc. ACM Meas. Anal. Comput.
// Syst. 1 (2018) 40, theorem 1.
func TestEqualSharesAreBestForOneConcaveSpeedup(t *testing.T) {
	for _, speedup := range []workload.Speedup{workload.Amdahl{Serial: 0.1}, workload.Power{Exponent: 0.5}} {
		for n := 1; n <= 4; n++ {
			one := models.Class{Name: "one", Share: 1, Demand: exponential(1), Speedup: speedup}
			s := classed(n, 0.7, one)
			best := optimum(t, s, 0)
			shared := response(t, s, policy.Dynamic{})
			near(t, "best policy", best.MeanResponseTime, shared, 1e-9) // policy iteration ends at the policy itself
			other := one
			other.Name = "other"
			m := must(must(classed(n, 0.7, one, other).Chain(policy.Dynamic{})).Solve(t.Context(), markov.Settings{}))
			near(t, "two names", m.MeanResponseTime, shared, 1e-10)
			near(t, "the second name", m.Classes[1].MeanResponseTime, shared, 1e-10)
		}
	}
}

// Where resizing is free, no rule for the number of shares is better than water-filling among all jobs, with classes as well.
// Where it is not, the gap is that of docs/classes.md.
func TestWaterFillingAgainstTheOptimum(t *testing.T) {
	small := models.Class{Name: "small", Share: 4, Demand: exponential(1), Speedup: workload.Linear{}, MaxNodes: 1}
	large := models.Class{Name: "large", Share: 1, Demand: must(phasetype.Exponential(0.1)), Speedup: workload.Amdahl{Serial: 0.05}}
	for cost, gaps := range map[float64][3][2]float64{ // by 2, 3 and 4 nodes, of dynamic partitioning and of the finest split
		0:    {{0, 0.1203}, {0, 0.2670}, {0, 0.4100}},
		0.05: {{0.0016, 0.1037}, {0.0050, 0.2075}, {0.0175, 0.2915}},
		0.2:  {{0.0058, 0.0592}, {0.0489, 0.1073}, {0.1494, 0.1605}},
		1:    {{0.1276, 0}, {0.3165, 0.0026}, {0.5117, 0.0188}},
	} {
		for i, want := range gaps {
			if i == 2 && !needs.IsLong() { // four nodes take ten times as long as three
				break
			}
			s := classed(i+2, 0.7, small, large)
			if cost > 0 {
				c := must(phasetype.Exponential(1 / cost))
				s.Shrink, s.Expand = slices.Repeat([]phasetype.Dist{c}, i+2), slices.Repeat([]phasetype.Dist{c}, i+1)
				s.Shrink[0] = phasetype.Dist{} // a launch is free, as it is in static partitions
			}
			best := optimum(t, s, 0)
			for k, p := range []policy.Policy{policy.Dynamic{}, policy.Static{Partitions: i + 2}} {
				if gap := best.Gap(response(t, s, p)); math.Abs(gap-want[k]) > 5.5e-5 { // four decimals
					t.Errorf("%d nodes, resizes of %v: %s is %.4f above the optimum, want %.4f", i+2, cost, p, gap, want[k])
				}
			}
			if best.MeanResponseTime-best.Lower > 1e-6*best.Lower {
				t.Errorf("%d nodes: the optimum is only known to be between %v and %v", i+2, best.Lower, best.MeanResponseTime)
			}
		}
	}
}
