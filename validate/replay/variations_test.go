package replay_test

import (
	"errors"
	"testing"

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
	study.Loads = []float64{0.5, 0.7}
	var wrong *replay.SettingError
	if all, err := study.Variations(t.Context(), 0, 0.5); all != nil || !errors.As(err, &wrong) || wrong.Setting != "loads" {
		t.Errorf("at two loads: %v, %v", all, err)
	}
}
