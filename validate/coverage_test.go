package validate_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate"
)

// coveredQueue is what the intervals of a simulation should cover: exact measures of a queue.
type coveredQueue struct {
	name                     string
	system                   *models.System
	partitions               int
	mean, variance, p95, p99 float64 // of the response time, but for the variance, which is that of the number of jobs
}

// atHighLoad returns M/M/1 with service rate 1, by formula, and H2/H2/8, by the exact chain of static partitioning: demands
// of mean 1 and gaps between arrivals with squared coefficients of variation of 4 and balanced means.
func atHighLoad(t *testing.T, load float64) []coveredQueue {
	t.Helper()
	one := coveredQueue{"M/M/1", system(t, 1, load, exponential, func(int) float64 { return 1 }), 1, 1 / (1 - load),
		load / ((1 - load) * (1 - load)), math.Log(20) / (1 - load), math.Log(100) / (1 - load)}
	eight, exact := one, map[float64][4]float64{
		.7:  {1.533430918256934, 70.28833958438693, 5.5734091629297975, 11.636867422901895},
		.9:  {4.664801661442884, 1322.8701745923095, 15.125116085029207, 23.548946381038704},
		.95: {9.618567260004248, 5941.126018011508, 29.755257494100366, 45.864863423021944},
	}[load]
	eight.name, eight.partitions = "H2/H2/8", 8
	eight.mean, eight.variance, eight.p95, eight.p99 = exact[0], exact[1], exact[2], exact[3]
	p := (1 + math.Sqrt(3./5)) / 2 // SCV 4
	h2 := func(mean float64) phasetype.Dist {
		rates := mat.NewDense(2, 2, []float64{-2 * p / mean, 0, 0, -2 * (1 - p) / mean})
		return phasetype.Must(phasetype.New([]float64{p, 1 - p}, rates))
	}
	eight.system = system(t, 8, 1, h2, func(int) float64 { return 1 })
	arrivals, err := phasetype.Renewal(h2(1 / (8 * load)))
	if err != nil {
		t.Fatal(err)
	}
	eight.system.Arrivals = arrivals
	return []coveredQueue{one, eight}
}

// TestCoverageAtHighLoad: intervals of 95 % cover the mean, and at least 92 % the variance and high percentiles, at coarse
// precisions, too. The study repeats 200 runs at each load and precision, a run of the test a dozen at one.
func TestCoverageAtHighLoad(t *testing.T) {
	needs.Long(t, "simulates two queues near saturation for seconds")
	loads, precisions, runs := []float64{.9}, []float64{.5}, 12
	if needs.IsStudy() {
		loads, precisions, runs = []float64{.7, .9, .95}, []float64{.01, .05, .1, .5}, 200
	}
	for _, load := range loads {
		for _, queue := range atHighLoad(t, load) {
			truth := map[string]float64{measure.MeanResponseTime: queue.mean, measure.VarianceJobs: queue.variance,
				measure.ResponseTimePercentile(.95): queue.p95, measure.ResponseTimePercentile(.99): queue.p99}
			for _, precision := range precisions {
				hits, stated := map[string]int{}, map[string]int{}
				for seed := range runs {
					sim := simulate(t, queue.system, static(queue.partitions), validate.Options{Precision: precision, Seed: uint64(seed)})
					for name, x := range truth {
						e, ok := sim.Measure(name)
						if !ok {
							continue
						}
						stated[name]++
						if e.Low <= x && x <= e.High {
							hits[name]++
						}
					}
				}
				t.Logf("%s at %g, precision %g: of %d intervals cover %v, of those stated: %v", queue.name, load, precision, runs, hits, stated)
				for name, n := range stated {
					wanted := .92
					if name == measure.MeanResponseTime {
						wanted = .95
					}
					least := wanted - 3*math.Sqrt(wanted*(1-wanted)/float64(n)) // three standard errors
					if float64(hits[name]) < least*float64(n) {
						t.Errorf("%s at %g, precision %g: %d of %d intervals cover %s", queue.name, load, precision, hits[name], n, name)
					}
				}
			}
		}
	}
}

// TestIntervalsOfSharesEndAtOne: at a load near 1, in few short replications, no end of an interval of a share or a probability is below 0
// or above 1.
func TestIntervalsOfSharesEndAtOne(t *testing.T) {
	queue := atHighLoad(t, .95)[0]
	shares := []string{measure.ProbabilityWait, measure.Utilization, measure.ProbabilityEmpty}
	for seed := range uint64(8) {
		sim := simulate(t, queue.system, static(1), validate.Options{Precision: .9, Replications: 2, MaxJobs: 2000, Seed: seed})
		for _, name := range shares {
			if e, ok := sim.Measure(name); ok && !(0 <= e.Low && e.Low <= e.Mean && e.Mean <= e.High && e.High <= 1) {
				t.Errorf("seed %d: %s %+v", seed, name, e.Interval)
			}
		}
	}
}
