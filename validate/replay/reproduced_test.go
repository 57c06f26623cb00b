package replay

import (
	"math"
	"slices"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// TestReplayReproducesItself: a log whose waits are those of EASY is reproduced by EASY, and not by a machine with twice the nodes.
func TestReplayReproducesItself(t *testing.T) {
	var jobs []joblog.Job
	for i := range 2000 {
		jobs = append(jobs, joblog.Job{ID: i + 1, Submit: float64(100 * i), Run: float64(60 + i*7919%1500), Processors: 1 + i*104729%4, Estimate: 1600})
	}
	waits := func(jobs []joblog.Job, nodes int) *Run {
		log, err := FromJobs(jobs, nodes)
		if err != nil {
			t.Fatal(err)
		}
		s := rigid(log)
		runs, err := s.Run(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		return runs[0]
	}
	for i := range jobs {
		jobs[i].Wait = -1
	}
	if r := waits(jobs, 20); r.Waits != nil {
		t.Error("waits are compared with those of a log that has none")
	}
	recordWaits(t, jobs, 20)
	if r := waits(jobs, 20); r.Waits == nil || !r.Waits.Reproduced || math.Abs(r.Waits.RankCorrelation-1) > 1e-9 {
		t.Errorf("EASY does not reproduce its own waits: %+v", r.Waits)
	}
	if r := waits(jobs, 40); r.Waits == nil || r.Waits.Reproduced {
		t.Errorf("EASY on twice the nodes reproduces the waits: %+v", r.Waits)
	}
}

// recordWaits sets the waits of jobs to those under EASY.
func recordWaits(t *testing.T, jobs []joblog.Job, nodes int) {
	t.Helper()
	log, err := FromJobs(slices.Clone(jobs), nodes)
	if err != nil {
		t.Fatal(err)
	}
	s := rigid(log)
	s.Done = func(_ *Run, r *machine.Record) { jobs[r.Number].Wait = r.Wait() }
	if _, err := s.Run(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
}

// rigid returns the study of a log under EASY.
func rigid(log *Log) Study {
	return Study{Log: log, Policies: []policy.Policy{policy.EASY{}}, Assumptions: Assumptions{Least: 1, Most: 1}}
}

// TestAnchored: with a logged response time as in the replay, the anchored ratio is the ratio; with twice that time it is nearer
// to 1.
func TestAnchored(t *testing.T) {
	ratio := metric.Interval{Mean: 1.25, Low: 1.2, High: 1.3, HalfWidth: 0.05}
	for _, c := range []struct{ logged, mean, low float64 }{{100, 1.25, 1.2}, {200, 200.0 / 180, 200 / (100 + 100/1.2)}} {
		e, ok := anchored(ratio, 100, c.logged)
		if !ok || math.Abs(e.Mean-c.mean) > 1e-12 || math.Abs(e.Low-c.low) > 1e-12 {
			t.Errorf("anchored at %v: %v, %v; want %v", c.logged, e, ok, c.mean)
		}
	}
	if e, ok := anchored(ratio, 100, 15); ok {
		t.Errorf("20 s are saved of 15 s: %v", e.Mean)
	}
}
