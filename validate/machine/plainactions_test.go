package machine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/machinetest"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// Plain actions in one loop do what each action does by itself: random systems have the same sums and the same records.
func TestPlainActionsAreAllocations(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		c := randomSystem(random)
		plain, sums := history(t, c, false)
		general, want := history(t, c, true)
		name := fmt.Sprintf("system %d: %s on %d nodes, costs %T", i, c.Policy, c.Nodes, c.Costs)
		if diff := cmp.Diff(want, sums); diff != "" {
			t.Fatalf("%s: sums (-general +plain):\n%s", name, diff)
		}
		if diff := cmp.Diff(general, plain, cmpopts.EquateNaNs()); diff != "" {
			t.Fatalf("%s: records (-general +plain):\n%s", name, diff)
		}
	}
}

// randomSystem returns a machine of at most 12 nodes, any of the policies of malleable jobs, and any costs.
func randomSystem(random *rand.Rand) machine.Config {
	nodes := 1 + random.IntN(12)
	c := machinetest.Nodes(nodes, 0.1*random.Float64())
	shrink, expand := c.Costs, machine.Resizes{{Nodes: 1, Shrink: 0.01, Expand: 0.02}}
	costs := []machine.Costs{nil, shrink, expand, machine.Standstill(0.01), machine.AtLeast(shrink, 0.01, 0.02)}
	c.Costs = costs[random.IntN(len(costs))]
	seed := random.Uint64()
	policies := []policy.Policy{policy.Dynamic{}, policy.Static{Partitions: nodes}, policy.Static{Partitions: 1}, policy.Folding{},
		policy.Capped{Jobs: 1 + random.IntN(nodes)}, policy.Limited{Demand: 0.5}, policy.EASYMalleable{},
		machinetest.Own{New: func() sched.Policy { return capricious(seed) }}}
	c.Policy = policies[random.IntN(len(policies))]
	if random.IntN(3) == 0 {
		c.Setup = machinetest.Exponential(0.02)
	}
	return c
}

// history returns the records of the jobs of a run and its sums, by the general way of carrying out actions or not.
func history(t *testing.T, c machine.Config, general bool) (records []machine.Record, sums simulation.Tally) {
	t.Helper()
	c.Done = func(r *machine.Record) { records = append(records, *r) }
	m, err := machine.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if !m.Plain() {
		t.Fatal("a machine of malleable jobs is not plain")
	}
	if general {
		m = m.WithoutPlainActions()
	}
	if err := m.Start(des.Seed(3)).Advance(300, &sums); err != nil {
		t.Fatal(err)
	}
	return records, sums
}

// capricious returns a scheduler that resizes, suspends and starts jobs at random, names jobs whose nodes stay, and asks for
// alarms. Late in a run, it places jobs that start on the empty machine.
func capricious(seed uint64) sched.Policy {
	random, decisions := rand.New(rand.NewPCG(seed, 0)), 0
	return decider(func(v sched.View, _ []sched.Event, do []sched.Action) []sched.Action {
		decisions++
		free, first := v.Free(), len(do)
		for k := range v.Running() {
			held := v.Held(v.Started(k))
			nodes := random.IntN(held + free + 1)
			if random.IntN(3) == 0 {
				nodes = held
			}
			free += held - nodes
			do = append(do, sched.Allocate(v.Started(k), nodes))
		}
		for k := 0; k < v.Waiting() && free > 0; k++ {
			nodes := 1 + random.IntN(free)
			free -= nodes
			do = append(do, sched.Allocate(v.Queued(k).Job, nodes))
		}
		// Jobs that shrink give up their nodes to jobs that come later in the list: any order will do.
		random.Shuffle(len(do)-first, func(i, j int) { do[first+i], do[first+j] = do[first+j], do[first+i] })
		if v.Running() == 0 && decisions > 300 && len(do) > first {
			do[first].Offset = 0
		}
		if random.IntN(4) == 0 {
			do = append(do[:first], append([]sched.Action{sched.Wake(v.Now() + 0.01)}, do[first:]...)...)
		}
		return do
	})
}
