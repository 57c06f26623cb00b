package validate_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate"
)

var (
	dynamic = policy.Dynamic{}
	ctx     = context.Background()
)

func static(k int) policy.Policy { return policy.Static{Partitions: k} }

func exponential(mean float64) phasetype.Dist {
	return phasetype.Must(phasetype.New([]float64{1}, mat.NewDense(1, 1, []float64{-1 / mean})))
}

// erlang2 is a sum of two exponential phases, scv 1/2; hyper a mixture of two, of scv 3 if its mean is 1.
func erlang2(mean float64) phasetype.Dist {
	r := 2 / mean
	return phasetype.Must(phasetype.New([]float64{1, 0}, mat.NewDense(2, 2, []float64{-r, r, 0, -r})))
}

func hyper(mean float64) phasetype.Dist {
	p := (1 + math.Sqrt(0.5)) / 2
	r := 2 / mean
	return phasetype.Must(phasetype.New([]float64{p, 1 - p}, mat.NewDense(2, 2, []float64{-p * r, 0, 0, -(1 - p) * r})))
}

func poisson(tb testing.TB, rate float64) phasetype.MAP {
	tb.Helper()
	m, err := phasetype.Renewal(exponential(1 / rate))
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// system is a machine of n nodes, B_i having mean service(i), with Poisson arrivals and no overheads.
func system(tb testing.TB, n int, rate float64, dist func(mean float64) phasetype.Dist,
	service func(i int) float64) *models.System {
	s := &models.System{Nodes: n, MinNodes: 1, Arrivals: poisson(tb, rate)}
	for i := 1; i <= n; i++ {
		s.Service = append(s.Service, dist(service(i)))
	}
	return s
}

// simulate simulates a policy; without -long in 16 replications if the options say nothing of them. A replication has ten
// thousand jobs or more.
func simulate(tb testing.TB, s *models.System, p policy.Policy, o validate.Options) validate.Simulation {
	tb.Helper()
	if !needs.IsLong() && o.Replications == 0 {
		o.Replications = 16
	}
	sim, err := validate.Simulate(ctx, s, p, o)
	if err != nil {
		tb.Fatal(err)
	}
	return sim
}

// replay replays jobs on a system under a policy.
func replay(tb testing.TB, s *models.System, p policy.Policy, jobs []workload.Job) validate.Simulation {
	tb.Helper()
	sim, err := validate.Replay(ctx, s, p, jobs, validate.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return sim
}

// erlangC is the probability that an arrival at an M/M/c queue of offered load a waits.
func erlangC(c int, a float64) float64 {
	blocked := 1.0 // Erlang B by its recurrence
	for i := 1; i <= c; i++ {
		blocked = a * blocked / (float64(i) + a*blocked)
	}
	rho := a / float64(c)
	return blocked / (1 - rho*(1-blocked))
}

// The simulator against formulas that need no chain to be solved, within four standard errors.
func TestClosedForms(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	constant := func(v float64) func(int) float64 { return func(int) float64 { return v } }
	type values map[string]float64
	wait := erlangC(4, 3)
	queue := wait / (4 - 3) // mean waiting time, service time 1
	cases := []struct {
		name   string
		system *models.System
		policy policy.Policy
		want   values
	}{
		{"M/M/1", system(t, 1, 0.7, exponential, constant(1)), dynamic,
			values{"mean_response_time": 1 / 0.3, "mean_jobs": 0.7 / 0.3, "variance_jobs": 0.7 / 0.09, "probability_wait": 0.7,
				"probability_empty": 0.3, "throughput": 0.7, "mean_waiting_time": 0.7 / 0.3, "utilization": 0.7}},
		{"M/M/4 as dynamic partitioning without speedup", system(t, 4, 3, exponential, constant(1)), dynamic,
			values{"mean_response_time": 1 + queue, "probability_wait": wait, "mean_executing_jobs": 3}},
		{"M/M/4 as static partitioning", system(t, 4, 3, exponential, constant(1)), static(4),
			values{"mean_response_time": 1 + queue, "probability_wait": wait,
				"mean_waiting_jobs": 3 * queue, "utilization": 0.75}},
		{"M/M/1 as dynamic partitioning with linear speedup",
			system(t, 4, 2.8, exponential, func(i int) float64 { return float64(i) / 4 }), dynamic,
			values{"mean_response_time": 0.25 / 0.3, "mean_jobs": 0.7 / 0.3, "variance_jobs": 0.7 / 0.09}},
		// Pollaczek–Khinchine: waiting time λ·E[B²]/(2(1−ρ)) = ρ(1+scv)/(2(1−ρ)) of a mean service time.
		{"M/E2/1", system(t, 1, 0.6, erlang2, constant(1)), dynamic,
			values{"mean_waiting_time": 0.6 * 1.5 / 0.8, "mean_response_time": 1 + 0.6*1.5/0.8, "probability_empty": 0.4}},
		{"M/H2/1", system(t, 2, 0.5, hyper, constant(1)), static(1),
			values{"mean_waiting_time": 0.5 * (1 + hyperSCV) / 1, "mean_response_time": 1 + 0.5*(1+hyperSCV)/1}},
		// With linear speedup and more partitions than jobs ever are, processor sharing, which no service time but its mean
		// matters to: at load .5 more than 40 jobs have probability 2⁻⁴¹.
		{"processor sharing", system(t, 40, 20, hyper, func(i int) float64 { return float64(i) / 40 }), dynamic,
			values{"mean_jobs": 1, "variance_jobs": 2, "probability_empty": 0.5, "mean_response_time": 0.05}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			sim := simulate(t, c.system, c.policy, validate.Options{Seed: 11, Precision: coarse(0.01)})
			for name, want := range c.want {
				e, ok := sim.Measure(name)
				if !ok {
					t.Fatalf("no %s", name)
				}
				if z := (e.Mean - want) / e.StdErr; !(math.Abs(z) <= 4) {
					t.Errorf("%s = %.5g ± %.2g, want %.5g (z = %.1f)", name, e.Mean, e.StdErr, want, z)
				}
			}
			if !sim.Reached || sim.Precision > coarse(0.01) || sim.Partial {
				t.Errorf("precision %v, reached %v, partial %v", sim.Precision, sim.Reached, sim.Partial)
			}
		})
	}
}

// hyperSCV is 2·E[Σ p_i/r_i²] − 1 with r_i = 2·p_i: (1/p₁ + 1/p₂)/2 − 1 = 1/(2·p₁·p₂) − 1 = 3, as p₁·p₂ = 1/8.
const hyperSCV = 3.0

// With one partition a repartition before every job that finds the machine empty is
// an exceptional first service. Welch: E[wait] of M/G/1 with start-up time V of the busy period is the
// Pollaczek–Khinchine wait + (2E[V] + λE[V²])/(2(1 + λE[V])); the response time of the first job counts it as wait.
//
// Reference: P. D. Welch, On a generalized M/G/1 queuing process in which the first customer of each busy period
// receives exceptional service, Oper. Res. 12 (1964) 736–752.
func TestLaunchOfAnEmptyMachine(t *testing.T) {
	s := system(t, 1, 0.5, exponential, func(int) float64 { return 1 })
	s.Shrink = []phasetype.Dist{exponential(0.8)}
	lambda, v1, v2 := 0.5, 0.8, 2*0.64
	response := 1 + lambda/(1-lambda) + (2*v1+lambda*v2)/(2*(1+lambda*v1))
	empty := 0.5 / (1 + lambda*v1) // (1−ρ)/(1+λE[V])
	sim := simulate(t, s, dynamic, validate.Options{Seed: 3})
	for name, want := range map[string]float64{"mean_response_time": response, "probability_empty": empty,
		"shrink_rate": lambda * empty, "probability_repartition": lambda * empty * v1, "utilization": 0.5,
		"expand_rate": 0, "abandoned_rate": 0} {
		e, _ := sim.Measure(name)
		if math.Abs(e.Mean-want) > 4*e.StdErr {
			t.Errorf("%s = %v ± %v, want %v", name, e.Mean, e.StdErr, want)
		}
	}
}
