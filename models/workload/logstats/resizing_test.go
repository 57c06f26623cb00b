package logstats

import (
	"math"
	"testing"

	"github.com/partwise/partwise/models/workload/joblog"
)

// Four resizes of two jobs: ×2, ×½, ×4 and ×1 have the geometric mean 16^¼ = 2.
func TestResizingOf(t *testing.T) {
	jobs := joblog.ListOf([]joblog.Job{
		{Run: 100, Processors: 2, Pieces: []joblog.Piece{{Run: 10, Nodes: 2}, {After: 20, Run: 30, Nodes: 4}, {After: 50, Run: 50, Nodes: 2}}},
		{Run: 100, Processors: 5},
		{Run: 100, Processors: 3, Pieces: []joblog.Piece{{Run: 20, Nodes: 1}, {After: 20, Run: 20, Nodes: 4}, {After: 40, Run: 60, Nodes: 4}}},
	})
	got := ResizingOf(jobs)
	if math.Abs(got.Factor-2) > 1e-12 {
		t.Errorf("factor %g", got.Factor)
	}
	got.Factor = 2
	if want := (Resizing{Jobs: 2, Resizes: 4, Grown: 2, Shrunk: 1, Factor: 2, Kept: 20, Pause: 2.5}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if none := ResizingOf(joblog.ListOf([]joblog.Job{{Run: 1, Processors: 1}})); none.Resizes != 0 || !math.IsNaN(none.Factor) {
		t.Errorf("without resizes: %+v", none)
	}
}
