package replay_test

import (
	"errors"
	"testing"

	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
)

// TestVariationsAtALoad: in a study at one load all assumptions are varied at this load. What the study assumes anyway is left out. A
// study at several loads is refused.
func TestVariationsAtALoad(t *testing.T) {
	study := sacctStudy(t)
	study.Loads = []float64{0.7}
	study.Speedup = nil // linear
	all, err := study.Variations(t.Context(), 0, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, v := range all {
		want := 0.7
		switch {
		case v.Setting == "load" && v.Value == "0.7":
			t.Error("the load of the study is a variation of itself")
		case v.Setting == "load":
			want = v.Run.Load
		case v.Setting == "speedup" && v.Value == "linear", seen[v.Setting+v.Value]:
			t.Errorf("%s %s is what the study assumes, or stands twice", v.Setting, v.Value)
		}
		seen[v.Setting+v.Value] = true
		if v.Run.Load != want || v.Run.Baseline == nil || v.Run.Baseline.Load != want {
			t.Errorf("%s %s: replayed at load %g, want %g", v.Setting, v.Value, v.Run.Load, want)
		}
	}
	if flips, ok := replay.Flips(all); ok || flips != nil {
		t.Errorf("so few jobs tell flips: %+v", flips)
	}
	study.Loads = []float64{0.5, 0.7}
	var wrong *replay.SettingError
	if all, err := study.Variations(t.Context(), 0, 0.5); all != nil || !errors.As(err, &wrong) || wrong.Setting != "loads" {
		t.Errorf("at two loads: %v, %v", all, err)
	}
}

// everyFlip checks that flips hold each variation whose verdict differs from the verdict of the study, under its own verdict, and
// no other variation.
func everyFlip(t *testing.T, all []replay.Variation) {
	t.Helper()
	flips, ok := replay.Flips(all)
	flipped := map[*replay.Variation]replay.Verdict{}
	for _, f := range flips {
		for _, v := range f.Variations {
			flipped[v] = f.Verdict
		}
	}
	for i := range all {
		verdict := all[i].Run.Verdict()
		if other, is := flipped[&all[i]]; is != (verdict != all[0].Run.Verdict()) || is && other != verdict {
			t.Errorf("%s %s: %s, flipped to %q", all[i].Setting, all[i].Value, verdict, other)
		}
	}
	if _, varied := replay.Flips(all[:1]); !ok || varied {
		t.Errorf("flips are told: %v, where nothing is varied: %v", ok, varied)
	}
}

// Jobs of one node that come one at a time gain by growing onto idle nodes, but not if a resize takes longer than the jobs.
func TestFlips(t *testing.T) {
	var jobs []joblog.Job
	for i := range 300 {
		jobs = append(jobs, joblog.Job{ID: i + 1, Submit: float64(500 * i), Run: 400 + float64(i%7)*300, Processors: 1, Estimate: 4000})
	}
	study := replay.Study{Log: chosen(t, jobs, 4), Assumptions: replay.Usual()}
	all, err := study.Variations(t.Context(), 0, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	everyFlip(t, all)
	if flips, _ := replay.Flips(all); len(flips) == 0 {
		t.Error("no assumption changes the verdict")
	}
}
