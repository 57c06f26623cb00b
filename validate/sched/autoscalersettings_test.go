package sched_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
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

// plainSettings is a policy that starts jobs and makes them grow as [sched.Free] and [sched.Growing] are described. It looks
// at all jobs at each decision.
type plainSettings struct{ settings }

func (p plainSettings) Scheduler() (sched.Policy, error) { return p, nil }

func (p plainSettings) Decide(v sched.View, _ []sched.Event, do []sched.Action) []sched.Action {
	units := v.Nodes() / v.Unit()
	mostJobs, parts := p.Shares(units, units), p.Shares(1, units)
	bounds := func(j sched.JobID) (fewest, most int) {
		least, largest := (v.Least(j)+v.Unit()-1)/v.Unit()*v.Unit(), v.Most(j)
		switch {
		case v.Held(j) > 0 && v.Job(j).Kind != workload.Malleable:
			least, largest = v.Held(j), v.Held(j)
		case least > largest:
			least = v.Asked(j)
		}
		most = max(least, min(largest/v.Unit()*v.Unit(), (units+parts-1)/parts*v.Unit()))
		return min(most, max(least, units/mostJobs*v.Unit())), most
	}
	var jobs []sched.JobID
	var sizes []int
	for k := range v.Running() {
		jobs, sizes = append(jobs, v.Started(k)), append(sizes, v.Held(v.Started(k)))
	}
	free := v.Free()
	for i := 0; i < v.Waiting() && (p.uncapped || len(jobs) < mostJobs); i++ {
		fewest, most := bounds(v.Queued(i).Job)
		if p.width == sched.Free {
			fewest = max(fewest, min(most, free/v.Unit()*v.Unit()))
		}
		if fewest > free {
			break
		}
		free -= fewest
		jobs, sizes = append(jobs, v.Queued(i).Job), append(sizes, fewest)
	}
	for k, j := range jobs {
		if _, most := bounds(j); p.width == sched.Growing && most > sizes[k] {
			more := min(most-sizes[k], free/v.Unit()*v.Unit())
			sizes[k], free = sizes[k]+more, free-more
		}
		if sizes[k] != v.Held(j) {
			do = append(do, sched.Allocate(j, sizes[k]))
		}
	}
	return do
}

// TestSettingsLookAtAllJobs: settings that leave running jobs out of a decision decide as if they looked at all jobs.
func TestSettingsLookAtAllJobs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.IntRange(1, 3).Draw(t, "unit")
		nodes := unit * rapid.IntRange(2, 12).Draw(t, "units of the machine")
		c := machine.Config{Nodes: nodes, Unit: unit, NodeMemory: 1, Jobs: machine.List(boundedJobs(nodes, unit).Draw(t, "jobs"))}
		c.Costs = rapid.SampledFrom([]machine.Costs{nil, ownCost(1)}).Draw(t, "costs")
		for _, rule := range []policy.Resize{{}, {Cap: 2}, {Floor: 2}} {
			for _, w := range []sched.Width{sched.Free, sched.Growing} {
				for _, uncapped := range []bool{false, true} {
					s := settings{rule, w, uncapped}
					c.Policy = s
					got := fmt.Sprintf("%+v", lived(t, c))
					c.Policy = plainSettings{s}
					if want := fmt.Sprintf("%+v", lived(t, c)); got != want {
						t.Fatalf("%+v: %s, want %s", s, got, want)
					}
				}
			}
		}
	})
}

// TestEndsAreIgnored: policies that are not told when jobs are expected to end decide as if they were told. A polled policy
// is told what the policy that it polls is told.
func TestEndsAreIgnored(t *testing.T) {
	rule := policy.Resize{Cooldown: 3, Hysteresis: 1.5}
	ofRule, err := sched.New(rule)
	if err != nil {
		t.Fatal(err)
	}
	easy, err := sched.New(policy.EASY{})
	if err != nil {
		t.Fatal(err)
	}
	grows, apart := sched.NewSettings(rule, sched.Growing, true), sched.NewSettings(rule, sched.Apart, false)
	for p, plans := range map[sched.Policy]bool{easy: true, sched.NewPolled(easy, 5): true, ofRule: false,
		sched.NewPolled(ofRule, 5): false, grows: false, sched.NewPolled(apart, 5): false} {
		if sched.PlansWithEnds(p) != plans {
			t.Errorf("%T: plans with expected ends: %v, want %v", p, !plans, plans)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(2, 12).Draw(t, "nodes of the machine")
		c := machine.Config{Nodes: nodes, NodeMemory: 1, Jobs: machine.List(boundedJobs(nodes, 1).Draw(t, "jobs")), Costs: ownCost(1)}
		for w := sched.Free; w <= sched.Apart; w++ {
			c.Policy = settings{rule, w, false}
			c.Observe = nil
			without := fmt.Sprintf("%+v", lived(t, c))
			c.Observe = func(sched.View, []sched.Event) {} // it could ask for expected ends
			if with := fmt.Sprintf("%+v", lived(t, c)); with != without {
				t.Fatalf("%+v: %s, with expected ends %s", c.Policy, without, with)
			}
		}
	})
}
