package models_test

import (
	"errors"
	"math"
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
)

// TestRigidPercentiles compares percentiles with closed forms: jobs of one node in M/M/c, with P(W > t) = P(wait)·e^{−(c·μ−λ)t}, and
// jobs that need all nodes in M/M/1, with P(T > t) = e^{−(μ−λ)t}.
func TestRigidPercentiles(t *testing.T) {
	needs.Concurrency(t)
	const servers, lambda, mean = 5, 2.0, 2.0
	m := chained(t, rigidSystem(t, servers, poisson(lambda), rigidClass{1, 1, must(phasetype.Erlang(1, mean))}), policy.FCFS{})
	wait, _, bound := quantilesOf(t, &m, "")
	rate := servers/mean - lambda
	for i, p := range percentiles {
		survival := erlangC(servers, lambda*mean) * math.Exp(-rate*wait[i])
		if wait[i] == 0 {
			survival = max(1-p, erlangC(servers, lambda*mean))
		}
		if off := math.Abs(survival - (1 - p)); !(off <= bound) {
			t.Errorf("M/M/c: P(W > %v) is off by %.2g, the bound is %.2g", wait[i], off, bound)
		}
	}
	m = chained(t, rigidSystem(t, 4, poisson(0.4), rigidClass{1, 4, must(phasetype.Erlang(1, mean))}), policy.FCFS{})
	_, response, bound := quantilesOf(t, &m, "")
	for i, p := range percentiles {
		if off := math.Abs(math.Exp(-(1/mean-0.4)*response[i]) - (1 - p)); !(off <= bound) {
			t.Errorf("M/M/1: P(T > %v) is off by %.2g, the bound is %.2g", response[i], off, bound)
		}
	}
}

// TestRigidPercentilesOfClasses: jobs that need all nodes have longer percentiles than small jobs. The percentiles of all jobs
// lie between the two. A window of two jobs has no percentiles.
func TestRigidPercentilesOfClasses(t *testing.T) {
	s := rigidSystem(t, 4, poisson(0.5), rigidClass{0.8, 1, must(phasetype.BalancedHyperexponential(2, 4))},
		rigidClass{0.2, 4, must(phasetype.Erlang(2, 1))})
	m := chained(t, s, policy.FCFS{})
	small, _, _ := quantilesOf(t, &m, "a")
	all, _, _ := quantilesOf(t, &m, "")
	large, _, _ := quantilesOf(t, &m, "b")
	for i := range percentiles {
		if !(small[i] <= all[i] && all[i] <= large[i]) || !(small[3] < all[3] && all[3] < large[3]) {
			t.Errorf("small %v, all %v, large %v", small, all, large)
		}
	}
	m = chained(t, s, policy.FirstFit{Window: 2})
	if wait, response, _, err := m.Quantiles(t.Context(), "", percentiles); wait != nil || response != nil ||
		!errors.Is(err, models.ErrNoChain) {
		t.Errorf("first-fit:2: %v, %v, %v", wait, response, err)
	}
}

// TestRigidWaitHasTheMean: the transform F of P(W > t) tends to E[W] of Little's law at s = 0. The difference of 2·F(s) − F(2s) from
// E[W] is of order s²·E[W³], some 1e-7 of E[W] here.
func TestRigidWaitHasTheMean(t *testing.T) {
	for _, r := range rigidReferences(t).Instances {
		if len(r.Classes) < 2 || r.Nodes > 16 || r.Name == "three-sizes-1-4-16-h2" || r.Name == "rates-six-decades" { // small ones
			continue
		}
		m := r.firstComeFirstServed(t)
		transform := must(models.RigidWaitTransforms(t.Context(), must(r.system(t).Chain(policy.FCFS{}))))
		sizes := map[int]int{} // by nodes: index among the sizes, which are sorted
		for _, c := range r.Classes {
			sizes[c.Nodes] = 0
		}
		for n := range sizes {
			for other := range sizes {
				if other < n {
					sizes[n]++
				}
			}
		}
		for k, c := range r.Classes {
			mean := m.Classes[k].MeanWaitingTime
			step := 1e-4 / (mean + m.MeanResponseTime) / math.Max(1, 1/(1-m.DecayRate)/m.MeanJobs)
			one := must(transform(sizes[c.Nodes], complex(step, 0)))
			two := must(transform(sizes[c.Nodes], complex(2*step, 0)))
			near(t, r.Name+": E[W] of class "+m.Classes[k].Name, real(2*one-two), mean, 1e-6)
		}
	}
}
