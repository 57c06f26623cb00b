package sched_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// atPolls is EASY with malleable jobs that are resized at polls.
type atPolls struct {
	policy.EASYMalleable
	every float64
}

// Scheduler returns the scheduler that resizes at polls.
func (p atPolls) Scheduler() (sched.Policy, error) {
	of, err := sched.New(policy.EASYMalleable{})
	return sched.NewPolled(of, p.every), err
}

// TestPollsDelayNoRigidJob: without malleable jobs each job starts and ends as under EASY, however seldom jobs are resized.
func TestPollsDelayNoRigidJob(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 12).Draw(t, "nodes of the machine")
		c := machine.Config{Nodes: nodes, Policy: policy.EASY{}, Jobs: machine.List(rigidJobs(nodes).Draw(t, "jobs"))}
		easy := lives(t, c)
		c.Policy = atPolls{every: rapid.Float64Range(0.1, 1000).Draw(t, "poll")}
		if got := lives(t, c); !slices.Equal(got, easy) {
			t.Errorf("starts and ends %v, under EASY %v", got, easy)
		}
	})
}

// TestResizesHappenAtPolls: running jobs get other nodes at polls only, and jobs start between polls on free nodes.
func TestResizesHappenAtPolls(t *testing.T) {
	const every = 100
	jobs := []workload.Job{
		{ID: 1, Kind: workload.Malleable, Nodes: 4, Min: 2, Max: 8, Work: 2000},
		{ID: 2, Submit: 5, Nodes: 5, Run: 20, Work: 100}, // waits for the poll at 100, at which job 1 shrinks to 3 nodes
		// waits for the poll at 300: job 1 has grown onto all nodes at 200
		{ID: 3, Submit: 230, Nodes: 1, Run: 10, Work: 10},
		{ID: 4, Submit: 320, Kind: workload.Malleable, Nodes: 2, Min: 1, Max: 2, Work: 10}, // starts on the node that job 3 left
	}
	start := map[int]float64{1: 0, 2: 100, 3: 300, 4: 320}
	c := machine.Config{Nodes: 8, Policy: atPolls{every: every}, Jobs: machine.List(jobs)}
	c.Done = func(r *machine.Record) {
		if r.Start != start[r.ID] {
			t.Errorf("job %d starts at %v, want %v", r.ID, r.Start, start[r.ID])
		}
	}
	held := map[int]int{}
	c.Observe = func(v sched.View, _ []sched.Event) {
		for k := range v.Running() {
			j := v.Started(k)
			id := v.Job(j).ID
			if had := held[id]; had > 0 && had != v.Held(j) && math.Mod(v.Now(), every) != 0 {
				t.Errorf("job %d goes from %d to %d nodes at %v", id, had, v.Held(j), v.Now())
			}
			held[id] = v.Held(j)
		}
	}
	if _, err := machine.Run(t.Context(), c, des.Seed(1)); err != nil {
		t.Fatal(err)
	}
}
