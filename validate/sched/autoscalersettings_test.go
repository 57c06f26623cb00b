package sched_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/internal/machinetest"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// settings is a policy whose scheduler has settings.
type settings struct {
	policy.Resize
	width    sched.Width
	uncapped bool
}

func (s settings) Scheduler() (sched.Policy, error) {
	return sched.NewSettings(s.Resize, s.width, s.uncapped), nil
}

// TestSettingsThatHaveAName: jobs that take what is free and keep it are in static partitions where this is all or nothing; jobs
// that follow their shares at once share the machine dynamically.
func TestSettingsThatHaveAName(t *testing.T) {
	for _, c := range []struct {
		rule  policy.Resize
		width sched.Width
		name  string
	}{
		{policy.Resize{Floor: 2}, sched.Free, "static:2"},
		{policy.Resize{}, sched.Free, "static:1"},
		{policy.Resize{Floor: 4, Cap: 4}, sched.Growing, "static:4"},
		{policy.Resize{}, sched.Apart, "dynamic"},
	} {
		config := machinetest.Eight(0.05)
		if c.width != sched.Apart {
			config.Costs = nil // a start after an empty machine, which is no resize, costs something there
		}
		config.Policy = settings{c.rule, c.width, false}
		a := run(t, config, 3, 10_000)
		config.Policy = parsed(t, c.name)
		same(t, a, run(t, config, 3, 10_000))
	}
}

// TestSettingsByHand: jobs come at 1, 2, 3, … on eight nodes, and are as fast on any number of them.
func TestSettingsByHand(t *testing.T) {
	for _, c := range []struct {
		of      settings
		demands []float64
		want    [][]int
	}{
		{settings{policy.Resize{Cap: 2}, sched.Growing, false}, []float64{20, 20, 1}, [][]int{{8}, {8}, {8}, {4, 4}}},
		{settings{policy.Resize{Cap: 2}, sched.Growing, false}, []float64{1.5, 20, 20}, [][]int{{8}, {8}, {8}, {8}}},
		{settings{policy.Resize{Cap: 3, Floor: 3}, sched.Growing, false}, []float64{20, 20, 20, 20}, [][]int{{3}, {3, 3}, {3, 3, 2}, {3, 3, 2}}},
		{settings{policy.Resize{Cap: 3, Cooldown: 50}, sched.Apart, false}, []float64{20, 20, 20, 20}, [][]int{{2}, {2, 2}, {2, 2, 2}, {2, 2, 2}}},
		{settings{policy.Resize{Cap: 3, Cooldown: 50}, sched.Apart, true}, []float64{20, 20, 20, 20}, [][]int{{2}, {2, 2}, {2, 2, 2}, {2, 2, 2, 2}}},
		// The first job waits until 6 to grow to 4, its smallest share since then, and the second until 7.
		{settings{policy.Resize{Cooldown: 5}, sched.Apart, false}, []float64{20, 20}, [][]int{{1}, {1, 1}, {4, 1}, {4, 4}}},
		{settings{policy.Resize{Hysteresis: 2}, sched.Apart, false}, []float64{20, 20, 20}, [][]int{{8}, {4, 4}, {4, 4}}},
		{settings{policy.Resize{Wait: 2}, sched.Apart, false}, []float64{20, 20, 20}, [][]int{{8}, {8}, {3, 3, 2}}},
	} {
		got := scriptOf(t, 8, c.of, c.demands...)
		for i, want := range c.want {
			if i >= len(got) || !slices.Equal(got[i], want) {
				t.Errorf("%+v: %v, want %v", c.of, got, c.want)
				break
			}
		}
	}
}

// TestSettingsRespectBounds: of jobs that have bounds, or cannot be resized, nobody is forgotten, nothing is handed out twice.
func TestSettingsRespectBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.IntRange(1, 3).Draw(t, "unit")
		nodes := unit * rapid.IntRange(2, 12).Draw(t, "units of the machine")
		c := machine.Config{Nodes: nodes, Unit: unit, NodeMemory: 1,
			Jobs: machine.List(boundedJobs(nodes, unit).Draw(t, "jobs"))}
		for _, rule := range []policy.Resize{{}, {Cap: 2}, {Cooldown: 3, Hysteresis: 1.5}, {Floor: 2, Wait: 2}} {
			for w := sched.Free; w <= sched.Apart; w++ {
				c.Policy = settings{rule, w, rule.Cap > 0 && w == sched.Growing}
				checked(t, c)
			}
		}
	})
}
