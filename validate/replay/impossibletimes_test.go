package replay_test

import (
	"testing"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
)

// TestWithApart: a job with a wrong start holds the whole machine for long, so that the jobs behind it wait. A job without a run
// time cannot be run, and one from before the log moves the begin of the log.
func TestWithApart(t *testing.T) {
	var jobs []joblog.Job
	for i := range 100 {
		jobs = append(jobs, joblog.Job{ID: i + 1, Submit: float64(100 * i), Run: 50, Processors: 2})
	}
	choice := replay.Choice{Name: "log", Nodes: 4, Apart: []joblog.Job{{ID: 201, Submit: 1000, Run: 1e6, Processors: 4},
		{ID: 202, Submit: 1000, Run: -1, Processors: 4}, {ID: 203, Submit: -500, Run: 10, Processors: 1}}}
	choice.Header.UnixStartTime = 1e9
	log, err := replay.ChooseList(joblog.ListOf(jobs), choice)
	if err != nil {
		t.Fatal(err)
	}
	with, taken, err := log.WithApart()
	if err != nil || taken != 2 || with.Header.UnixStartTime != 1e9-500 || with.Offer.First != 0 {
		t.Fatalf("%d jobs, begins at %d: %v", taken, with.Header.UnixStartTime, err)
	}
	study := replay.Study{Log: log, Policies: []policy.Policy{policy.EASY{}}, Assumptions: replay.Usual()}
	without, err := study.Run(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	runs, taken, err := study.RunWithApart(t.Context(), 1)
	if err != nil || taken != 2 || len(runs) != 1 || runs[0].Jobs != 102 || without[0].Jobs != 100 {
		t.Fatalf("%d runs with %d jobs: %v", len(runs), taken, err)
	}
	if wait := runs[0].Measures[measure.MeanWaitingTime]; without[0].Measures[measure.MeanWaitingTime] != 0 || wait < 1e5 {
		t.Errorf("jobs wait %g s with the job that runs for long", wait)
	}
	study.Loads = []float64{0.3, 0.6}
	atLoads, err := study.Run(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	withApart, _, err := study.RunWithApart(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range atLoads {
		if like := run.Like(withApart); like == nil || like.Load != run.Load {
			t.Errorf("at load %g the run is like %+v", run.Load, like)
		}
	}
	log.Apart = log.Apart[1:2]
	if with, taken, err = log.WithApart(); with != nil || taken != 0 || err != nil {
		t.Errorf("no job can be run: %v, %d, %v", with, taken, err)
	}
}

// TestCheckLoad: jobs that held more node-time than the machine had are refused, with the number of nodes that fits.
func TestCheckLoad(t *testing.T) {
	var jobs []joblog.Job
	for i := range 100 {
		jobs = append(jobs, joblog.Job{ID: i + 1, Submit: float64(100 * i), Run: 300, Processors: 2})
	}
	if err := chosen(t, jobs, 8).CheckLoad(); err != nil {
		t.Error(err)
	}
	const want = "replay: nodes: the jobs of log held 1.47 times the node-time that 4 nodes had; use 6 nodes: no more were in use at once"
	if err := chosen(t, jobs, 4).CheckLoad(); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	const doubtful = "replay: nodes: the jobs of log held 2.94 times the node-time that 2 nodes had; check the columns of run times and sizes; " +
		"if they are right, use 6 nodes: no more were in use at once"
	if err := chosen(t, jobs, 2).CheckLoad(); err == nil || err.Error() != doubtful {
		t.Errorf("%v", err)
	}
	if err := chosen(t, jobs[:50], 4).CheckLoad(); err != nil {
		t.Errorf("50 jobs are too few to tell: %v", err)
	}
}

// TestCheckLoadOfAllJobs: the number of nodes that fits covers also the jobs that the machine is too small for.
func TestCheckLoadOfAllJobs(t *testing.T) {
	var jobs []joblog.Job
	for i := range 100 {
		jobs = append(jobs, joblog.Job{ID: i + 1, Submit: float64(100 * i), Run: 300, Processors: 2})
	}
	jobs = append(jobs, joblog.Job{ID: 101, Submit: 9900, Run: 100, Processors: 16})
	const want = "replay: nodes: the jobs of log held 1.47 times the node-time that 4 nodes had; use 22 nodes: no more were in use at once"
	if err := chosen(t, jobs, 4).CheckLoad(); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}

// TestCheckLoadWithoutWaits: a log that does not tell when jobs started does not tell how many nodes were in use at once.
// The number of nodes that fits has a load below 1, and holds the largest job.
func TestCheckLoadWithoutWaits(t *testing.T) {
	var jobs []joblog.Job
	for i := range 101 {
		jobs = append(jobs, joblog.Job{ID: i + 1, Submit: float64(100 * i), Wait: -1, Run: 300, Processors: 2})
	}
	says := func(problem string, nodes int) {
		t.Helper()
		if err := chosen(t, jobs, nodes).CheckLoad(); err == nil || err.Error() != "replay: load: the jobs of log "+problem {
			t.Errorf("%v; want %s", err, problem)
		}
	}
	says("offer a load of 1.51 to 4 nodes, and the log does not tell when they started; use at least 7 nodes, or a load below 1", 4)
	if load := chosen(t, jobs, 7).Load(); load >= 1 {
		t.Errorf("7 nodes have a load of %g", load)
	}
	jobs = append(jobs, joblog.Job{ID: 102, Submit: 10000, Wait: -1, Run: 1, Processors: 16})
	says("offer a load of 1.51 to 4 nodes, and the log does not tell when they started; use at least 16 nodes, or a load below 1", 4)
}
