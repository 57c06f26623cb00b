package sched_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/machinetest"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// decider is a scheduler that is a function.
type decider func(v sched.View, events []sched.Event, do []sched.Action) []sched.Action

func (decider) Name() string { return "own" }

func (d decider) Decide(v sched.View, events []sched.Event, do []sched.Action) []sched.Action {
	return d(v, events, do)
}

// policy returns a policy with that scheduler.
func (d decider) policy() policy.Policy {
	return machinetest.Own{New: func() sched.Policy { return d }}
}

// malleable returns a job of linear speedup that can be resized.
func malleable(id int, submit, work float64) workload.Job {
	return workload.Job{ID: id, User: -1, Application: -1, Submit: submit, Kind: workload.Malleable, Work: work}
}

// ownCost returns costs of a time that each resized job pays for itself.
func ownCost(time float64) machine.Costs {
	return machine.Resizes{{Nodes: 1, Shrink: time, Expand: time}}
}

// Jobs that are placed anew at every event, in the first gaps and in a random order, never overlap, and do their work.
func TestRandomPlacement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 10).Draw(t, "nodes of the machine")
		jobs := make(machine.List, rapid.IntRange(1, 20).Draw(t, "jobs"))
		for i := range jobs {
			jobs[i] = malleable(i, float64(i/3), float64(rapid.IntRange(0, 30).Draw(t, "demand")))
		}
		shuffle := decider(func(v sched.View, _ []sched.Event, do []sched.Action) []sched.Action {
			var all []sched.JobID
			for i := range v.Running() {
				all = append(all, v.Started(i))
			}
			for i := range v.Waiting() {
				all = append(all, v.Queued(i).Job)
			}
			at := 0
			for _, i := range rapid.Permutation(all).Draw(t, "order") {
				width := rapid.IntRange(1, nodes).Draw(t, "width")
				switch {
				case at+width <= nodes:
					do = append(do, sched.Place(i, at, width))
					at += width
				case v.Held(i) > 0:
					do = append(do, sched.Suspend(i))
				}
			}
			return do
		})
		c, check := watch(machine.Config{Nodes: nodes, Policy: shuffle.policy(), Jobs: jobs})
		if _, err := machine.Run(context.Background(), c, des.Seed(1)); err != nil {
			t.Fatal(err)
		}
		if err := check.Err(); err != nil {
			t.Fatal(err)
		}
	})
}

// Jobs that are suspended and resumed at random, on random numbers of nodes, with reconfigurations that take time or
// not, do the whole of their work, and are shown in the order of their expected ends.
func TestRandomSuspension(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 10).Draw(t, "nodes of the machine")
		jobs := make(machine.List, rapid.IntRange(1, 20).Draw(t, "jobs"))
		for i := range jobs {
			jobs[i] = malleable(i, float64(i/3), float64(rapid.IntRange(0, 30).Draw(t, "demand")))
			jobs[i].Nodes = rapid.IntRange(0, nodes).Draw(t, "asks for")
			jobs[i].Estimate = float64(rapid.IntRange(0, 30).Draw(t, "estimate"))
		}
		random := decider(func(v sched.View, events []sched.Event, do []sched.Action) []sched.Action {
			left := nodes
			if events[0].Kind == sched.Alarm {
				return do
			}
			for i := range v.Running() + v.Waiting() {
				j := sched.JobID(0)
				if i < v.Running() {
					j = v.Started(i)
				} else {
					j = v.Queued(i - v.Running()).Job
				}
				n := rapid.IntRange(0, left).Draw(t, "nodes")
				if i == 0 {
					n = max(n, 1) // somebody works
				}
				left -= n
				if n > 0 || v.Held(j) > 0 {
					do = append(do, sched.Allocate(j, n))
				}
			}
			return do
		})
		c := machine.Config{Nodes: nodes, Policy: random.policy(), Jobs: jobs}
		if rapid.Bool().Draw(t, "costs") {
			one := slices.Repeat([]phasetype.Dist{machinetest.Exponential(1)}, 20)
			stops := []machine.Stops{machine.ResizedJobs, machine.AllJobs, machine.NoJobs}
			c.Costs = machine.NewOverheads(one, one, rapid.SampledFrom(stops).Draw(t, "stops"))
		}
		if c.Costs == nil && rapid.Bool().Draw(t, "own costs") {
			c.Costs = ownCost(1)
		}
		c.Points.Number = rapid.SampledFrom([]int{0, 0, 3, 20}).Draw(t, "points")
		c, check := watch(c)
		if _, err := machine.Run(context.Background(), c, des.Seed(1)); err != nil {
			t.Fatal(err)
		}
		if err := check.Err(); err != nil {
			t.Fatal(err)
		}
	})
}

// Whatever the policy and the costs, nodes and work are conserved.
func TestTogetherKeepsAccount(t *testing.T) {
	var jobs machine.List
	for s, now := des.Seed(5).Stream(), 0.0; len(jobs) < 300; {
		now += 2 * s.Exp()
		jobs = append(jobs, malleable(len(jobs)+1, now, 8*s.Exp()))
	}
	fixed := machine.Standstill(0.3)
	for _, p := range []policy.Policy{policy.Dynamic{}, policy.Static{Partitions: 2}, policy.EASYMalleable{}, policy.Folding{}} {
		for _, costs := range []machine.Costs{nil, fixed, ownCost(0.5)} {
			for _, q := range []machine.Points{{Every: []float64{1}, Together: true}, {Number: 5, Together: true}} {
				c := machine.Config{Nodes: 8, Policy: p, Costs: costs, Points: q, Jobs: jobs}
				c, checker := watch(c)
				_, err := machine.Run(t.Context(), c, des.Seed(1))
				if err = errors.Join(err, checker.Err()); err != nil {
					t.Errorf("%s, %+v: %v", p, q, err)
				}
			}
		}
	}
}

// Three jobs on ten nodes: the third may start before the second, which it does not delay. A checker watches the run.
func Example_checked() {
	jobs := machine.List{
		{ID: 1, Submit: 0, Nodes: 6, Run: 100, Work: 600, Estimate: 100},
		{ID: 2, Submit: 10, Nodes: 8, Run: 50, Work: 400, Estimate: 60},
		{ID: 3, Submit: 20, Nodes: 4, Run: 30, Work: 120, Estimate: 80},
	}
	config := machine.Config{Nodes: 10, Policy: policy.EASY{}, Jobs: jobs, Done: func(r *machine.Record) {
		fmt.Printf("job %d waits %v s, backfilled: %v\n", r.ID, r.Wait(), r.Overtook)
	}}
	config, checker := watch(config)
	out, err := machine.Run(context.Background(), config, des.Seed(1))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v jobs, %.0f node-seconds, violations: %v\n", out.Tally[simulation.Departed], out.Tally[simulation.BusyTime]*10,
		checker.Err())
	// Output:
	// job 3 waits 0 s, backfilled: true
	// job 1 waits 0 s, backfilled: false
	// job 2 waits 90 s, backfilled: false
	// 3 jobs, 1120 node-seconds, violations: <nil>
}
