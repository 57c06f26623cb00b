package machine_test

import (
	"math"
	"slices"
	"testing"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// Two jobs of which twice the run time is expected share four nodes; the first is suspended from 2 to 6, on the arrival
// and the departure of a third that takes its nodes. It has done 4 of its 20 by then, and goes on for 8.
func TestSuspendedJobsKeepTheirWork(t *testing.T) {
	job := func(id int, submit, work float64) workload.Job {
		j := malleable(id, submit, work)
		j.Nodes, j.Estimate = 2, work // twice work/2, the run time on two nodes
		return j
	}
	var order [][]int
	var expected [][]float64
	p := scripted(
		[]sched.Action{sched.Allocate(0, 2), sched.Allocate(1, 2)},
		[]sched.Action{sched.Suspend(0), sched.Allocate(2, 2)},
		// The third has ended. To suspend a job that is suspended changes nothing.
		[]sched.Action{sched.Suspend(0), sched.Allocate(0, 2)},
	)
	c := machine.Config{Nodes: 4, Policy: p.policy(), Jobs: machine.List{job(1, 0, 20), job(2, 0, 40), job(3, 2, 8)}}
	c.Observe = func(v sched.View, _ []sched.Event) {
		var ids []int
		var ends []float64
		for i := range v.Running() {
			e := v.Ending(i)
			ids, ends = append(ids, v.Job(e.Job).ID), append(ends, e.At)
			if held := v.Held(e.Job); e.Nodes != held || v.Working(e.Job) != (held > 0) {
				t.Errorf("at %v job %d has %d nodes: %+v, working %v",
					v.Now(), v.Job(e.Job).ID, held, e, v.Working(e.Job))
			}
		}
		order, expected = append(order, ids), append(expected, ends)
	}
	records, _ := lived(t, c)
	never := math.Inf(1)
	wantOrder := [][]int{{1, 2}, {3, 2, 1}, {1, 2}, {2}, nil}
	wantExpected := [][]float64{{20, 40}, {10, 40, never}, {22, 40}, {40}, nil}
	if !slices.EqualFunc(order, wantOrder, slices.Equal[[]int]) {
		t.Errorf("order of the ends %v, want %v", order, wantOrder)
	}
	if !slices.EqualFunc(expected, wantExpected, slices.Equal[[]float64]) {
		t.Errorf("expected ends %v, want %v", expected, wantExpected)
	}
	for i, want := range []struct {
		id           int
		end, paused  float64
		nodeTime     float64
		resized, low int
	}{{3, 6, 0, 8, 0, 2}, {1, 14, 4, 20, 2, 2}, {2, 20, 0, 40, 0, 2}} {
		r := records[i]
		if r.ID != want.id || r.End != want.end || r.Paused != want.paused || r.NodeTime != want.nodeTime ||
			r.Resized != want.resized || r.Fewest != want.low {
			t.Errorf("%+v, want %+v", r, want)
		}
	}
}
