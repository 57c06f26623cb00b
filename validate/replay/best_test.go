package replay_test

import (
	"slices"
	"testing"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

// Runs are compared with runs of their kind only; the first of equal runs is the best.
func TestBest(t *testing.T) {
	var runs []*replay.Run
	for _, mean := range []float64{9, 5, 7, 5, 6} {
		runs = append(runs, &replay.Run{Measures: metric.Values{measure.MeanResponseTime: mean}})
	}
	odd := func(r *replay.Run) string {
		if r == runs[0] || r == runs[2] {
			return "rigid"
		}
		return "malleable"
	}
	best := replay.Best(runs, measure.MeanResponseTime, odd)
	if len(best) != 2 || best[0] != runs[2] || best[1] != runs[1] {
		t.Errorf("best %v", best)
	}
}

// The best static split is shown at each load, and on each number of nodes.
func TestBestStaticOnEachNumberOfNodes(t *testing.T) {
	var runs []*replay.Run
	for i, mean := range []float64{9, 7, 4, 3, 8, 6} {
		run := &replay.Run{Load: []float64{0, 0.5}[i/4], Measures: metric.Values{measure.MeanResponseTime: mean}}
		run.Policy, run.Nodes = policy.Static{Partitions: 1 + i%2}, []int{8, 8, 16, 16, 8, 8}[i]
		runs = append(runs, run)
	}
	shown := replay.Asked(runs, &policy.Selection{Best: true}, measure.MeanResponseTime)
	if want := []*replay.Run{runs[1], runs[3], runs[5]}; !slices.Equal(shown, want) {
		t.Errorf("shown are %v", shown)
	}
	for _, run := range runs {
		run.Measures[measure.MeanSlowdown] = -run.Measures[measure.MeanResponseTime]
	}
	shown = replay.Asked(runs, &policy.Selection{Best: true}, measure.MeanSlowdown)
	if want := []*replay.Run{runs[0], runs[2], runs[4]}; !slices.Equal(shown, want) {
		t.Errorf("by the slowdown, shown are %v", shown)
	}
}
