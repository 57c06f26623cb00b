package decide_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/phtest"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// machine is one of n units and speedup n^.7 at a relative load; repartitions into k shares take the mean cost/k on
// average, a launch of the empty machine takes no time.
func machine(n int, load, cost float64, demand phasetype.Dist, arrivals phasetype.MAP) *models.System {
	s := &models.System{Nodes: n, MinNodes: 1, Arrivals: arrivals, Demand: demand, Speedup: must(workload.NewSpeedup("power", .7))}
	for k := 1; k <= n; k++ {
		s.Service = append(s.Service, must(demand.Scale(1/s.Speedup.At(float64(n)/float64(k)))))
		c := phasetype.Dist{}
		if cost > 0 {
			c = must(phasetype.Exponential(float64(k) / cost))
		}
		s.Shrink, s.Expand = append(s.Shrink, c), append(s.Expand, c)
	}
	s.Shrink[0], s.Expand = phasetype.Dist{}, s.Expand[:n-1]
	return must(s.WithLoad(load))
}

func exponential(mean float64) phasetype.Dist { return must(phasetype.Exponential(1 / mean)) }
func poisson() phasetype.MAP                  { return must(phasetype.Renewal(exponential(1))) }

func optimum(t *testing.T, s *models.System, most int) *decide.Optimum {
	t.Helper()
	o, err := decide.Optimal(t.Context(), s, decide.OptimumSettings{Most: most})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func response(t *testing.T, s *models.System, p policy.Policy) float64 {
	t.Helper()
	m, err := must(s.Chain(p)).Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return m.MeanResponseTime
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Abs(want)) {
		t.Errorf("%s = %.15g, want %.15g (relative %.1e)", what, got, want, got/want-1)
	}
}

// With free resizes and exponential sizes equal shares for all jobs are best (B. Berg, J.-P. Dorsman, M. Harchol-Balter,
// Proc. ACM Meas. Anal. Comput. Syst. 1 (2018) 40).
func TestFreeResizesAreEquiPartition(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 8} {
		for _, load := range []float64{.3, .8} {
			s := machine(n, load, 0, exponential(1), poisson())
			o := optimum(t, s, 0)
			near(t, "free", o.MeanResponseTime, response(t, s, policy.Dynamic{}), 1e-9)
			near(t, "lower bound", o.Lower, o.MeanResponseTime, 1e-6)
		}
	}
}

// Where a resize takes ten thousand service times nobody is resized. Of machines whose speedup is linear the best split is none, of
// those that gain hardly anything from a second unit it is the finest. In between the best rule that resizes nobody is
// better than any fixed split: it divides anew between jobs, see below.
func TestDearResizesAreTheBestSplit(t *testing.T) {
	for _, c := range []struct {
		n        int
		exponent float64
		split    int
	}{{2, 1, 1}, {3, 1, 1}, {2, .05, 2}, {4, .02, 4}} {
		for _, load := range []float64{.2, .6} {
			s := machine(c.n, load, 1e4, exponential(1), poisson())
			s = withSpeedup(s, c.exponent)
			best := math.Inf(1)
			for _, p := range policy.Statics(s.Machine()) {
				if m, err := must(s.Chain(p)).Solve(t.Context(), markov.Settings{}); err == nil && m.Stable {
					best = min(best, m.MeanResponseTime)
				}
			}
			near(t, "best static", best, response(t, s, policy.Static{Partitions: c.split}), 0)
			near(t, "dear", optimum(t, s, 90).MeanResponseTime, best, 1e-9)
		}
	}
}

// withSpeedup replaces the speedup n^a of an exponential demand of mean 1, at the same relative load.
func withSpeedup(s *models.System, a float64) *models.System {
	load, other := s.Load(), *s
	other.Speedup, other.Service = must(workload.NewSpeedup("power", a)), nil
	for k := range s.Partitions() {
		other.Service = append(other.Service, must(s.Demand.Scale(1/other.Speedup.At(float64(s.Nodes)/float64(k+1)))))
	}
	return must(other.WithLoad(load))
}

// Two units by hand: jobs come at rate λ, one alone is served at rate μ, two on a unit each at rate 1. If nobody is ever
// resized, a job that finds the machine empty has either a unit (M/M/2) or all of it, until it leaves; then those who
// wait, if there are two of them, have a unit each, and from then on until the machine is empty. With p_i the probability
// of i jobs while one has the machine, and q_i while each has a unit, p_i = p_1·r^(i−1), r = λ/(λ+μ), and the flows
// between i and i+1 jobs are in balance:
//
//	λ·p_0 = μ·p_1 + q_1,  λ·(p_i + q_i) = μ·p_{i+1} + 2·q_{i+1},  λ·p_0 = p_1·(λ + μ − μ·r).
func TestTwoUnitsByHand(t *testing.T) {
	s := machine(2, .6, 1e7, exponential(1), poisson())
	lambda, mu := s.Arrivals.Rate(), s.Speedup.At(2)
	r := lambda / (lambda + mu)
	p := lambda / (lambda + mu - mu*r)
	q := lambda - mu*p
	total, jobs := 1.0, 0.0
	for i := 1.0; i < 300; i++ {
		total += p + q
		jobs += i * (p + q)
		p, q = p*r, (lambda*(p+q)-mu*p*r)/2
	}
	byHand := jobs / total / lambda
	near(t, "two units", optimum(t, s, 150).MeanResponseTime, byHand, 1e-9)
	if fixed := response(t, s, policy.Static{Partitions: 2}); byHand >= fixed {
		t.Errorf("dividing between jobs takes %v, a fixed split %v", byHand, fixed)
	}
}

// No rule is better than the optimum by more than its bounds allow, and no better optimum comes of more jobs.
func TestNoRuleIsBetter(t *testing.T) {
	balanced := must(phasetype.BalancedHyperexponential(1, 4))
	for name, s := range map[string]*models.System{
		"exponential": machine(4, .6, .3, exponential(1), poisson()),
		"bursts":      machine(3, .5, .1, exponential(1), must(phasetype.Renewal(balanced))),
		"varied jobs": machine(3, .6, .2, balanced, poisson()),
		"even jobs":   machine(2, .7, .2, must(phasetype.Erlang(2, 1)), poisson()),
	} {
		o := optimum(t, s, 0)
		if !(o.Lower <= o.MeanResponseTime && o.MeanResponseTime <= o.Lower*(1+1e-6)) {
			t.Errorf("%s: bounds %v and %v", name, o.Lower, o.MeanResponseTime)
		}
		rules := []policy.Policy{policy.Dynamic{}, policy.Capped{Jobs: 2}, policy.Resize{Hysteresis: 1.5}, policy.Resize{Wait: 2},
			policy.Resize{Batch: 3}, policy.Resize{Departures: true}, policy.Resize{Cooldown: .5, SCV: 1},
			policy.Resize{Floor: s.Nodes}, policy.Smoothing{Mean: .5, SCV: .5}, policy.Resize{Cooldown: .5}}
		gaps, err := o.Gaps(t.Context(), s, rules, decide.OptimumSettings{})
		if err != nil {
			t.Fatal(err)
		}
		of, err := o.GapsOfRule(t.Context(), s, policy.Resize{Cooldown: .5}, decide.OptimumSettings{})
		if err != nil || len(of) != 2+len(policy.Statics(s.Machine())) || of[0].Policy != rules[6] || of[0].Gap != gaps[6].Gap || of[1] != gaps[0] {
			t.Errorf("%s: %+v, %v", name, of, err)
		}
		for i, g := range gaps {
			switch {
			case i == len(gaps)-1:
				if !errors.Is(g.Err, models.ErrNoChain) {
					t.Errorf("%s: a fixed cooldown: %v", name, g.Err)
				}
			case g.Err != nil && !errors.Is(g.Err, markov.ErrUnstable):
				t.Errorf("%s: %v", name, g.Err)
			case g.Err == nil && g.MeanResponseTime < o.Lower*(1-1e-9):
				t.Errorf("%s: %v takes %v, less than %v", name, g.Policy, g.MeanResponseTime, o.Lower)
			}
		}
		if more := optimum(t, s, o.Most+10); more.MeanResponseTime > o.MeanResponseTime*(1+1e-10) {
			t.Errorf("%s: %v with %d jobs, %v with %d", name, o.MeanResponseTime, o.Most, more.MeanResponseTime, more.Most)
		}
	}
}

func TestErrors(t *testing.T) {
	good := machine(2, .6, .3, exponential(1), poisson())
	resized := *good
	resized.Stops = models.ResizedStop
	for name, c := range map[string]struct {
		s    *models.System
		st   decide.OptimumSettings
		want error
	}{
		"resized jobs stop": {&resized, decide.OptimumSettings{}, models.ErrNoChain},
		"too much work":     {must(good.WithLoad(1)), decide.OptimumSettings{}, markov.ErrUnstable},
		"a byte":            {good, decide.OptimumSettings{Settings: markov.Settings{Memory: markov.NewMemory(1)}}, markov.ErrTooLarge},
		"too many states":   {machine(12, .6, .3, must(phasetype.Erlang(4, 1)), poisson()), decide.OptimumSettings{}, markov.ErrTooLarge},
	} {
		if _, err := decide.Optimal(t.Context(), c.s, c.st); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := decide.Optimal(t.Context(), nil, decide.OptimumSettings{}); !errors.As(err, new(*models.SystemError)) {
		t.Errorf("no system: %v", err)
	}
	large := machine(16, .6, .3, exponential(1), poisson())
	phtest.Prompt(t, "policy iteration", func(ctx context.Context) error {
		_, err := decide.Optimal(ctx, large, decide.OptimumSettings{})
		return err
	}, 0, 100*time.Millisecond)
}

// The policy for exponential times is no better than the best one, and nearly as good; bounds hold of either.
func TestAggregated(t *testing.T) {
	s := machine(3, .6, .3, must(phasetype.BalancedHyperexponential(1, 4)), must(phasetype.Renewal(must(phasetype.Erlang(2, 1)))))
	best := optimum(t, s, 0)
	alone := s.Service[0].Mean() // of a job that has the machine for itself
	for states, byAlone := range map[int]bool{30: false, 12: true} {
		o, err := decide.Optimal(t.Context(), s, decide.OptimumSettings{States: states})
		if err != nil {
			t.Fatal(err)
		}
		if !o.Aggregated || o.Lower < alone || (o.Lower == alone) != byAlone {
			t.Errorf("at most %d states: aggregated %v, bound %v, a job alone %v", states, o.Aggregated, o.Lower, alone)
		}
		if !(o.Lower <= best.MeanResponseTime && best.Lower <= o.MeanResponseTime && o.MeanResponseTime < 1.05*best.MeanResponseTime) {
			t.Errorf("at most %d states: %v to %v, the best is %v", states, o.Lower, o.MeanResponseTime, best.MeanResponseTime)
		}
	}
	if best.Aggregated {
		t.Error("the best is aggregated")
	}
}

// TestGapsWithoutAnOptimum: without an optimum, gaps are an error instead of a panic or an infinite gap.
func TestGapsWithoutAnOptimum(t *testing.T) {
	s := machine(2, .6, .3, exponential(1), poisson())
	for _, o := range []*decide.Optimum{nil, {}} {
		if gaps, err := o.Gaps(t.Context(), s, []policy.Policy{policy.Dynamic{}}, decide.OptimumSettings{}); err == nil {
			t.Errorf("%+v", gaps)
		}
		if gaps, err := o.GapsOfRule(t.Context(), s, policy.Resize{}, decide.OptimumSettings{}); err == nil {
			t.Errorf("%+v", gaps)
		}
	}
}
