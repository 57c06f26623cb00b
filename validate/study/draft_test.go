package study_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

func TestDivisionUnit(t *testing.T) {
	for nodes, want := range map[int]int{100: 10, 128: 16, 64: 8, 12: 2, 2: 1, 10: 1, 1152: 128} {
		if got, err := study.DivisionUnit(nodes); got != want || err != nil {
			t.Errorf("%d nodes: %d, %v", nodes, got, err)
		}
	}
	for _, nodes := range []int{0, 1, 97, -8} {
		if got, err := study.DivisionUnit(nodes); err == nil {
			t.Errorf("%d nodes: %d, %v", nodes, got, err)
		}
	}
}

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
