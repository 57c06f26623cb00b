package replay_test

import (
	"errors"
	"math"
	"testing"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/replay"
)

// TestSeveralNumbersOfNodes: a run on another number of nodes is that of a study of that machine, and is compared with EASY on
// the first number.
func TestSeveralNumbersOfNodes(t *testing.T) {
	study := lublinStudy(t, policy.EASYMalleable{}, 0.2)
	study.Loads, study.Nodes = nil, []int{64, 80}
	runs, err := study.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(runs) != 4 {
		t.Fatalf("%d runs", len(runs))
	}
	first := runs[2] // EASY on 64 nodes; malleable jobs come first
	for i, nodes := range []int{64, 80, 64, 80} {
		run := runs[i]
		alone := study
		alone.Nodes, alone.Log = nil, chosen(t, offered(t, study.Log, 0).Jobs(), nodes)
		want, err := alone.Run(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		response := measure.MeanResponseTime
		if run.Nodes != nodes || run.OnFirst != first || run.Measures[response] != want[i/2].Measures[response] {
			t.Errorf("run %d on %d nodes: %g s, not %g s", i, run.Nodes, run.Measures[response], want[i/2].Measures[response])
		}
		e := run.RatioToFirst()
		if mean := first.Measures[response] / run.Measures[response]; math.Abs(e.Mean-mean) > 1e-12 || !(e.Low <= e.Mean && e.Mean <= e.High) {
			t.Errorf("run %d is %g times as fast, in %g to %g, not %g times", i, e.Mean, e.Low, e.High, mean)
		}
	}
	for _, nodes := range [][]int{{60, 64}, {64, 1 << 30}} {
		study.Nodes = nodes
		if err := study.Check(); !errors.As(err, new(*replay.SettingError)) {
			t.Errorf("%d nodes of a log of 64: %v", nodes, err)
		}
	}
	study.Nodes, study.Unit = []int{64, 66}, 4
	if err := study.Check(); !errors.As(err, new(*replay.SettingError)) {
		t.Errorf("66 nodes in units of 4: %v", err)
	}
	study.Nodes, study.Unit = []int{64, 72}, 0
	if err := study.FewestNodes(t.Context(), 0, runs[:1]); !errors.As(err, new(*replay.SettingError)) {
		t.Errorf("nodes are searched for several numbers of nodes: %v", err)
	}
}

// TestSearchesOnMoreNodes: on a machine with more nodes than the log has, FewestNodes searches all of its nodes: EASY needs as
// many as it has, or hardly fewer. Worth is counted from the nodes of the log, so that a run on more nodes has none.
func TestSearchesOnMoreNodes(t *testing.T) {
	study := lublinStudy(t, policy.EASY{})
	study.Nodes = []int{80}
	runs, err := study.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := study.FewestNodes(t.Context(), 0, runs); err != nil || runs[0].SameP95.Nodes < 75 || runs[0].SameP95.Nodes > 80 {
		t.Errorf("EASY on 80 nodes: %+v, %v", runs[0].SameP95, err)
	}
	if err := study.WorthInNodes(t.Context(), 0, runs); !errors.As(err, new(*replay.SettingError)) {
		t.Errorf("a run on 80 nodes is worth %v of a log of 64: %v", runs[0].Worth.Nodes, err)
	}
}
