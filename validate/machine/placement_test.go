package machine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// scripted answers the i-th event with the i-th list of actions, in which jobs are named by the order of their arrival,
// and later events with none.
func scripted(script ...[]sched.Action) decider {
	i := 0
	return func(_ sched.View, _ []sched.Event, do []sched.Action) []sched.Action {
		if i++; i > len(script) {
			return do
		}
		return append(do, script[i-1]...)
	}
}

// drawn runs jobs under a scheduler and returns the pieces of the schedule.
func drawn(t *testing.T, nodes int, p decider, jobs machine.List) []machine.Piece {
	t.Helper()
	r := &machine.Recorder{To: 1000}
	lived(t, machine.Config{Nodes: nodes, Policy: p.policy(), Jobs: jobs, Observe: r.Observe})
	r.Close()
	return r.Pieces
}

func nodes(from, to int) []int {
	var list []int
	for i := from; i < to; i++ {
		list = append(list, i)
	}
	return list
}

// Jobs are drawn on the nodes on which they are placed: the second job takes the place of the first, which moves to
// where the second was, and the third is placed between them.
func TestPlacedJobsExchangePlaces(t *testing.T) {
	jobs := machine.List{malleable(1, 0, 40), malleable(2, 1, 40), malleable(3, 2, 40)}
	got := drawn(t, 8, scripted(
		[]sched.Action{sched.Place(0, 0, 2)},
		[]sched.Action{sched.Place(1, 5, 3)},
		[]sched.Action{sched.Place(0, 6, 2), sched.Place(1, 0, 3), sched.Place(2, 3, 2)},
	), jobs)
	want := []machine.Piece{
		{Number: 0, From: 0, To: 2, Nodes: nodes(0, 2)},
		{Number: 1, From: 1, To: 2, Nodes: nodes(5, 8)},
		{Number: 0, From: 2, To: 20, Nodes: nodes(6, 8)},
		{Number: 1, From: 2, To: 1 + 40./3, Nodes: nodes(0, 3)},
		{Number: 2, From: 2, To: 22, Nodes: nodes(3, 5)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A placed job may grow and shrink where it is, be suspended, and be placed elsewhere when it goes on.
func TestPlacedJobsAreResizedAndSuspended(t *testing.T) {
	jobs := machine.List{malleable(1, 0, 12), rigid(2, 2, 1, 1), rigid(3, 4, 1, 1), rigid(4, 6, 1, 1)}
	got := drawn(t, 4, scripted(
		[]sched.Action{sched.Place(0, 1, 2)},
		[]sched.Action{sched.Place(1, 3, 1), sched.Place(0, 0, 3)}, // at 2
		[]sched.Action{sched.Place(0, 0, 1)},                       // at 3, when job 2 has ended
		[]sched.Action{sched.Suspend(0), sched.Place(1, 0, 1)},     // at 4
		[]sched.Action{sched.Place(0, 2, 2)},                       // at 5
		[]sched.Action{sched.Place(1, 0, 1)},                       // at 6
	), jobs)
	want := []machine.Piece{
		{Number: 0, From: 0, To: 2, Nodes: nodes(1, 3)},
		{Number: 0, From: 2, To: 3, Nodes: nodes(0, 3)},
		{Number: 1, From: 2, To: 3, Nodes: nodes(3, 4)},
		{Number: 0, From: 3, To: 4, Nodes: nodes(0, 1)},
		{Number: 2, From: 4, To: 5, Nodes: nodes(0, 1)},
		{Number: 0, From: 5, To: 7, Nodes: nodes(2, 4)}, // 4 + 3 + 1 + 4 of its 12
		{Number: 3, From: 6, To: 7, Nodes: nodes(0, 1)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A rigid job may be moved, which is not a resize; one that is placed where it is is left alone.
func TestRigidJobsAreMoved(t *testing.T) {
	var seen []machine.Change
	p := scripted(
		[]sched.Action{sched.Place(0, 0, 3)},
		[]sched.Action{sched.Place(1, 3, 2)},
		[]sched.Action{sched.Place(0, 2, 3), sched.Place(1, 0, 2), sched.Place(2, 5, 1)},
		[]sched.Action{sched.Place(0, 2, 3)},
	)
	c := machine.Config{Nodes: 6, Policy: p.policy(), Costs: pauses{time: 1, seen: &seen},
		Jobs: machine.List{rigid(1, 0, 3, 10), rigid(2, 1, 2, 10), rigid(3, 4, 1, 2)}}
	records, _ := lived(t, c)
	var got []float64
	for _, r := range records {
		got = append(got, r.End, r.Paused, float64(r.Resized))
	}
	// The first job's pause ends when the second starts, which stands still until 2; the third start, with both moves,
	// makes all three stand still until 5.
	if diff := cmp.Diff([]float64{7, 1, 0, 12, 2, 0, 13, 2, 0}, got); diff != "" {
		t.Error(diff)
	}
	moved := []machine.Change{
		{Why: sched.Arrival, Started: 1, Moved: 3, Running: 1},
		{Why: sched.Arrival, Started: 1, Moved: 2, Running: 2},
		{Why: sched.Arrival, Started: 1, Resized: 2, Moved: 9, Running: 3}, // 2·2 of 3 nodes, 2·2 of 2, and 1
	}
	if diff := cmp.Diff(moved, seen); diff != "" {
		t.Error(diff)
	}
}

// What overlaps is refused, whoever comes first in the list of actions.
func TestOverlapIsRefused(t *testing.T) {
	jobs := machine.List{malleable(1, 0, 40), malleable(2, 1, 40)}
	for name, second := range map[string][]sched.Action{
		"taken":         {sched.Place(1, 1, 2)},
		"not given up":  {sched.Place(0, 1, 2), sched.Place(1, 2, 2)},
		"one into both": {sched.Place(1, 0, 2), sched.Place(0, 1, 2)},
		"beyond":        {sched.Place(1, 3, 2)},
	} {
		p := scripted([]sched.Action{sched.Place(0, 0, 2)}, second)
		c := machine.Config{Nodes: 4, Policy: p.policy(), Jobs: jobs}
		_, err := machine.Run(context.Background(), c, des.Seed(1))
		var own *machine.PolicyError
		if !errors.As(err, &own) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
