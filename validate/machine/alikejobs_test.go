package machine_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/machinetest"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// The run of jobs that are alike has the sums, times, changes and errors of the general run, to the last bit, on random
// systems. In some of them several events happen at the same time.
func TestAlikeJobsAreJobs(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for i := range 600 {
		seed := random.Uint64()
		alike, general := outcomeOf(t, seed, false), outcomeOf(t, seed, true)
		if diff := cmp.Diff(general, alike); diff != "" {
			c, _ := alikeSystem(seed)
			t.Fatalf("system %d: %s on %d nodes, costs %T (-general +alike):\n%s", i, c.Policy, c.Nodes, c.Costs, diff)
		}
	}
}

// outcome is what a run of a machine reports.
type outcome struct {
	Sums      []simulation.Tally // of each part of the run
	Times     []simulation.Time
	Responses []float64
	Changes   []machine.Change // that cost something
	Stops     int              // number of times that the run asked whether it should end
	Err       string
}

// outcomeOf runs the random system of a seed in parts, as a run of jobs that are alike or in general.
func outcomeOf(t *testing.T, seed uint64, general bool) (o outcome) {
	t.Helper()
	c, random := alikeSystem(seed)
	if c.Costs != nil && random.IntN(2) == 0 { // otherwise their type counts, too
		c.Costs = recordedCosts{c.Costs, &o.Changes}
	}
	m, err := machine.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if !m.HasAlikeJobs() {
		t.Fatalf("the jobs of %s on %d nodes are not alike", c.Policy, c.Nodes)
	}
	if general {
		m = m.WithoutPlainActions()
	}
	run := m.Start(des.Seed(seed))
	lastStop := 1 << 30
	if random.IntN(4) == 0 {
		lastStop = 1 + random.IntN(10)
	}
	watch := simulation.Observer{Most: 10 + random.IntN(1500), Stop: func() error {
		if o.Stops++; o.Stops == lastStop {
			return errors.New("enough")
		}
		return nil
	}}
	if random.IntN(2) == 0 {
		watch.Responses = func(x []float64) { o.Responses = append(o.Responses, x...) }
	} else {
		watch.Waits = random.IntN(2) == 0
		watch.Times = func(x []simulation.Time) { o.Times = append(o.Times, x...) }
	}
	run.Watch(watch)
	for range 4 {
		var sums simulation.Tally
		err := run.Advance(1+random.IntN(400), &sums)
		o.Sums = append(o.Sums, sums)
		if err != nil {
			o.Err = err.Error()
		}
	}
	return o
}

// recordedCosts are costs that record the changes for which they are asked.
type recordedCosts struct {
	machine.Costs
	changes *[]machine.Change
}

// Pause returns the pause of the costs, and records the change.
func (c recordedCosts) Pause(change *machine.Change, s *des.Ahead) machine.Pause {
	*c.changes = append(*c.changes, *change)
	return c.Costs.Pause(change, s)
}

// alikeSystem returns the random machine of a seed, of jobs that are alike, and random numbers for its run.
func alikeSystem(seed uint64) (machine.Config, *rand.Rand) {
	random := rand.New(rand.NewPCG(seed, 1))
	nodes := 1 + random.IntN(12)
	if random.IntN(5) == 0 {
		nodes = 64
	}
	c := machinetest.Nodes(nodes, 0.1*random.Float64())
	units := nodes
	if nodes%3 == 0 {
		c.Unit, units = 3, nodes/3
	}
	jobs := c.Jobs.(*machine.Random)
	switch random.IntN(5) {
	case 0:
		jobs.Sample = []float64{1, 1, 2}
		jobs.Arrivals = bursts(float64(nodes) * 0.1)
	case 1:
		jobs.Sample = []float64{1}
		jobs.Speedup = workload.Linear{}
		jobs.Arrivals = bursts(float64(nodes) * 0.3)
	case 2:
		jobs.Arrivals = machinetest.Poisson(1.5 * float64(nodes)) // more than the machine can do
	case 3:
		jobs.Sample = []float64{1, 2, 3}
		jobs.Arrivals = lateArrivals(float64(nodes) * 0.4)
	}
	c.Costs = alikeCosts(random, nodes)
	policies := []policy.Policy{policy.Dynamic{}, policy.Dynamic{}, policy.Capped{Jobs: 1 + random.IntN(units)},
		policy.Static{Partitions: units}, policy.Static{Partitions: 1}}
	c.Policy = policies[random.IntN(len(policies))]
	if random.IntN(3) == 0 {
		c.Setup = machinetest.Exponential(0.02)
	}
	return c, random
}

// alikeCosts returns random costs of a whole change, nil for none. Some fail after a while.
func alikeCosts(random *rand.Rand, nodes int) machine.Costs {
	mean := []float64{0.001, 0.1, 3}[random.IntN(3)]
	var list []phasetype.Dist
	for i := range nodes {
		list = append(list, machinetest.Exponential(mean))
		if i%3 == 2 {
			list[i] = phasetype.Dist{}
		}
	}
	stops := machine.Stops(random.IntN(4))
	wrong := []float64{-1, math.NaN(), math.Inf(1)}[random.IntN(3)]
	costs := []machine.Costs{nil, nil, machine.NewOverheads(list, list, stops), machine.NewOverheads(list, list, stops),
		machine.Standstill(mean), machine.Standstill(0), machine.AtLeast(machine.Standstill(0), mean, 2*mean),
		costsOf(func(change *machine.Change, _ *des.Ahead) machine.Pause {
			p := machine.Pause{Reconfigures: change.Moved > 1, Time: mean * float64(change.Started), Kind: machine.ExpandPause,
				Stops: stops % machine.AllJobsAlways}
			if change.Departed > 1 || change.Why == sched.Departure && change.Running == nodes-1 {
				p.Time = wrong
			}
			return p
		})}
	return costs[random.IntN(len(costs))]
}

// costsOf are costs given by a function.
type costsOf func(*machine.Change, *des.Ahead) machine.Pause

// Pause calls the function.
func (f costsOf) Pause(c *machine.Change, s *des.Ahead) machine.Pause { return f(c, s) }

// bursts returns an arrival process of the given rate in bursts of four jobs on average. The times between the jobs of a
// burst are so short that they round to zero.
func bursts(rate float64) phasetype.MAP {
	const fast = 1e30
	d0 := mat.NewDense(2, 2, []float64{-rate / 4, 0, 0, -fast})
	d1 := mat.NewDense(2, 2, []float64{0, rate / 4, fast / 3, fast * 2 / 3})
	m, err := phasetype.NewMAP(d0, d1)
	if err != nil {
		panic(err)
	}
	return m
}

// lateArrivals returns an arrival process with short stretches of the given rate, so late that times are rounded to
// multiples of 1/16 and more. Jobs then arrive at the same time as others end.
func lateArrivals(rate float64) phasetype.MAP {
	const seldom = 1e-15
	d0 := mat.NewDense(2, 2, []float64{-seldom, 0, 0, -rate})
	d1 := mat.NewDense(2, 2, []float64{0, seldom, rate / 100, rate * 99 / 100})
	m, err := phasetype.NewMAP(d0, d1)
	if err != nil {
		panic(err)
	}
	return m
}

// A machine is simulated in general if its jobs are not alike, if somebody asks for more than sums and times, or if its
// policy does not divide the nodes by the numbers of jobs.
func TestJobsThatAreNotAlike(t *testing.T) {
	one := machinetest.Exponential(1)
	for name, change := range map[string]func(*machine.Config){
		"classes": func(c *machine.Config) {
			c.Jobs.(*machine.Random).Classes = []simulation.Class{{Phases: 2, MaxNodes: 8, Speedup: workload.Linear{}}}
		},
		"a list":      func(c *machine.Config) { c.Jobs = machine.List{} },
		"records":     func(c *machine.Config) { c.Done = func(*machine.Record) {} },
		"an observer": func(c *machine.Config) { c.Observe = func(sched.View, []sched.Event) {} },
		"estimates": func(c *machine.Config) {
			c.Estimates = &machine.Estimates{New: func() workload.Estimator { return nil }}
		},
		"points":             func(c *machine.Config) { c.Points.Number = 3 },
		"one by one":         func(c *machine.Config) { c.OneByOne = true },
		"costs of each job":  func(c *machine.Config) { c.Costs = machine.Resizes{{Nodes: 1, Shrink: 1, Expand: 1}} },
		"another policy":     func(c *machine.Config) { c.Policy = policy.Folding{} },
		"many nodes":         func(c *machine.Config) { *c = machinetest.Nodes(65, 0) },
		"many running tasks": func(c *machine.Config) { *c = machinetest.Nodes(128, 0); c.Policy = policy.Static{Partitions: 128} },
	} {
		c := machinetest.Eight(0.02)
		change(&c)
		m, err := machine.New(c)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if m.HasAlikeJobs() {
			t.Errorf("%s: the jobs are alike", name)
		}
	}
	c := machinetest.Nodes(128, 0)
	c.Policy, c.Setup = policy.Static{Partitions: 4}, one
	if m, err := machine.New(c); err != nil || !m.HasAlikeJobs() {
		t.Error(fmt.Errorf("the jobs of four partitions are not alike (error %w)", err))
	}
}
