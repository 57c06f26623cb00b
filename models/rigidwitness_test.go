package models_test

import (
	"math"
	"strings"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// rigidTol is what double precision leaves of closed forms at moderate loads, with two digits to spare.
const rigidTol = 1e-11

// rigidClass is a class of rigid jobs whose run time does not depend on their nodes.
type rigidClass struct {
	share float64
	nodes int
	run   phasetype.Dist
}

// rigidSystem returns a machine of rigid jobs.
func rigidSystem(t testing.TB, nodes int, arrivals phasetype.MAP, classes ...rigidClass) *models.System {
	s := &models.System{Nodes: nodes, MinNodes: 1, Arrivals: arrivals}
	for k, c := range classes {
		s.Classes = append(s.Classes, models.Class{Name: string(rune('a' + k)), Share: c.share, Nodes: c.nodes, Demand: c.run, Speedup: nodeless})
	}
	var err error
	if s.Service, err = s.ServiceTimes(); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestRigidIsErlangC: jobs of one node with exponential run times are the queue M/M/n.
func TestRigidIsErlangC(t *testing.T) {
	for _, n := range []int{1, 2, 7, 40} {
		const mean, rho = 3.0, 0.8
		a := rho * float64(n)
		m := chained(t, rigidSystem(t, n, poisson(a/mean), rigidClass{1, 1, must(phasetype.Erlang(1, mean))}), policy.FCFS{})
		wait := erlangC(n, a)
		near(t, "P(wait)", m.ProbabilityWait, wait, rigidTol)
		near(t, "E[W]", m.MeanWaitingTime, wait*mean/(float64(n)*(1-rho)), rigidTol)
		near(t, "utilization", m.Utilization, rho, rigidTol)
		near(t, "λ*", m.MaxArrivalRate, float64(n)/mean, rigidTol)
	}
}

// TestRigidIsPollaczekKhinchine: jobs that need the whole machine are M/G/1 with the mixture of the run times.
func TestRigidIsPollaczekKhinchine(t *testing.T) {
	short, long := must(phasetype.Erlang(3, 1)), must(phasetype.BalancedHyperexponential(5, 4))
	const lambda, p = 0.3, 0.7
	m := chained(t, rigidSystem(t, 6, poisson(lambda), rigidClass{p, 6, short}, rigidClass{1 - p, 6, long}), policy.FCFS{})
	mean, square := p*short.Mean()+(1-p)*long.Mean(), p*short.Moment(2)+(1-p)*long.Moment(2)
	wait := lambda * square / (2 * (1 - lambda*mean))
	near(t, "E[W]", m.MeanWaitingTime, wait, rigidTol)
	for k, run := range []phasetype.Dist{short, long} {
		near(t, "E[T] of a class", m.Classes[k].MeanResponseTime, wait+run.Mean(), rigidTol)
	}
}

// TestRigidOneOrAll: jobs need one node or all nodes. With exponential run times
//
//	1/λ* = p₂·(1/μ₂ + (Σ_{j≤N} p₁^j/j + p₁^{N+1}/(N·p₂))/μ₁).
func TestRigidOneOrAll(t *testing.T) {
	for _, n := range []int{2, 5, 30} {
		const p, one, all = 0.9, 2.0, 7.0 // mean run times
		sum := math.Pow(p, float64(n+1)) / (float64(n) * (1 - p))
		for j := 1; j <= n; j++ {
			sum += math.Pow(p, float64(j)) / float64(j)
		}
		m := chained(t, rigidSystem(t, n, poisson(0.01), rigidClass{p, 1, must(phasetype.Erlang(1, one))},
			rigidClass{1 - p, n, must(phasetype.Erlang(1, all))}), policy.FCFS{})
		near(t, "λ*", m.MaxArrivalRate, 1/((1-p)*(all+sum*one)), rigidTol)
	}
}

// TestRigidEqualRates: if all run times are exponential with rate μ, then λ* = μ/E[1/J], where J is the number of independent sizes
// that fit. It is added up over all sequences of sizes.
//
// Reference: A. Rumyantsev, E. Morozov, Stability criterion of a multiserver model with simultaneous service, Ann. Oper. Res. 252
// (2017) 29–39.
func TestRigidEqualRates(t *testing.T) {
	sizes, shares := []int{2, 3, 7}, []float64{0.5, 0.3, 0.2}
	const nodes, mean = 11, 4.0
	var inverse func(used, jobs int, p float64) float64
	inverse = func(used, jobs int, p float64) (sum float64) {
		for k, n := range sizes {
			if used+n > nodes {
				sum += p * shares[k] / float64(jobs)
			} else {
				sum += inverse(used+n, jobs+1, p*shares[k])
			}
		}
		return sum
	}
	var classes []rigidClass
	for k, n := range sizes {
		classes = append(classes, rigidClass{shares[k], n, must(phasetype.Erlang(1, mean))})
	}
	m := chained(t, rigidSystem(t, nodes, poisson(0.1), classes...), policy.FCFS{})
	near(t, "λ*", m.MaxArrivalRate, 1/(mean*inverse(0, 0, 1)), rigidTol)
}

// TestRigidCommonDivisor: sizes and nodes that are k times as large give the same results.
func TestRigidCommonDivisor(t *testing.T) {
	run := []phasetype.Dist{must(phasetype.Erlang(2, 1)), must(phasetype.Erlang(1, 3))}
	of := func(by int) models.Measures {
		return chained(t, rigidSystem(t, 7*by, poisson(0.6), rigidClass{0.6, 2 * by, run[0]}, rigidClass{0.4, 3 * by, run[1]}), policy.FCFS{})
	}
	one, five := of(1), of(5)
	near(t, "E[T]", five.MeanResponseTime, one.MeanResponseTime, rigidTol)
	near(t, "utilization", five.Utilization, one.Utilization, rigidTol)
	if five.Diagnostics.Phases != one.Diagnostics.Phases {
		t.Errorf("%d phases, not %d", five.Diagnostics.Phases, one.Diagnostics.Phases)
	}
}

// TestRigidMerges: classes of one size and one exponential run time have one phase. The results are those of one class.
func TestRigidMerges(t *testing.T) {
	a, b := must(phasetype.Erlang(1, 2)), must(phasetype.Erlang(1, 9))
	apart := chained(t, rigidSystem(t, 4, poisson(0.1), rigidClass{0.2, 1, a}, rigidClass{0.3, 1, a}, rigidClass{0.5, 4, b}), policy.FCFS{})
	merged := chained(t, rigidSystem(t, 4, poisson(0.1), rigidClass{0.5, 1, a}, rigidClass{0.5, 4, b}), policy.FCFS{})
	if apart.Diagnostics.Phases != merged.Diagnostics.Phases {
		t.Errorf("%d phases, not %d", apart.Diagnostics.Phases, merged.Diagnostics.Phases)
	}
	near(t, "E[T]", apart.MeanResponseTime, merged.MeanResponseTime, rigidTol)
	near(t, "E[T] of a class", apart.Classes[1].MeanResponseTime, merged.Classes[0].MeanResponseTime, rigidTol)
	if len(apart.Classes) != 3 {
		t.Errorf("%d classes, not 3", len(apart.Classes))
	}
}

// TestRigidWindowOfOne: first-fit with a window of one job is first come, first served.
func TestRigidWindowOfOne(t *testing.T) {
	s := rigidReferences(t).Instances[8].system(t)
	fcfs, window := chained(t, s, policy.FCFS{}), chained(t, s, policy.FirstFit{Window: 1})
	if fcfs.MeanResponseTime != window.MeanResponseTime {
		t.Errorf("%v and %v", fcfs.MeanResponseTime, window.MeanResponseTime)
	}
}

// TestRigidWithoutClasses: a system whose jobs are alike says its nodes once, and has no classes in the results.
func TestRigidWithoutClasses(t *testing.T) {
	s := must(models.NewSystem(8, 1, poisson(0.1), must(phasetype.Erlang(1, 12)), workload.Linear{}))
	s.JobNodes = 4
	m := chained(t, s, policy.FCFS{})
	const mean = 12.0 / 4 // two jobs at a time
	near(t, "E[W]", m.MeanWaitingTime, erlangC(2, 0.1*mean)*mean/(2-0.1*mean), rigidTol)
	if m.Classes != nil {
		t.Errorf("classes %v", m.Classes)
	}
}

// TestRigidUnstable: an unstable policy has its stability limit and its utilization there, and no other measures.
func TestRigidUnstable(t *testing.T) {
	s := rigidSystem(t, 2, poisson(2), rigidClass{0.5, 1, must(phasetype.Erlang(1, 1))}, rigidClass{0.5, 2, must(phasetype.Erlang(1, 1))})
	m, err := must(s.Chain(policy.FCFS{})).Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if m.Stable || !(m.TrafficIntensity > 1) || !(m.Rigid.SaturatedUtilization > 0.5) {
		t.Errorf("%+v", m)
	}
	if _, is := m.Of("saturated_utilization"); !is {
		t.Error("the saturated utilization is missing")
	}
}

// TestRigidRefused: what has no chain of rigid jobs is refused, with what is wrong.
func TestRigidRefused(t *testing.T) {
	exponential := must(phasetype.Erlang(1, 1))
	silent := rigidSystem(t, 4, poisson(1), rigidClass{0.5, 1, exponential}, rigidClass{0.5, 0, exponential})
	measured := machine(4, poisson(1), exponential, linear)
	large := rigidSystem(t, 64, poisson(1), rigidClass{0.5, 1, must(phasetype.BalancedHyperexponential(1, 4))},
		rigidClass{0.3, 5, must(phasetype.BalancedHyperexponential(1, 4))}, rigidClass{0.2, 16, exponential})
	for _, c := range []struct {
		system *models.System
		policy policy.Policy
		want   string
	}{
		{silent, policy.FCFS{}, "class b does not say how many nodes its jobs ask for (jobs.classes[b].nodes)"},
		{must(models.NewSystem(4, 1, poisson(1), exponential, workload.Linear{})), policy.FCFS{},
			"the model does not say how many nodes its jobs ask for (jobs.nodes)"},
		{measured, policy.FCFS{}, "Service holds run times on shares of the machine"},
		{large, policy.FCFS{}, "with exponential run times"},
		{large, policy.FirstFit{Window: 3}, "with a window of one job"},
	} {
		model, err := c.system.Chain(c.policy)
		if err == nil {
			_, err = model.Solve(t.Context(), markov.Settings{})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	for _, nodes := range []int{-1, 5} {
		s := rigidSystem(t, 4, poisson(1), rigidClass{1, 1, exponential})
		s.Classes[0].Nodes = nodes
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), "Classes[0].Nodes") {
			t.Errorf("%d nodes: %v", nodes, err)
		}
	}
}

// TestRigidMemory: the memory is predicted before any state is found.
func TestRigidMemory(t *testing.T) {
	s := rigidReferences(t).Instances[9].system(t)
	model, err := s.Chain(policy.FCFS{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := model.Solve(t.Context(), markov.Settings{Memory: markov.NewMemory(1 << 19)}); err == nil ||
		!strings.Contains(err.Error(), "45 phases") {
		t.Errorf("%v", err)
	}
}
