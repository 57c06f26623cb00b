package replay_test

import (
	"testing"

	"github.com/partwise/partwise/models/measure"
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
