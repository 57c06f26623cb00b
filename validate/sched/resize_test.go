package sched_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/internal/machinetest"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// Rules that change nothing, or one thing, are the policies that have a name for that, event by event.
func TestRulesThatHaveAName(t *testing.T) {
	for rule, name := range map[string]string{
		"resize":                     "dynamic",
		"resize:hysteresis=1":        "dynamic",
		"resize:cooldown=0":          "dynamic",
		"resize:batch=1,wait=1":      "dynamic",
		"resize:floor=1,cap=8":       "dynamic",
		"resize:cap=3":               "capped:3",
		"resize:cooldown=0.3,scv=1":  "smoothing:0.3",
		"resize:cooldown=2,scv=0.25": "smoothing:2,0.25",
	} {
		for _, stops := range []machine.Stops{machine.ResizedJobs, machine.AllJobs} {
			config := machinetest.Eight(0.05)
			costs := machinetest.EightChain()
			config.Costs = machine.NewOverheads(costs.Shrink, costs.Expand, stops)
			config.Policy = parsed(t, rule)
			a := run(t, config, 3, 10_000)
			config.Policy = parsed(t, name)
			b := run(t, config, 3, 10_000)
			a[simulation.Events] = b[simulation.Events] // alarms are events, too
			if a != b {
				t.Errorf("%s and %s differ: %v, %v", rule, name, a, b)
			}
		}
	}
}

// With as many shares as jobs may run, nobody is ever resized: that is static partitioning.
func TestARuleOfFixedSharesIsStatic(t *testing.T) {
	for k, rule := range map[string]string{"static:2": "resize:floor=2,cap=2", "static:8": "resize:floor=8,cap=8"} {
		config := machinetest.Eight(0.05)
		costs := machinetest.EightChain()
		costs.Shrink[0] = phasetype.Dist{} // of the first job: a launch is part of the run time
		config.Costs = machine.NewOverheads(costs.Shrink, costs.Expand, machine.AllJobs)
		config.Policy = parsed(t, rule)
		a := run(t, config, 5, 10_000)
		config.Costs, config.Policy = nil, parsed(t, k)
		same(t, a, run(t, config, 5, 10_000))
	}
}

// The same with jobs that have bounds, or cannot be resized.
func TestRulesThatHaveANameRespectBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.IntRange(1, 3).Draw(t, "unit")
		nodes := unit * rapid.IntRange(2, 12).Draw(t, "units of the machine")
		c := machine.Config{Nodes: nodes, Unit: unit, NodeMemory: 1,
			Jobs: machine.List(boundedJobs(nodes, unit).Draw(t, "jobs"))}
		for rule, name := range map[string]string{"resize": "dynamic", "resize:cap=2": "capped:2"} {
			c.Policy = parsed(t, rule)
			a := starts(lived(t, c))
			c.Policy = parsed(t, name)
			if b := starts(lived(t, c)); !slices.Equal(a, b) {
				t.Fatalf("%s starts jobs at %v, %s at %v", rule, a, name, b)
			}
		}
		for _, rule := range []string{"resize:cooldown=3", "resize:hysteresis=1.5,cooldown=1", "resize:floor=2",
			"resize:batch=3", "resize:wait=2", "resize:on=departures", "resize:cap=2,floor=2"} {
			c.Policy = parsed(t, rule)
			checked(t, c) // nobody is forgotten, nothing is handed out twice
		}
	})
}

// What each parameter does, by hand: jobs come at 1, 2, 3, … on eight nodes, and are as fast on any number of them.
func TestRulesByHand(t *testing.T) {
	for _, c := range []struct {
		rule    string
		demands []float64
		want    [][]int
	}{
		{"resize:cooldown=5", []float64{20, 20, 20, 20}, [][]int{{8}, {4, 4}, {4, 4}, {4, 4}, {2, 2, 2, 2}}},
		{"resize:hysteresis=2", []float64{20, 20, 20, 20}, [][]int{{8}, {4, 4}, {4, 4}, {2, 2, 2, 2}}},
		{"resize:batch=2", []float64{20, 20, 20, 20}, [][]int{{8}, {8}, {3, 3, 2}, {3, 3, 2}}},
		{"resize:wait=2", []float64{20, 20, 20, 20}, [][]int{{8}, {8}, {3, 3, 2}, {3, 3, 2}}},
		{"resize:on=departures", []float64{20, 20, 20}, [][]int{{8}, {8}, {8}, {4, 4}, {}}},
		{"resize:floor=2", []float64{20, 20, 20}, [][]int{{4}, {4, 4}, {3, 3, 2}}},
		{"resize:floor=2,cap=2", []float64{1.5, 20, 20}, [][]int{{4}, {4, 4}, {4}, {4, 4}}},
		{"resize:cooldown=90", []float64{20, 1.5, 20}, [][]int{{8}, {4, 4}, {4, 4}, {4, 4}}},
	} {
		got := script(t, 8, c.rule, c.demands...)
		for i, want := range c.want {
			if !slices.Equal(got[i], want) {
				t.Errorf("%s, event %d: %v, want %v", c.rule, i, got[i], want)
			}
		}
	}
}

// Between two events that resize running jobs lies the cooldown, up to the rounding of clocks.
func TestResizeKeepsTheCooldown(t *testing.T) {
	const cooldown = 0.4
	last, gaps := math.Inf(-1), 0
	before := map[sched.JobID]int{}
	config := machinetest.Eight(0.05)
	config.Policy = parsed(t, "resize:cooldown=0.4")
	config.Observe = func(v sched.View, events []sched.Event) {
		resized := false
		for k := range v.Running() {
			j := v.Started(k)
			n, there := before[j]
			reused := slices.ContainsFunc(events, func(e sched.Event) bool { // the name of a job that left
				return e.Kind == sched.Departure && e.Job == j
			})
			resized = resized || there && n != v.Held(j) && !reused
		}
		if resized {
			if gap := v.Now() - last; gap < cooldown*(1-1e-12) {
				t.Fatalf("%v between repartitions", gap)
			}
			last = v.Now()
			gaps++
		}
		clear(before)
		for k := range v.Running() {
			before[v.Started(k)] = v.Held(v.Started(k))
		}
	}
	run(t, config, 2, 10_000)
	if gaps < 1000 {
		t.Errorf("%d repartitions", gaps)
	}
}
