package machine_test

import (
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
)

// Where the machine kills it does so at what the user asked for, or at the estimate itself; where it does not, no job
// outlives what policies plan with.
func TestEstimates(t *testing.T) {
	first, second := rigid(1, 0, 1, 100), rigid(2, 0, 1, 0)
	first.Requested, second.Requested = 60, 60
	for _, c := range []struct {
		estimates      string
		kill           bool
		end, planned   float64 // of the first
		plannedNothing float64 // of the second, which takes no time
	}{
		{"logged", false, 100, 100, 60},
		{"logged", true, 60, 60, 60},
		{"times:2", false, 100, 120, 120},
		{"times:2", true, 60, 120, 120},
		{"actual", true, 100, 100, 1},
		{"actual", false, 100, 100, 1},
	} {
		e, err := workload.ParseEstimator(c.estimates)
		if err != nil {
			t.Fatal(err)
		}
		records, _ := lived(t, machine.Config{Nodes: 2, Policy: policy.FCFS{}, KillAtEstimate: c.kill,
			Jobs: machine.List{first, second}, Estimates: &machine.Estimates{New: e, Key: des.Seed(1)}})
		nothing, r := records[0], records[1]
		if r.End != c.end || r.Estimate != c.planned || r.Killed != (c.end < 100) ||
			nothing.Estimate != c.plannedNothing {
			t.Errorf("%s, kill %v: %+v", c.estimates, c.kill, records)
		}
	}
}

// A policy plans with the request, not with the run time that the kill prevents. Job 3 requests 5 of its 100 s on one
// node: it fits in front of job 2, which gets both nodes when job 1 ends.
func TestPlansComeFromRequests(t *testing.T) {
	e, err := workload.ParseEstimator("logged")
	if err != nil {
		t.Fatal(err)
	}
	jobs := machine.List{rigid(1, 0, 1, 10), rigid(2, 1, 2, 10), rigid(3, 2, 1, 100)}
	for i, requested := range []float64{10, 10, 5} {
		jobs[i].Requested = requested
	}
	for _, p := range []policy.Policy{policy.EASY{}, policy.Conservative{}} {
		records, _ := lived(t, machine.Config{Nodes: 2, Policy: p, KillAtEstimate: true, Jobs: jobs,
			Estimates: &machine.Estimates{New: e, Key: des.Seed(1)}})
		for _, r := range records {
			start, end := []float64{0, 10, 2}[r.ID-1], []float64{10, 20, 7}[r.ID-1]
			if r.Start != start || r.End != end {
				t.Errorf("%s: job %d ran from %g to %g, want %g to %g", p, r.ID, r.Start, r.End, start, end)
			}
		}
	}
}

// Random estimates do not depend on the policy.
func TestEstimatesDoNotDependOnThePolicy(t *testing.T) {
	e, err := workload.ParseEstimator("uniform:4")
	if err != nil {
		t.Fatal(err)
	}
	jobs := machine.List{rigid(1, 0, 2, 100), rigid(2, 0, 2, 50), rigid(3, 0, 1, 10), rigid(4, 0, 1, 10)}
	estimates := map[int]float64{}
	for _, p := range []policy.Policy{policy.FCFS{}, policy.EASY{}, policy.Conservative{}} {
		records, _ := lived(t, machine.Config{Nodes: 2, Policy: p, Jobs: jobs,
			Estimates: &machine.Estimates{New: e, Key: des.Seed(1)}})
		for _, r := range records {
			if before, there := estimates[r.ID]; there && r.Estimate != before {
				t.Errorf("%s: the estimate of job %d is %v, it was %v", p, r.ID, r.Estimate, before)
			}
			estimates[r.ID] = r.Estimate
		}
	}
	if estimates[3] == estimates[4] {
		t.Error("jobs of the same length have the same estimate")
	}
}
