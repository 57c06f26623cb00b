package validate_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate"
)

// slowQueue is a queue that is slow to forget the empty machine, and the precision of its simulations.
type slowQueue struct {
	coveredQueue
	precision float64
	long      bool // also simulated without -study
}

// slowQueues returns queues that forget the empty machine in the time of a run, of a long run, of a modulation of arrivals, of a
// queue, and of repartitions. Hardly any job waits for one of 200 nodes or more at load .5: the mean response time is the mean run
// time, 1. Chains give the other mean response times.
func slowQueues(t *testing.T) []slowQueue {
	t.Helper()
	h2 := func(mean float64) phasetype.Dist {
		d, err := phasetype.BalancedHyperexponential(mean, 30)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	alike := func(name string, nodes int, load float64, dist func(mean float64) phasetype.Dist) coveredQueue {
		return coveredQueue{name: name, system: system(t, nodes, load*float64(nodes), dist, func(int) float64 { return 1 }),
			policy: static(nodes)}
	}
	modulated := alike("MMPP/M/20", 20, .5, exponential)
	d0 := mat.NewDense(2, 2, []float64{-8.001, .001, .001, -15.001})
	arrivals, err := phasetype.NewMAP(d0, mat.NewDense(2, 2, []float64{8, 0, 0, 15}))
	if err != nil {
		t.Fatal(err)
	}
	modulated.system.Arrivals = arrivals
	resized := coveredQueue{name: "dynamic", policy: dynamic,
		system: system(t, 16, 8, exponential, func(jobs int) float64 { return .05 + .95*float64(jobs)/16 })}
	overhead := exponential(.02)
	resized.system.Shrink, resized.system.Expand = []phasetype.Dist{overhead}, []phasetype.Dist{overhead}
	four := alike("M/M/4", 4, .9, exponential)
	thousand, large := alike("M/M/1000", 1000, .5, exponential), alike("M/M/4000", 4000, .5, exponential)
	hyper := alike("M/H2/200", 200, .5, h2)
	for _, q := range []*coveredQueue{&thousand, &large, &hyper} {
		q.truth = map[string]float64{measure.MeanResponseTime: 1}
	}
	queues := []slowQueue{{thousand, .05, true}, {thousand, .01, false}, {large, .05, false}, {four, .05, false},
		{alike("M/M/100", 100, .97, exponential), .05, false}, {modulated, .2, false}, {alike("M/H2/8", 8, .7, h2), .2, false},
		{hyper, .05, false}, {resized, .05, false}}
	for k := range queues {
		if q := &queues[k]; q.truth == nil && (q.long || needs.IsStudy()) {
			q.truth = exactMeasures(t, q.coveredQueue)
		}
	}
	return queues
}

// TestRunsForgetTheEmptyMachine: intervals of 95 % cover the mean response time of queues that forget slowly, within three
// standard errors. As many estimates are too low as too high, by a sign test at .1 %.
func TestRunsForgetTheEmptyMachine(t *testing.T) {
	needs.Long(t, "simulates large machines for seconds")
	seeds := 24
	if needs.IsStudy() {
		seeds = 200
	}
	for _, q := range slowQueues(t) {
		if !q.long && !needs.IsStudy() {
			continue
		}
		t.Run(fmt.Sprintf("%s/precision=%g", strings.ReplaceAll(q.name, "/", ""), q.precision), func(t *testing.T) {
			var counts coverage
			truth, below := map[string]float64{measure.MeanResponseTime: q.truth[measure.MeanResponseTime]}, 0
			for seed := range seeds {
				s := simulate(t, q.system, q.policy, validate.Options{Seed: uint64(seed), Precision: q.precision, Replications: 32})
				counts.add(s, truth)
				if e, _ := s.Measure(measure.MeanResponseTime); e.Mean < truth[measure.MeanResponseTime] {
					below++
				}
			}
			counts.judge(t, truth)
			t.Logf("%d of %d are too low", below, seeds)
			side := max(below, seeds-below)
			if p := 2 * (1 - (distuv.Binomial{N: float64(seeds), P: .5}).CDF(float64(side-1))); p < .001 {
				t.Errorf("%d of %d mean response times are too low, which chance does with probability %.2g", below, seeds, math.Min(1, p))
			}
		})
	}
}
