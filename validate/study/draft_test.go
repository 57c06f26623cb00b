package study_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

// TestNoDraftBesideAnError: a draft whose system cannot be made, here because resizes would never end, is nil.
func TestNoDraftBesideAnError(t *testing.T) {
	jobs := new(joblog.List)
	for i := range 20 {
		jobs.Add(&joblog.Job{Submit: float64(100 * i), Run: float64(50 + i), Processors: 1})
	}
	assume := replay.Assumptions{Most: 2, Cost: replay.Cost{Seconds: math.Inf(1)}}
	d, err := study.NewDraft(t.Context(), jobs, policy.Machine{Nodes: 4, Unit: 1}, assume, nil)
	if d != nil || err == nil {
		t.Errorf("a draft %v, error %v", d != nil, err)
	}
}

// TestDraftHasTheLoadOfTheLog: jobs that ran for no time arrive like others. So they count in the shares of the classes as in the
// demands, and with a linear speedup the load of the draft is the load of the log.
func TestDraftHasTheLoadOfTheLog(t *testing.T) {
	for name, isZero := range map[string]func(i, nodes int) bool{
		"small jobs fail at once": func(i, nodes int) bool { return nodes == 1 && i%3 > 0 },
		"large jobs fail at once": func(i, nodes int) bool { return nodes == 8 && i%3 > 0 },
		"a size only fails":       func(_, nodes int) bool { return nodes == 4 },
		"the least size fails":    func(_, nodes int) bool { return nodes == 1 },
		"all jobs run":            func(int, int) bool { return false },
	} {
		jobs := new(joblog.List)
		for i := range 4000 {
			j := joblog.Job{Submit: float64(400 * i), Run: float64(600 + 37*(i%50)), Processors: []int{1, 8, 4, 8, 1}[i%5]}
			if isZero(i/5, j.Processors) {
				j.Run = 0
			}
			jobs.Add(&j)
		}
		d, err := study.NewDraft(t.Context(), jobs, policy.Machine{Nodes: 16, Unit: 2}, replay.Assumptions{Most: 1}, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if load, logged := d.System.Load(), d.LoggedLoad(); math.Abs(load/logged-1) > .005 {
			t.Errorf("%s: load %.4f by the draft, %.4f in the log", name, load, logged)
		}
		shares := 0.0
		for _, c := range d.System.Classes {
			shares += c.Share
		}
		if len(d.System.Classes) > 0 && shares != float64(jobs.Len()) {
			t.Errorf("%s: shares of %v jobs, %d in the log", name, shares, jobs.Len())
		}
	}
}
