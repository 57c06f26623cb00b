package replay_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

func TestMedianSize(t *testing.T) {
	var jobs []joblog.Job
	for i, nodes := range []int{4, 1, 2, 3} {
		jobs = append(jobs, joblog.Job{ID: i + 1, Submit: float64(i), Run: 10, Processors: nodes})
	}
	if size, err := chosen(t, jobs, 4).MedianSize(); size != 2 || err != nil {
		t.Errorf("of 1, 2, 3 and 4 nodes the median is %d, %v; want 2", size, err)
	}
	if size, err := chosen(t, jobs[:3], 4).MedianSize(); size != 2 || err != nil {
		t.Errorf("of 1, 2 and 4 nodes the median is %d, %v; want 2", size, err)
	}
}

// A break-even without an interval says nothing where resizing does not pay at the assumed cost.
func TestBreakevenOfARun(t *testing.T) {
	known := replay.Breakeven{Share: 0.5, ResizeCost: metric.Interval{Mean: 60, HalfWidth: 5}}
	chance := replay.Breakeven{Share: 0.5, ResizeCost: metric.Interval{Mean: 60, HalfWidth: math.Inf(1)}}
	run := &replay.Run{Setting: replay.Setting{Share: 0.5}}
	for _, c := range []struct {
		all  []replay.Breakeven
		told bool
	}{{[]replay.Breakeven{{Share: 0.2}, known}, true}, {[]replay.Breakeven{chance}, false}, {[]replay.Breakeven{{Share: 0.2}}, false}, {nil, false}} {
		if got := run.BreakevenOf(c.all); (got != nil) != c.told || got != nil && got.ResizeCost != known.ResizeCost {
			t.Errorf("%+v: %+v", c.all, got)
		}
	}
}
