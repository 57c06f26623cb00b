package validate_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strconv"
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/testdata/phtest"
	"github.com/partwise/partwise/validate"
)

// cluster is a machine of n nodes at load u: hyperexponential demands of mean 1, 5 % serial work, and repartitions that
// take 2 % of a demand.
func cluster(tb testing.TB, n int, u float64) *models.System {
	tb.Helper()
	speedup := workload.Amdahl{Serial: 0.05}
	s := system(tb, n, u*float64(n), hyper, func(i int) float64 { return 1 / speedup.At(float64(n)/float64(i)) })
	s.Demand, s.Speedup = hyper(1), speedup
	for i := 1; i <= n; i++ {
		s.Shrink = append(s.Shrink, exponential(0.02))
		s.Expand = append(s.Expand, exponential(0.02))
	}
	s.Expand = s.Expand[:n-1]
	return s
}

// timeless returns the simulation without what depends on the clock.
func timeless(s validate.Simulation) validate.Simulation {
	s.Seconds, s.EventsPerSecond = 0, 0
	return s
}

func TestResultsDoNotDependOnTheNumberOfWorkers(t *testing.T) {
	needs.Concurrency(t)
	s, o := cluster(t, 8, 0.7), validate.Options{Precision: coarse(0.03), Seed: 5}
	if !needs.IsLong() {
		o.Precision, o.MaxJobs, o.Replications = 0, 16_000, 8
	}
	for _, f := range []validate.Fidelity{validate.ModelFidelity, validate.MachineFidelity} {
		for _, p := range []policy.Policy{dynamic, static(4)} {
			var first validate.Simulation
			for _, workers := range []int{1, 2, 16} {
				o.Fidelity, o.Workers = f, workers
				got := timeless(simulate(t, s, p, o))
				if workers == 1 {
					first = got
				} else if !reflect.DeepEqual(got, first) {
					t.Errorf("%s %s: %d workers give another result than one", f, p, workers)
				}
			}
		}
	}
}

// Do not change: pinned so that a change of the random numbers or of their use is noticed. 1e-12 leaves room for the
// logarithm of another processor.
func TestGoldenResult(t *testing.T) {
	s := cluster(t, 8, 0.7)
	for _, c := range []struct {
		f     validate.Fidelity
		stops models.Stops
		want  float64
	}{{validate.ModelFidelity, "", 0.8914133484260972}, {validate.MachineFidelity, "", 0.9029915982173197},
		{validate.MachineFidelity, models.ResizedStop, 0.7354252935161564}} {
		o := validate.Options{Fidelity: c.f, Seed: 1, MaxJobs: 64_000, Replications: 4}
		sim := simulate(t, stopping(s, c.stops), dynamic, o)
		if e, _ := sim.Measure("mean_response_time"); math.Abs(e.Mean-c.want) > 1e-12 {
			t.Errorf("%s, %s stop: mean response time %.16g, want %.16g", c.f, c.stops, e.Mean, c.want)
		}
	}
}

func TestSeedsAndPointsDiffer(t *testing.T) {
	s := cluster(t, 4, 0.5)
	seen := map[float64]bool{}
	for _, o := range []validate.Options{{}, {Seed: 1}, {Point: 1}, {Seed: 1, Point: 1}} {
		o.MaxJobs, o.Replications = 8_000, 4
		e, _ := simulate(t, s, dynamic, o).Measure("mean_response_time")
		seen[e.Mean] = true
	}
	if len(seen) != 4 {
		t.Errorf("%d different results of 4", len(seen))
	}
}

func TestUnstableSystemsAreRefused(t *testing.T) {
	s := system(t, 4, 3, exponential, func(int) float64 { return 1 })
	s.Setup = map[int]phasetype.Dist{4: exponential(1)}
	for _, c := range []struct {
		policy    policy.Policy
		rho, rate float64
	}{{static(1), 3, 1}, {static(2), 1.5, 2}, {static(4), 1.5, 2}} {
		_, err := validate.Simulate(ctx, s, c.policy, validate.Options{})
		var unstable *models.UnstableError
		if !errors.As(err, &unstable) {
			t.Fatalf("%s: error %v", c.policy, err)
		}
		// 1e-12: rounding of the mean of the distributions.
		if math.Abs(unstable.TrafficIntensity-c.rho) > 1e-12 || math.Abs(unstable.MaxArrivalRate-c.rate) > 1e-12 {
			t.Errorf("%s: %v", c.policy, err)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	s := cluster(t, 4, 0.5)
	for _, o := range []validate.Options{{Fidelity: "real"}, {Precision: -1}, {Precision: math.NaN()}, {Confidence: 1},
		{Replications: -1}, {Workers: -1}, {MaxJobs: -1}} {
		if _, err := validate.Simulate(ctx, s, dynamic, o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	for _, p := range []policy.Policy{static(3), static(0), folding} {
		if _, err := validate.Simulate(ctx, s, p, validate.Options{}); err == nil {
			t.Errorf("%s: no error", p)
		}
	}
}

func TestInterruptedSimulationReturnsWhatItHas(t *testing.T) {
	needs.Concurrency(t)
	s := cluster(t, 8, 0.7)
	for _, replications := range []int{0, 1} {
		interrupted, cancel := context.WithCancel(ctx)
		defer cancel()
		o := validate.Options{Precision: 1e-9, Replications: replications}
		o.Progress = func(p validate.Progress) {
			if p.Jobs > 100_000 {
				cancel()
			}
		}
		sim, err := validate.Simulate(interrupted, s, dynamic, o)
		if err != nil {
			t.Fatal(err)
		}
		e, ok := sim.Measure("mean_response_time")
		if !sim.Partial || sim.Reached || sim.Jobs < 100_000 || !ok || !(e.HalfWidth > 0) || math.IsInf(e.HalfWidth, 0) {
			t.Errorf("partial %v, reached %v, jobs %d, %+v", sim.Partial, sim.Reached, sim.Jobs, e)
		}
		if _, err := validate.Simulate(interrupted, s, dynamic, o); !errors.Is(err, context.Canceled) {
			t.Errorf("begun after the end: error %v", err)
		}
	}
}

func TestJobsAreBounded(t *testing.T) {
	sim := simulate(t, cluster(t, 8, 0.9), dynamic, validate.Options{MaxJobs: 100_000, Precision: 1e-6})
	if sim.Reached || sim.Partial || sim.Jobs > 110_000 {
		t.Errorf("reached %v, partial %v, %d jobs", sim.Reached, sim.Partial, sim.Jobs)
	}
}

// One long run with batch means and 32 replications say the same of M/M/1.
func TestSingleRun(t *testing.T) {
	needs.Concurrency(t)
	s := system(t, 1, 0.6, exponential, func(int) float64 { return 1 })
	sim := simulate(t, s, dynamic, validate.Options{Replications: 1, Seed: 2})
	e, _ := sim.Measure("mean_response_time")
	if math.Abs(e.Mean-2.5) > 4*e.StdErr || sim.Replications != 1 || e.DF < 7 {
		t.Errorf("%+v", e)
	}
}

// The same arrivals and demands under both policies make their difference known better.
func TestCommonRandomNumbers(t *testing.T) {
	needs.Concurrency(t)
	s := cluster(t, 8, 0.5)
	o := validate.Options{Seed: 4, Precision: 0.02}
	a, b := simulate(t, s, dynamic, o), simulate(t, s, static(4), o)
	runs := []validate.Simulation{b, a, simulate(t, s, dynamic, validate.Options{Replications: 4, Precision: 0.1})}
	all := validate.Differences(runs, "mean_response_time")
	if len(all) != 1 { // not that of other replications
		t.Fatalf("%d differences", len(all))
	}
	c := all[0]
	x, _ := a.Measure("mean_response_time")
	y, _ := b.Measure("mean_response_time")
	if math.Abs(c.Mean-(x.Mean-y.Mean)) > 1e-9 || c.VarianceReduction < 1.5 {
		t.Errorf("difference %v of %v and %v, variance reduction %v", c.Mean, x.Mean, y.Mean, c.VarianceReduction)
	}
	if all := validate.Differences(runs, "shoe_size"); all != nil {
		t.Errorf("differences of an unknown measure: %v", all)
	}
}

// Where average partitions are whole and all jobs are concerned by every repartition, the fidelities do not differ.
func TestMachineFidelity(t *testing.T) {
	o := validate.Options{Seed: 6, MaxJobs: 40_000, Replications: 4}
	one := cluster(t, 1, 0.6)
	a := simulate(t, one, dynamic, o)
	o.Fidelity = validate.MachineFidelity
	b := simulate(t, one, dynamic, o)
	x, _ := a.Measure("mean_response_time")
	y, _ := b.Measure("mean_response_time")
	if math.Abs(x.Mean-y.Mean) > 1e-9*x.Mean { // rounding only: the paths are the same
		t.Errorf("N = 1: %v at model fidelity, %v at machine fidelity", x.Mean, y.Mean)
	}
	// Measured run times on a grid of two nodes: the speeds are those of the measured partitions themselves.
	two := cluster(t, 2, 0.6)
	o.Fidelity = ""
	a = simulate(t, two, dynamic, o)
	two.Speedup, two.Demand = nil, phasetype.Dist{}
	o.Fidelity = validate.MachineFidelity
	b = simulate(t, two, dynamic, o)
	x, _ = a.Measure("mean_response_time")
	y, _ = b.Measure("mean_response_time")
	if math.Abs(x.Mean-y.Mean) > 1e-9*x.Mean {
		t.Errorf("N = 2: %v at model fidelity, %v at machine fidelity", x.Mean, y.Mean)
	}
}

// 95 % intervals of short simulations of M/M/1 cover the truth in 95 % of cases, less one for stopping when the interval
// happens to be short, within four standard errors of the share.
func TestCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("many simulations")
	}
	trials := 20
	if needs.IsLong() {
		trials = 200
	}
	s := system(t, 1, 0.7, exponential, func(int) float64 { return 1 })
	want := map[string]float64{"mean_response_time": 1 / 0.3, "variance_jobs": 0.7 / 0.09, "probability_wait": 0.7}
	covered := map[string]int{}
	for seed := range uint64(trials) {
		sim := simulate(t, s, dynamic, validate.Options{Seed: seed, Precision: 0.05, Replications: few(32)})
		for name, v := range want {
			if e, _ := sim.Measure(name); e.Low <= v && v <= e.High {
				covered[name]++
			}
		}
	}
	for name, n := range covered {
		share := float64(n) / float64(trials)
		if share < 0.94-4*math.Sqrt(0.94*0.06/float64(trials)) {
			t.Errorf("%s: coverage %.3f", name, share)
		}
		t.Logf("%s: coverage %.3f", name, share)
	}
}

// TestFewEventsHaveNoInterval: where hardly a job waits, or replications have a few jobs each, the means have no intervals. Intervals
// of stated estimates of M/M/1 have ends on both sides of the mean.
func TestFewEventsHaveNoInterval(t *testing.T) {
	for _, c := range []struct {
		rate, jobs float64
		stated     bool // of the mean response time
	}{{1e-4, 12_800, true}, {0.8, 480, false}} {
		s := system(t, 1, c.rate, exponential, func(int) float64 { return 1 })
		sim := simulate(t, s, dynamic, validate.Options{MaxJobs: int64(c.jobs), Precision: 1e-9, Replications: 16})
		response, _ := sim.Measure("mean_response_time")
		waiting, ok := sim.Measure("probability_wait")
		if e := sim.Stated(response); !(e.Mean > 0) || math.IsInf(e.HalfWidth, 1) == c.stated ||
			c.stated && !(0 < e.Low && e.Low < e.Mean && e.Mean < e.High) {
			t.Errorf("load %g: mean response time %+v", c.rate, e)
		}
		if e := sim.Stated(waiting); !ok || !math.IsInf(e.HalfWidth, 1) || !math.IsNaN(e.Low) || !math.IsNaN(e.High) {
			t.Errorf("load %g: probability of waiting %+v of %v jobs that waited", c.rate, e, waiting.Count)
		}
	}
}

// Two workers do the same work in little more than half the time of one.
func BenchmarkWorkers(b *testing.B) {
	s := cluster(b, 8, 0.7)
	for _, workers := range []int{1, 2} {
		b.Run(strconv.Itoa(workers), func(b *testing.B) {
			for b.Loop() {
				simulate(b, s, dynamic, validate.Options{Workers: workers, MaxJobs: 3_200_000, Precision: 1e-9})
			}
		})
	}
}

func BenchmarkSimulateN8(b *testing.B) {
	s := cluster(b, 8, 0.7)
	for b.Loop() {
		sim := simulate(b, s, dynamic, validate.Options{})
		b.ReportMetric(sim.EventsPerSecond, "events/s")
	}
}

// BenchmarkSimulateMM4 simulates 4 million jobs of the queue M/M/4 at load .7 on one processor: an arrival and a departure
// each. Beside the engine, whose speed is that of BenchmarkStaticN4 in validate/internal/chain, it counts response and
// waiting times for percentiles.
func BenchmarkSimulateMM4(b *testing.B) {
	s := system(b, 4, 2.8, exponential, func(int) float64 { return 1 })
	o := validate.Options{Workers: 1, Precision: 1e-9, MaxJobs: 4_000_000, Replications: 4}
	begin, events := phtest.CPUSeconds(), 0.0
	for b.Loop() {
		events += float64(simulate(b, s, static(4), o).Events)
	}
	b.ReportMetric(events/(phtest.CPUSeconds()-begin), "events/cpu-s")
}
