package machine_test

import (
	"slices"
	"testing"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// While all jobs stand still for a resize of one of them, their expected ends are later by the time that is left. A
// second resize at 12 replaces the first, at 10, so that all jobs stand still until 32.
func TestStandstillDelaysAllExpectedEnds(t *testing.T) {
	job := func(id int, submit, work float64) workload.Job {
		j := malleable(id, submit, work)
		j.Nodes, j.Estimate = 2, work/2
		return j
	}
	var expected [][]float64
	p := scripted(
		[]sched.Action{sched.Allocate(0, 2), sched.Allocate(1, 2)},
		[]sched.Action{sched.Allocate(0, 1)},
		[]sched.Action{sched.Allocate(0, 2)},
		[]sched.Action{sched.Allocate(2, 1), sched.Allocate(3, 1)},
	)
	c := machine.Config{
		Nodes: 4, Policy: p.policy(), Costs: machine.Standstill(20),
		Jobs: machine.List{job(1, 0, 200), job(2, 0, 160), job(3, 10, 2), job(4, 12, 2)},
	}
	c.Observe = func(v sched.View, _ []sched.Event) {
		var ends []float64
		for i := range v.Running() {
			ends = append(ends, v.Ending(i).At)
		}
		expected = append(expected, ends)
	}
	lived(t, c)
	// At 10 the jobs have done 20 of 200 and of 160. The first has 180 left, on one node until 12, then on two.
	want := [][]float64{{80, 100}, {100, 210}, {102, 122}}
	if len(expected) < 3 || !slices.EqualFunc(expected[:3], want, slices.Equal[[]float64]) {
		t.Errorf("expected ends %v, want %v", expected, want)
	}
}
