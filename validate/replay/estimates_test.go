package replay_test

import (
	"context"
	"math"
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/replay"
)

// eightNodes returns n jobs on up to 4 nodes, which offer a machine of 8 nodes a load of .8.
func eightNodes(n int) []joblog.Job {
	stream := des.Seed(3).Stream()
	var all []joblog.Job
	now := 0.0
	for i := range n {
		now += stream.Exp() * 100 * 2.5 / (0.8 * 8)
		run := 1 + math.Floor(100*stream.Exp())
		all = append(all, joblog.Job{ID: i + 1, Submit: math.Floor(now), Run: run, Processors: 1 + int(4*stream.Float64()), Estimate: run,
			Status: joblog.Completed})
	}
	return all
}

// TestStudiesAndSystemsReplayAlike: a log replayed by a study, and on the machine of a system, has the same measures to the
// last digit, and the same intervals but for those by arrivals. Every measure of the run has an estimate, and its mean is
// that of the run.
func TestStudiesAndSystemsReplayAlike(t *testing.T) {
	const nodes = 8
	list := eightNodes(2000)
	log := chosen(t, list, nodes)
	linear := replay.Assumptions{Cost: replay.Cost{Name: "0s"}, Stops: models.ResizedStop, Speedup: workload.Linear{}, Least: 0.5, Most: 2}
	study := replay.Study{Log: log, Policies: []policy.Policy{policy.Dynamic{}}, Assumptions: linear, Percentiles: true}
	runs, err := study.Run(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	run := runs[0]
	estimates := map[string]validate.Estimate{}
	for _, e := range run.Estimates() {
		estimates[e.Name] = e
	}
	for name, v := range run.Measures {
		if e, has := estimates[name]; !math.IsNaN(v) && (!has || e.Mean != v || !(e.Low <= v && v <= e.High)) {
			t.Errorf("%s is %v, estimated as %+v", name, v, e)
		}
	}
	sim, err := validate.Replay(context.Background(), free(nodes), policy.Dynamic{}, malleable(t, list, nodes),
		validate.Options{Confidence: measure.Confidence, Percentiles: true, SlowdownBound: measure.SlowdownBound})
	if err != nil {
		t.Fatal(err)
	}
	response, wait, slowdown := run.Intervals()
	byArrivals := map[string]float64{measure.MeanResponseTime: response.HalfWidth, measure.MeanWaitingTime: wait.HalfWidth,
		measure.MeanBoundedSlowdown: slowdown.HalfWidth}
	for _, e := range sim.Measures {
		own, has := estimates[e.Name]
		half, arrivals := byArrivals[e.Name]
		if !arrivals {
			half = e.HalfWidth
		}
		if !has || own.Mean != e.Mean || own.HalfWidth != half {
			t.Errorf("%s is %+v in the study, %+v on the system", e.Name, own, e)
		}
	}
}

// free returns a machine whose jobs have linear speedups and can be resized without cost.
func free(nodes int) *models.System {
	s := &models.System{Nodes: nodes, MinNodes: 1, Demand: phasetype.Must(phasetype.Exponential(1)), Speedup: workload.Linear{}}
	for i := 1; i <= nodes; i++ {
		s.Service = append(s.Service, phasetype.Must(phasetype.Exponential(float64(nodes)/float64(i))))
	}
	var err error
	if s.Arrivals, err = phasetype.Renewal(phasetype.Must(phasetype.Exponential(1))); err != nil {
		panic(err)
	}
	return s
}

// malleable returns the jobs of a log as malleable jobs of linear speedup.
func malleable(t *testing.T, list []joblog.Job, nodes int) []workload.Job {
	t.Helper()
	jobs, _, err := workload.OnMachine(joblog.ListOf(list), nodes, workload.WithSpeedup(workload.Malleable, workload.Linear{}))
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}
