package replay_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
)

// responseOf returns the mean response time of a run.
func responseOf(r *replay.Run) float64 { return r.Measures[measure.MeanResponseTime] }

// TestOneWay: jobs of one node cannot shrink, so that growing brings all that resizing brings. Jobs that fill the machine cannot
// grow.
func TestOneWay(t *testing.T) {
	jobsOf := func(nodes int) []joblog.Job {
		var jobs []joblog.Job
		for i := range 300 {
			jobs = append(jobs, joblog.Job{ID: i + 1, Submit: float64(500 * i), Run: 400 + float64(i%7)*300, Processors: nodes, Estimate: 4000})
		}
		return jobs
	}
	for _, c := range []struct {
		nodes                int
		isGrowing, shrinking bool // whether they change the replay
	}{{nodes: 1, isGrowing: true}, {nodes: 4, shrinking: true}} {
		study := replay.Study{Log: chosen(t, jobsOf(c.nodes), 4), Policies: []policy.Policy{policy.EASYMalleable{}},
			Shares: []float64{0.5}, Assumptions: replay.Usual()}
		runs, err := study.Run(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		growing, shrinking, err := study.OneWay(t.Context(), 0, runs[0])
		if err != nil {
			t.Fatal(err)
		}
		both, easy := responseOf(runs[0]), responseOf(runs[0].Baseline)
		want := map[*replay.Run]float64{growing: easy, shrinking: easy}
		if c.isGrowing {
			want[growing] = both
		}
		if c.shrinking {
			want[shrinking] = both
		}
		for run, want := range want {
			if responseOf(run) != want || run.Baseline != runs[0].Baseline {
				t.Errorf("jobs of %d nodes: %g s between %g and %g times their nodes, want %g s; EASY %g s, both ways %g s", c.nodes,
					responseOf(run), run.Least, run.Most, want, easy, both)
			}
		}
		if better, other := replay.Better(shrinking, growing); c.isGrowing && (better != growing || other != shrinking) ||
			better != nil && !(better.Saved().Low > 0) {
			t.Errorf("jobs of %d nodes: %+v is better than %+v", c.nodes, better, other)
		}
		if saved := runs[0].Saved(); math.Abs(saved.Mean-(1-both/easy)) > 1e-12 || !(saved.Low <= saved.Mean && saved.Mean <= saved.High) {
			t.Errorf("jobs of %d nodes: %+v saved, %g s of %g s", c.nodes, saved, both, easy)
		}
		if same, _ := replay.Better(growing, growing); same != nil {
			t.Errorf("jobs of %d nodes: a run is better than itself", c.nodes)
		}
		withNil := append([]*replay.Run{nil}, runs...)
		if runs[0].Like(withNil) != runs[0] || growing.Like([]*replay.Run{nil, runs[0].Baseline}) != nil {
			t.Errorf("jobs of %d nodes: a run is not like itself, or like another", c.nodes)
		}
		if both == easy {
			t.Errorf("jobs of %d nodes: resizing changes nothing", c.nodes)
		}
		study.Least = 1
		if runs, err = study.Run(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		if growing, shrinking, err = study.OneWay(t.Context(), 0, runs[0]); growing != nil || shrinking != nil || err != nil {
			t.Errorf("jobs that only grow are replayed again: %v", err)
		}
	}
	if _, _, err := (&replay.Study{Log: chosen(t, jobsOf(1), 4), Assumptions: replay.Usual()}).OneWay(t.Context(), 0, nil); err == nil {
		t.Error("the run is missing")
	}
}
