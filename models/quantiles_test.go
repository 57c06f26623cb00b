package models_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
)

var percentiles = []float64{0.5, 0.9, 0.95, 0.99}

// quantilesOf returns the percentiles of all jobs of a policy.
func quantilesOf(t *testing.T, m *models.Measures, class string) (waiting, response []float64, bound float64) {
	t.Helper()
	waiting, response, bound, err := m.Quantiles(t.Context(), class, percentiles)
	if err != nil {
		t.Fatal(err)
	}
	if !(bound > 0 && bound < 1e-3) {
		t.Errorf("the error of percentiles is %g", bound)
	}
	return waiting, response, bound
}

// sameQuantiles checks that quantiles differ from those of a distribution by no more than an error of probabilities.
func sameQuantiles(t *testing.T, what string, got []float64, m *models.Measures, class string, bound float64) {
	t.Helper()
	shifted := func(by float64) []float64 {
		var at []float64
		for _, p := range percentiles {
			at = append(at, p+by)
		}
		_, response, _, err := m.Quantiles(t.Context(), class, at)
		if err != nil {
			t.Fatal(err)
		}
		return response
	}
	low, high := shifted(-bound), shifted(bound)
	for i, q := range got {
		if !(low[i] <= q && q <= high[i]) {
			t.Errorf("%s: quantile %g is %.17g, not in [%.17g, %.17g]", what, percentiles[i], q, low[i], high[i])
		}
	}
}

// TestQuantilesOfTinyJobs: half of the jobs are fourteen decades shorter than the others. The right values are those of the
// two exponentials of the M/H2/1 queue, with 60 digits.
func TestQuantilesOfTinyJobs(t *testing.T) {
	s := machine(1, poisson(1.8), must(phasetype.Hyperexponential([]float64{0.5, 0.5}, []float64{1e-14, 1})), linear)
	m := chained(t, s, policy.Static{Partitions: 1})
	waiting, response, bound := quantilesOf(t, &m, "")
	near(t, "99 % of waiting times", waiting[3], 44.9980967033059, 1e-11)
	near(t, "99 % of response times", response[3], 45.5387689160089, 1e-11)
	if bound > 1e-10 {
		t.Errorf("bound %.2g", bound)
	}
}

// TestQuantilesWhenSpeedIsConstant: jobs that are served at one speed whatever the division respond as under static
// partitioning. The two distributions share no code.
func TestQuantilesWhenSpeedIsConstant(t *testing.T) {
	constant := func(float64) float64 { return 1 }
	for n, demand := range map[int]phasetype.Dist{
		1: must(phasetype.BalancedHyperexponential(1, 20)), 2: must(phasetype.Erlang(3, 3)),
		3: must(phasetype.Hyperexponential([]float64{0.9, 0.1}, []float64{1e-3, 10})),
	} {
		s := must(machine(n, must(phasetype.Renewal(must(phasetype.Erlang(2, 0.6)))), demand, constant).WithLoad(0.7))
		dynamic, static := chained(t, s, policy.Dynamic{}), chained(t, s, policy.Static{Partitions: n})
		_, followed, error1 := quantilesOf(t, &dynamic, "")
		_, _, error2 := quantilesOf(t, &static, "")
		sameQuantiles(t, fmt.Sprint(n, " nodes"), followed, &static, "", error1+error2)
	}
}

// TestQuantilesOfIdenticalClasses: a class that differs in nothing has the percentiles of all jobs. No time in the system
// is shorter than its wait.
func TestQuantilesOfIdenticalClasses(t *testing.T) {
	needs.Concurrency(t)
	class := func(name string) models.Class {
		return models.Class{Name: name, Share: 1, Demand: must(phasetype.TwoMoments(2, 3)), Speedup: workload.Linear{}}
	}
	s := classSystem(t, 2, 0.6, class("first"), class("second"))
	for _, p := range []policy.Policy{policy.Dynamic{}, policy.Static{Partitions: 1}, policy.Static{Partitions: 2}} {
		m := chained(t, s, p)
		waiting, all, bound := quantilesOf(t, &m, "")
		for _, name := range []string{"first", "second"} {
			_, own, ownBound := quantilesOf(t, &m, name)
			sameQuantiles(t, fmt.Sprint(p, " ", name), own, &m, "", bound+ownBound)
		}
		for i, w := range waiting {
			if w > all[i] {
				t.Errorf("%v: percentile %g of the wait %g, of the response %g", p, percentiles[i], w, all[i])
			}
		}
	}
}

// TestQuantilesNearSaturation: of the M/M/1 queue, P(T > t) = e^(−(μ−λ)t). The chain loses digits, as 1 − ρ has few. The
// stated error of the percentiles includes this loss.
func TestQuantilesNearSaturation(t *testing.T) {
	for _, free := range []float64{1e-4, 1e-7, 1e-10} {
		s := machine(1, poisson(1-free), must(phasetype.Exponential(1)), linear)
		for _, p := range []policy.Policy{policy.Dynamic{}, policy.Static{Partitions: 1}} {
			m := chained(t, s, p)
			_, response, bound := quantilesOf(t, &m, "")
			for i, q := range response {
				exact := math.Exp(-(1 - (1 - free)) * q) // 1 − free is rounded
				if off := math.Abs(exact - (1 - percentiles[i])); !(off <= bound) {
					t.Errorf("1−ρ = %g, %v: P(T > %g %% percentile) is off by %.2g, stated %.2g", free, p, 100*percentiles[i], off, bound)
				}
			}
		}
	}
}

// sameAsStatic compares percentiles of the dynamic policy and of single nodes, where jobs gain nothing from a second node, so
// that both are the same. The two distributions share no code.
func sameAsStatic(t *testing.T, what string, s *models.System, at []float64) {
	t.Helper()
	dynamic, static := chained(t, s, policy.Dynamic{}), chained(t, s, policy.Static{Partitions: s.Nodes})
	_, _, bound2, err := static.Quantiles(t.Context(), "", at)
	if err != nil {
		t.Fatal(err)
	}
	_, got, bound1, err := dynamic.Quantiles(t.Context(), "", at)
	if errors.Is(err, markov.ErrInaccurate) {
		t.Logf("%s: %v", what, err)
		return
	}
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for i, p := range at {
		bound := bound1 + bound2
		_, around, _, err := static.Quantiles(t.Context(), "", []float64{max(1e-12, p-bound), min(p+bound, 1-1e-12)})
		if err != nil {
			t.Fatal(err)
		}
		if !(around[0] <= got[i] && got[i] <= around[1]) {
			t.Errorf("%s: quantile %g is %.12g, not in [%.12g, %.12g], as its error of %.2g says", what, p, got[i], around[0], around[1], bound)
		}
	}
}

// TestQuantilesFarFromTheMean: nearly all jobs are decades shorter than the mean, and quantiles are near 0 and 1.
func TestQuantilesFarFromTheMean(t *testing.T) {
	few := must(phasetype.Hyperexponential([]float64{0.00187, 0.0851, 0.00199}, []float64{3.65747e-05, 5.02745e-13, 34067300}))
	sameAsStatic(t, "20 decades", must(machine(1, poisson(1), few, linear).WithLoad(0.1)), percentiles)
	mixed := must(phasetype.BalancedHyperexponential(1, 4))
	sameAsStatic(t, "small and large quantiles", must(machine(1, poisson(1), mixed, linear).WithLoad(0.6)),
		[]float64{1e-3, 0.01, 0.3, 0.999, 0.9999, 1 - 1e-6})
	// Passes and gradients do not suffice for a job that is followed for seven decades of time.
	huge := must(phasetype.Hyperexponential([]float64{1, 1e-6}, []float64{1, 1e7}))
	constant := func(float64) float64 { return 1 }
	sameAsStatic(t, "seven decades on four nodes", must(machine(4, poisson(1), huge, constant).WithLoad(0.7)), percentiles)
}

// TestQuantilesOfStiffJobsNearSaturation: the transform loses digits of 1 − ρ in the rounded sums of rates that are decades apart.
func TestQuantilesOfStiffJobsNearSaturation(t *testing.T) {
	for _, c := range []struct {
		demand phasetype.Dist
		load   float64
	}{
		{must(phasetype.Coxian([]float64{0.0005233026677970004, 2.02049999292825e-22, 6.349770773275084e-25}, []float64{1, 1e-9})), 1 - 1e-6},
		{must(phasetype.Hyperexponential([]float64{0.225, 1.07e-12, 3.37e-08}, []float64{6.43776e-12, 6.50082e-10, 1.03316e-09})), 1 - 1e-8},
		{must(phasetype.Hyperexponential([]float64{1, 1e-6}, []float64{1, 1e6})), 1 - 1e-4},
	} {
		s := must(machine(1, poisson(1), c.demand, linear).WithLoad(c.load))
		sameAsStatic(t, fmt.Sprint("load ", c.load), s, percentiles)
	}
}
