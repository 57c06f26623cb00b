package sched_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// lives returns start and end of each job.
func lives(t *rapid.T, c machine.Config) [][2]float64 {
	all := make([][2]float64, len(c.Jobs.(machine.List)))
	c.Done = func(r *machine.Record) { all[r.Number] = [2]float64{r.Start, r.End} }
	if _, err := machine.Run(context.Background(), c, des.Seed(1)); err != nil {
		t.Fatalf("%s: %v", c.Policy, err)
	}
	return all
}

// TestRigidJobsAreBackfilled: with rigid jobs alone each starts and ends as under EASY.
func TestRigidJobsAreBackfilled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 12).Draw(t, "nodes of the machine")
		c := machine.Config{Nodes: nodes, Policy: policy.EASY{}, KillAtEstimate: rapid.Bool().Draw(t, "kill"),
			Jobs: machine.List(rigidJobs(nodes).Draw(t, "jobs"))}
		easy := lives(t, c)
		c.Policy = policy.EASYMalleable{}
		if got := lives(t, c); !slices.Equal(got, easy) {
			t.Errorf("starts and ends %v, under EASY %v", got, easy)
		}
	})
}

// TestUnboundedJobsShareEvenly: with malleable jobs alone that run on any number of nodes, each starts and ends as under
// dynamic equi-partitioning, whatever it asks for.
func TestUnboundedJobsShareEvenly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.IntRange(1, 3).Draw(t, "unit")
		nodes := unit * rapid.IntRange(1, 12).Draw(t, "units")
		jobs := rigidJobs(nodes).Draw(t, "jobs")
		for i := range jobs {
			jobs[i].Kind, jobs[i].Min, jobs[i].Max = workload.Malleable, 1, nodes
		}
		c := machine.Config{Nodes: nodes, Unit: unit, Policy: policy.Dynamic{}, Jobs: machine.List(jobs)}
		if rapid.Bool().Draw(t, "costs") {
			c.Costs = machine.Resizes{{Nodes: 1, Shrink: 1, Expand: 2}}
		}
		dynamic := lives(t, c)
		c.Policy = policy.EASYMalleable{}
		if got := lives(t, c); !slices.Equal(got, dynamic) {
			t.Errorf("starts and ends %v, under equi-partitioning %v", got, dynamic)
		}
	})
}

// A malleable job of 2 to 8 nodes has all eight; a rigid one of 5 makes it shrink to 3, and one of 4, the head of the
// queue then, cannot start before the first rigid job ends. One of 1 node overtakes it, as it ends before that.
func TestMalleableJobsShrinkForTheQueue(t *testing.T) {
	jobs := []workload.Job{
		{ID: 1, Kind: workload.Malleable, Nodes: 4, Min: 2, Max: 8, Work: 100},
		{ID: 2, Submit: 5, Nodes: 5, Run: 20, Work: 100},
		{ID: 3, Submit: 6, Nodes: 4, Run: 10, Work: 40},
		{ID: 4, Submit: 7, Nodes: 1, Run: 5, Work: 5},
		{ID: 5, Submit: 8, Nodes: 1, Run: 50, Work: 50},
	}
	c := machine.Config{Nodes: 8, Policy: policy.EASYMalleable{}, Jobs: machine.List(jobs)}
	// At 25 job 3 leaves 2 of the 6 nodes that job 1 can do without, of which job 5 gets one as soon as it is free.
	start := map[int]float64{1: 0, 2: 5, 3: 25, 4: 7, 5: 12}
	c.Done = func(r *machine.Record) {
		if r.Start != start[r.ID] {
			t.Errorf("job %d starts at %v, want %v", r.ID, r.Start, start[r.ID])
		}
		if r.ID == 1 && (r.Resized != 3 || r.Fewest != 2 || r.Widest != 8) {
			t.Errorf("job 1 was resized %d times and had %d to %d nodes", r.Resized, r.Fewest, r.Widest)
		}
	}
	if _, err := machine.Run(t.Context(), c, des.Seed(1)); err != nil {
		t.Fatal(err)
	}
}

// TestPartitionWithin: sizes are within the bounds, no unit is left that a job may have, sizes are even where bounds do
// not forbid it, and no job is resized that could have kept its size. The number of resizes is known beforehand.
func TestPartitionWithin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 8).Draw(t, "jobs")
		least, most, sizes := make([]int, n), make([]int, n), make([]int, n)
		needed, room := 0, 0
		for k := range n {
			least[k] = rapid.IntRange(1, 6).Draw(t, "least")
			most[k] = least[k] + rapid.IntRange(0, 6).Draw(t, "room")
			sizes[k] = rapid.IntRange(0, 12).Draw(t, "size")
			needed, room = needed+least[k], room+most[k]
		}
		units := needed + rapid.IntRange(0, 30).Draw(t, "left")
		got := slices.Clone(sizes)
		last := rapid.IntRange(0, 40).Draw(t, "last level")
		resizes := sched.PartitionWithin(got, least, most, units, last)
		used := 0
		for k, s := range got {
			used += s
			if s != sizes[k] {
				resizes--
			}
			if s < least[k] || s > most[k] {
				t.Fatalf("job %d has %d units, it may have %d to %d", k, s, least[k], most[k])
			}
			for l, other := range got {
				if s > other+1 && s > least[k] && other < most[l] {
					t.Fatalf("sizes %v: a job has %d, another %d", got, s, other)
				}
				if s == other+1 && s > least[k] && other < most[l] && sizes[k] == other && sizes[l] == s {
					t.Fatalf("sizes %v before, %v after: two jobs exchange sizes", sizes, got)
				}
			}
		}
		if resizes != 0 {
			t.Fatalf("sizes %v before, %v after: %d resizes too many were announced", sizes, got, resizes)
		}
		if used != min(units, room) {
			t.Fatalf("%d of %d units are used, jobs may have %d", used, units, room)
		}
		if slices.Max(append(least, 1)) == 1 && n <= units && n > 0 {
			want := slices.Clone(sizes)
			sched.EquiPartition(want, units)
			for k := range most {
				most[k] = units
			}
			got = slices.Clone(sizes)
			sched.PartitionWithin(got, least, most, units, last)
			if !slices.Equal(got, want) {
				t.Fatalf("%v, without bounds %v", got, want)
			}
		}
	})
}

// TestRunningJobsAreListed: the lists of running jobs that a state keeps up to date are those that it would make anew.
func TestRunningJobsAreListed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.IntRange(1, 3).Draw(t, "unit")
		nodes := unit * rapid.IntRange(1, 12).Draw(t, "units of the machine")
		c := machine.Config{Nodes: nodes, Unit: unit, NodeMemory: 1, Policy: policy.EASYMalleable{},
			Jobs: machine.List(boundedJobs(nodes, unit).Draw(t, "jobs"))}
		c.Points = rapid.SampledFrom([]machine.Points{{}, {Number: 4}, {Number: 4, Together: true}}).Draw(t, "points")
		c.Costs = rapid.SampledFrom([]machine.Costs{nil, machine.Standstill(2), ownCost(1)}).Draw(t, "costs")
		c.Observe = func(v sched.View, _ []sched.Event) {
			if kept, anew := sched.Lists(v); kept != anew {
				t.Fatalf("at %v: %s, anew %s", v.Now(), kept, anew)
			}
		}
		if _, err := machine.Run(context.Background(), c, des.Seed(1)); err != nil {
			t.Fatal(err)
		}
	})
}

// TestManyRunningJobsAreListed: the lists are right, too, while so many jobs run that a job is found by bisection. Many of
// them are expected to end at the same time.
func TestManyRunningJobsAreListed(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var jobs machine.List
	for i := range 1000 {
		jobs = append(jobs, workload.Job{ID: i + 1, Submit: float64(i / 4), Kind: workload.Kind(random.IntN(3)), Nodes: 1 + random.IntN(3),
			Min: 1, Max: 4, Run: float64(1 + random.IntN(40)), Estimate: float64(10 * (1 + random.IntN(8)))})
		jobs[i].Work = jobs[i].Run * float64(jobs[i].Nodes)
	}
	most := 0
	c := machine.Config{Nodes: 200, Policy: policy.EASYMalleable{}, Jobs: jobs, Costs: ownCost(1)}
	c.Observe = func(v sched.View, _ []sched.Event) {
		most = max(most, v.Running())
		if kept, anew := sched.Lists(v); kept != anew {
			t.Fatalf("at %v: %s, anew %s", v.Now(), kept, anew)
		}
	}
	if _, err := machine.Run(t.Context(), c, des.Seed(1)); err != nil {
		t.Fatal(err)
	}
	if most < 50 {
		t.Errorf("only %d jobs ran at a time", most)
	}
}
