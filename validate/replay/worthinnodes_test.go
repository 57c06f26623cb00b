package replay_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
)

// lublinStudy returns the study of drawn jobs on 64 nodes at a load of 0.8, with the given policy and shares of malleable jobs.
func lublinStudy(t *testing.T, p policy.Policy, shares ...float64) replay.Study {
	t.Helper()
	jobs, err := replay.Lublin(rand.New(rand.NewPCG(1, 2)), 64, 3000)
	if err != nil {
		t.Fatal(err)
	}
	return replay.Study{Log: chosen(t, jobs, 64), Policies: []policy.Policy{p}, Shares: shares, Loads: []float64{0.8}, Assumptions: replay.Usual()}
}

// TestWorthInNodes: EASY takes longer than malleable jobs with 2 nodes fewer than they are worth, and takes less long with 2
// nodes more. More malleable jobs are worth more nodes.
func TestWorthInNodes(t *testing.T) {
	study := lublinStudy(t, policy.EASYMalleable{}, 0.1, 0.2)
	runs, err := study.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := study.WorthInNodes(t.Context(), 0, runs[:2]); err != nil {
		t.Fatal(err)
	}
	before := 64.0
	for _, run := range runs[:2] {
		n := run.Worth.Nodes
		if !(n.Low <= n.Mean && n.Mean < n.High) || !(n.Mean > before) {
			t.Errorf("%g malleable: worth %g nodes, in %g to %g, after %g", run.Share, n.Mean, n.Low, n.High, before)
		}
		before = n.Mean
		fewer, more := ratioOnNodes(t, study, run, n.Mean-2), ratioOnNodes(t, study, run, n.Mean+2)
		if !(more < 1 && (fewer > 1 || n.Mean < 66)) { // a job of 64 nodes runs on no fewer
			t.Errorf("%g malleable are worth %.1f nodes: EASY takes %g times as long with 2 fewer, %g times with 2 more", run.Share, n.Mean, fewer, more)
		}
	}
}

// ratioOnNodes returns the mean response time of EASY on another number of nodes over that of a run, for the same jobs.
func ratioOnNodes(t *testing.T, study replay.Study, run *replay.Run, nodes float64) float64 {
	t.Helper()
	easy := study
	easy.Policies, easy.Loads = []policy.Policy{policy.EASY{}}, nil
	easy.Log = chosen(t, offered(t, study.Log, 0.8).Jobs(), int(math.Round(nodes)))
	alone, err := easy.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return alone[0].Measures[measure.MeanResponseTime] / run.Measures[measure.MeanResponseTime]
}

// TestWorthOfEASY: EASY is worth the nodes that it has, within the 2 % between two numbers that are tried.
func TestWorthOfEASY(t *testing.T) {
	study := lublinStudy(t, policy.EASY{})
	runs, err := study.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := study.WorthInNodes(t.Context(), 0, runs); err != nil {
		t.Fatal(err)
	}
	if n := runs[0].Worth.Nodes; math.Abs(n.Mean-64) > 1.5 {
		t.Errorf("EASY on 64 nodes is worth %g nodes, in %g to %g", n.Mean, n.Low, n.High)
	}
}

// TestWorthOfKTH: on a real log a fifth of the jobs is worth several nodes, and all jobs together are worth more than any number, and
// certainly more than twice the machine.
func TestWorthOfKTH(t *testing.T) {
	log := packed(t, "KTH-SP2-1996-2.merged.swf.gz", 100)
	study := replay.Study{Log: log, Policies: []policy.Policy{policy.EASYMalleable{}}, Shares: []float64{0.2, 1}, Assumptions: replay.Usual()}
	runs, err := study.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := study.WorthInNodes(t.Context(), 0, runs[:2]); err != nil {
		t.Fatal(err)
	}
	some, all := runs[0].Worth.Nodes, runs[1].Worth.Nodes
	if !(101 < some.Low && some.Mean < 112 && some.High < 120) || !math.IsInf(all.Mean, 1) || all.Low < 200 {
		t.Errorf("20 %% malleable jobs are worth %v nodes, all jobs %v", some, all)
	}
}

// TestWorthWithoutLimit: malleable jobs that run faster than they ever did are worth more than any number of nodes.
func TestWorthWithoutLimit(t *testing.T) {
	var jobs []joblog.Job
	for i := range 200 {
		jobs = append(jobs, joblog.Job{ID: i + 1, Submit: float64(1000 * i), Run: 500, Processors: 2})
	}
	study := replay.Study{Log: chosen(t, jobs, 8), Policies: []policy.Policy{policy.EASYMalleable{}}, Assumptions: replay.Usual()}
	study.Cost = replay.Cost{}
	runs, err := study.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := study.WorthInNodes(t.Context(), 0, runs[:1]); err != nil {
		t.Fatal(err)
	}
	if n := runs[0].Worth.Nodes; !math.IsInf(n.Mean, 1) {
		t.Errorf("jobs that run at twice their speed are worth %g nodes", n.Mean)
	}
}
