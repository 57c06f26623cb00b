package validate_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate"
)

// coveredQueue is a queue at a load, with exact measures that intervals should cover.
type coveredQueue struct {
	name   string
	system *models.System
	policy policy.Policy
	truth  map[string]float64 // by the name of the measure
}

// atHighLoad returns three queues at a load of the traffic intensity of their policy. M/M/1 and H2/H2/8 are static partitions of
// one node each; H2 has a squared coefficient of variation of 4 and balanced means. In the third queue jobs with H2 demands share
// 4 nodes dynamically, and all stand still when nodes are divided anew. M/M/1 has its measures by formula, the others by their
// chains.
func atHighLoad(t *testing.T, load float64) []coveredQueue {
	t.Helper()
	p := (1 + math.Sqrt(3./5)) / 2 // SCV 4
	h2 := func(mean float64) phasetype.Dist {
		rates := mat.NewDense(2, 2, []float64{-2 * p / mean, 0, 0, -2 * (1 - p) / mean})
		return phasetype.Must(phasetype.New([]float64{p, 1 - p}, rates))
	}
	one := coveredQueue{"M/M/1", system(t, 1, load, exponential, func(int) float64 { return 1 }), static(1), map[string]float64{
		measure.MeanResponseTime: 1 / (1 - load), measure.VarianceJobs: load / ((1 - load) * (1 - load)),
		measure.ResponseTimePercentile(.95): math.Log(20) / (1 - load), measure.ResponseTimePercentile(.99): math.Log(100) / (1 - load)}}
	eight := coveredQueue{name: "H2/H2/8", system: system(t, 8, 1, h2, func(int) float64 { return 1 }), policy: static(8)}
	arrivals, err := phasetype.Renewal(h2(1 / (8 * load)))
	if err != nil {
		t.Fatal(err)
	}
	eight.system.Arrivals = arrivals
	amdahl := func(jobs int) float64 { return .05 + .95*float64(jobs)/4 } // each has 4/jobs nodes
	four := coveredQueue{name: "M/H2/4 dynamic", system: system(t, 4, 1, h2, amdahl), policy: dynamic}
	overhead := exponential(.02)
	four.system.Shrink, four.system.Expand = []phasetype.Dist{overhead}, []phasetype.Dist{overhead}
	if four.system, err = four.system.WithLoad(load); err != nil {
		t.Fatal(err)
	}
	eight.truth, four.truth = exactMeasures(t, eight), exactMeasures(t, four)
	return []coveredQueue{one, eight, four}
}

// exactMeasures returns the measures of a queue that intervals should cover, by its chain.
func exactMeasures(t *testing.T, q coveredQueue) map[string]float64 {
	t.Helper()
	exact := solved(t, q.system, q.policy)
	_, times, _, err := exact.Quantiles(ctx, "", []float64{.95, .99})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]float64{measure.MeanResponseTime: exact.MeanResponseTime, measure.VarianceJobs: exact.VarianceJobs,
		measure.ResponseTimePercentile(.95): times[0], measure.ResponseTimePercentile(.99): times[1]}
}

// TestCoverageAtHighLoad: intervals of 95 % cover the mean, and at least 92 % the variance of the number of jobs and high
// percentiles. The share is judged within three standard errors. A measure whose interval is refused does not count. The study
// repeats 1,000 runs at each load and precision, but 200 at a precision of 1 %. Else the test repeats a dozen runs at one load
// and precision.
func TestCoverageAtHighLoad(t *testing.T) {
	needs.Long(t, "simulates three queues near saturation for seconds")
	loads, precisions := []float64{.9}, []float64{.5}
	if needs.IsStudy() {
		loads, precisions = []float64{.7, .9, .95}, []float64{.5, .2, .1, .05, .02, .01}
	}
	for _, load := range loads {
		for _, queue := range atHighLoad(t, load) {
			t.Run(fmt.Sprintf("%s/load=%g", strings.ReplaceAll(queue.name, "/", ""), load), func(t *testing.T) {
				testCoverage(t, queue, precisions)
			})
		}
	}
}

// coverageRuns returns how many simulations of a precision are repeated.
func coverageRuns(precision float64) int {
	switch {
	case !needs.IsStudy():
		return 12
	case precision <= .01:
		return 200
	}
	return 1000
}

// testCoverage simulates a queue with many seeds and counts how many intervals cover the exact measures. A seed is simulated once
// for all precisions, which descend.
func testCoverage(t *testing.T, queue coveredQueue, precisions []float64) {
	counts := make([]coverage, len(precisions))
	for seed := range coverageRuns(precisions[0]) {
		finer := slices.IndexFunc(precisions, func(p float64) bool { return seed >= coverageRuns(p) })
		if finer < 0 {
			finer = len(precisions)
		}
		o := validate.Options{Seed: uint64(seed)}
		simulations, err := validate.SimulateToPrecisions(ctx, queue.system, queue.policy, o, precisions[:finer])
		if err != nil {
			t.Fatal(err)
		}
		for k, sim := range simulations {
			counts[k].add(sim, queue.truth)
			if (seed+1)%100 == 0 {
				t.Logf("precision %g: %v of %v after %d simulations", precisions[k], counts[k].hits, counts[k].stated, seed+1)
			}
		}
	}
	for k, precision := range precisions {
		t.Run(fmt.Sprintf("precision=%g", precision), func(t *testing.T) { counts[k].judge(t, queue.truth) })
	}
}

// coverage counts by measure how many intervals were stated, and how many of them cover the exact value.
type coverage struct {
	runs, jobs   int64
	hits, stated map[string]int
}

// add counts the intervals of a simulation.
func (c *coverage) add(s validate.Simulation, truth map[string]float64) {
	if c.hits == nil {
		c.hits, c.stated = map[string]int{}, map[string]int{}
	}
	c.runs++
	c.jobs += s.Jobs
	for name, x := range truth {
		e, ok := s.Measure(name)
		if !ok {
			continue
		}
		c.stated[name]++
		if e.Low <= x && x <= e.High {
			c.hits[name]++
		}
	}
}

// judge reports an error for each measure whose intervals cover too rarely.
func (c *coverage) judge(t *testing.T, truth map[string]float64) {
	t.Logf("%d simulations of %d jobs on average", c.runs, c.jobs/c.runs)
	for _, name := range slices.Sorted(maps.Keys(truth)) {
		n := c.stated[name]
		wanted := .92
		if name == measure.MeanResponseTime {
			wanted = .95
		}
		share := float64(c.hits[name]) / float64(n)
		t.Logf("%s: %d of %d intervals cover %g (%.1f %%)", name, c.hits[name], n, truth[name], 100*share)
		if least := wanted - 3*math.Sqrt(wanted*(1-wanted)/float64(n)); share < least {
			t.Errorf("%s: %.1f %% of the intervals cover, want %.1f %% at least", name, 100*share, 100*least)
		}
	}
}

// TestCoverageOfFewRuns: four runs, and one run, cover the mean response time less often than 32 runs do. The documentation
// states the shares, which lie between least and most.
func TestCoverageOfFewRuns(t *testing.T) {
	needs.Study(t, "simulates three queues 3,600 times")
	for _, c := range []struct {
		name        string
		options     validate.Options
		least, most float64
	}{
		{"runs=4", validate.Options{Replications: 4, Precision: .2}, .91, .96},
		{"runs=1", validate.Options{Replications: 1, Precision: .2}, .78, .91},
		{"runs=1/jobs=1000", validate.Options{Replications: 1, MaxJobs: 1000, Precision: 1e-9}, .61, .79},
	} {
		for _, queue := range atHighLoad(t, .7) {
			t.Run(c.name+"/"+strings.ReplaceAll(queue.name, "/", ""), func(t *testing.T) {
				var counts coverage
				for seed := range 400 {
					c.options.Seed = uint64(seed)
					counts.add(simulate(t, queue.system, queue.policy, c.options), queue.truth)
				}
				share := float64(counts.hits[measure.MeanResponseTime]) / float64(counts.stated[measure.MeanResponseTime])
				t.Logf("%.1f %% of the intervals cover", 100*share)
				if math.Round(100*share) < 100*c.least || math.Round(100*share) > 100*c.most {
					t.Errorf("%.1f %% of the intervals cover, want %g to %g %%", 100*share, 100*c.least, 100*c.most)
				}
			})
		}
	}
}

// TestCoarsePrecisionsBeginFinerOnes: one simulation to the finest of several precisions gives to the last bit what simulations
// to each of them give.
func TestCoarsePrecisionsBeginFinerOnes(t *testing.T) {
	queue, precisions := atHighLoad(t, .95)[0], []float64{.9, .6, .1}
	o := validate.Options{Replications: 1, MaxJobs: 60_000} // the warm-up of a single run is long, so that histograms begin anew
	for o.Seed = range 3 {
		all, err := validate.SimulateToPrecisions(ctx, queue.system, queue.policy, o, precisions)
		if err != nil {
			t.Fatal(err)
		}
		for k, precision := range precisions {
			o.Precision = precision
			one := simulate(t, queue.system, queue.policy, o)
			if !slices.Equal(one.Measures, all[k].Measures) || one.Jobs != all[k].Jobs || one.Precision != all[k].Precision {
				t.Errorf("seed %d, precision %g: %d jobs and %v, but %d jobs and %v on the way to a finer precision", o.Seed, precision,
					one.Jobs, one.Measures, all[k].Jobs, all[k].Measures)
			}
		}
	}
}

// TestIntervalsOfSharesEndAtOne: at a load near 1, in few short replications, no end of an interval of a share or a probability
// is below 0 or above 1.
func TestIntervalsOfSharesEndAtOne(t *testing.T) {
	queue := atHighLoad(t, .95)[0]
	shares := []string{measure.ProbabilityWait, measure.Utilization, measure.ProbabilityEmpty}
	for seed := range uint64(8) {
		sim := simulate(t, queue.system, queue.policy, validate.Options{Precision: .9, Replications: 2, MaxJobs: 2000, Seed: seed})
		for _, name := range shares {
			if e, ok := sim.Measure(name); ok && !(0 <= e.Low && e.Low <= e.Mean && e.Mean <= e.High && e.High <= 1) {
				t.Errorf("seed %d: %s %+v", seed, name, e.Interval)
			}
		}
	}
}
