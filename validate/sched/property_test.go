package sched_test

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/machinetest"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/machine"
)

var queueing = []string{"fcfs", "easy", "conservative:early", "conservative:always", "conservative:never"}

// checked runs jobs to their end under a policy and a checker.
func checked(t *rapid.T, c machine.Config) {
	ended := 0
	c.Done = func(*machine.Record) { ended++ }
	jobs := len(c.Jobs.(machine.List))
	c, check := watch(c)
	out, err := machine.Run(context.Background(), c, des.Seed(1))
	if err != nil {
		t.Fatalf("%s: %v", c.Policy, err)
	}
	if check.Err() != nil {
		t.Fatal(check.Err())
	}
	if ended != jobs || int(out.Tally[simulation.Departed]) != jobs {
		t.Fatalf("%s: %d of %d jobs ended", c.Policy, ended, jobs)
	}
}

// Every policy of queues does what it says it does, on any workload, with and without killing.
func TestPoliciesKeepTheirPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 12).Draw(t, "nodes of the machine")
		jobs := rigidJobs(nodes).Draw(t, "jobs")
		kill := rapid.Bool().Draw(t, "kill")
		for _, name := range queueing {
			checked(t, machine.Config{Nodes: nodes, Policy: parsed(t, name), KillAtEstimate: kill,
				Jobs: machine.List(jobs)})
		}
	})
}

// Under equi-partitioning every job has a number of nodes between its least and its most, as even as these bounds
// allow, no node is idle that some job could use, and jobs wait only where they do not fit; repartitions may take time.
func TestDynamicRespectsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.IntRange(1, 3).Draw(t, "unit")
		nodes := unit * rapid.IntRange(1, 12).Draw(t, "units of the machine")
		c := machine.Config{Nodes: nodes, Unit: unit, NodeMemory: 1,
			Jobs: machine.List(boundedJobs(nodes, unit).Draw(t, "jobs"))}
		if rapid.Bool().Draw(t, "costs") {
			stops := []machine.Stops{machine.ResizedJobs, machine.AllJobs, machine.NoJobs}
			two := slices.Repeat([]phasetype.Dist{machinetest.Exponential(2)}, nodes/unit)
			c.Costs = machine.NewOverheads(two, two, rapid.SampledFrom(stops).Draw(t, "stops"))
		} else if rapid.Bool().Draw(t, "each for itself") {
			c.Costs = machine.Resizes{{Nodes: 1, Shrink: 2, Expand: 1}, {Nodes: nodes + 1, Shrink: 1}}
		}
		c.Points = rapid.SampledFrom([]machine.Points{{}, {}, {Number: 4}, {Every: []float64{3}}}).Draw(t, "points")
		places := rapid.IntRange(1, nodes/unit).Draw(t, "cap")
		for _, c.Policy = range []policy.Policy{policy.Dynamic{}, policy.Capped{Jobs: places}, policy.EASYMalleable{}} {
			checked(t, c)
		}
	})
}

// Jobs of any kind are served by queues, too, on the nodes that they ask for.
func TestQueuesServeJobsOfAnyKind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 12).Draw(t, "nodes of the machine")
		jobs := boundedJobs(nodes, 1).Draw(t, "jobs")
		for i := range jobs {
			if jobs[i].Nodes == 0 {
				jobs[i].Nodes = rapid.IntRange(1, nodes).Draw(t, "asks for")
			}
		}
		for _, name := range queueing {
			checked(t, machine.Config{Nodes: nodes, NodeMemory: 1, Policy: parsed(t, name), Jobs: machine.List(jobs)})
		}
	})
}
