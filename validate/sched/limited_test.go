package sched_test

import (
	"slices"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/internal/machinetest"
	"github.com/partwise/partwise/validate/sched"
)

// Jobs are as fast on any number of nodes; those of 3.5 or less are small.
func TestLimitedLeavesSmallJobsAlone(t *testing.T) {
	got := script(t, 8, "limited:3.5", 10, 3.5, 3, 20)
	want := [][]int{
		{8},          // 1
		{4, 4},       // 2: a small job gets its even share
		{2, 4, 2},    // 3: only the large one gives
		{1, 4, 2, 1}, // 4: and again
		{3, 2, 3},    // 5.5: what a small job leaves goes to the large ones
		{4, 4},       // 6
		{8},          // 11
		{},
	}
	if !slices.EqualFunc(got, want, slices.Equal[[]int]) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// With no job small, limited partitioning is dynamic equi-partitioning, event by event; with all of them small, nobody
// is ever resized.
func TestLimitedBetweenAllAndNone(t *testing.T) {
	config := machinetest.Eight(0.05)
	a := run(t, config, 3, 20_000)
	config.Policy = policy.Limited{}
	same(t, a, run(t, config, 3, 20_000))

	before := map[sched.JobID]int{}
	config.Policy = policy.Limited{Demand: 1e9}
	config.Observe = func(v sched.View, events []sched.Event) {
		delete(before, events[0].Job)
		for k := range v.Running() {
			j := v.Started(k)
			if n, there := before[j]; there && n != v.Held(j) {
				t.Fatalf("a small job went from %d to %d nodes", n, v.Held(j))
			}
			before[j] = v.Held(j)
		}
	}
	run(t, config, 3, 20_000)
}
