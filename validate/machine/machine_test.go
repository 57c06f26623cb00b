package machine_test

import (
	"math"
	"slices"
	"testing"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/machine"
)

func poisson(tb testing.TB, rate float64) phasetype.MAP {
	tb.Helper()
	m, err := phasetype.Renewal(exponential(1 / rate))
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// amdahl is a speedup with 5 % serial work.
func amdahl(n float64) float64 { return 1 / (0.05 + 0.95/n) }

func speeds(nodes int) []float64 {
	v := make([]float64, nodes+1)
	for n := 1; n <= nodes; n++ {
		v[n] = amdahl(float64(n))
	}
	return v
}

// eightNodes is what eight is, with whole nodes and 5 % serial work.
func eightNodes(tb testing.TB) machine.Config {
	c := eight(tb)
	return machine.Config{Nodes: 8, Unit: 1, Arrivals: c.Arrivals, Demand: hyper(1), Speed: speeds(8), Shrink: c.Shrink,
		Expand: c.Expand, Policy: func() machine.Policy { return &machine.Dynamic{} }}
}

// run returns the sums of n jobs.
func run(tb testing.TB, m machine.Simulator, err error, seed uint64, n int) machine.Tally {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
	var t machine.Tally
	if err := m.Start(des.Seed(seed)).Advance(n, &t); err != nil {
		tb.Fatal(err)
	}
	return t
}

// With two nodes the average partitions are whole and every repartition concerns all jobs, so that both machines, which
// share no code but the drawing of times, must live through the same events. What rounding leaves is 1e-12 of a path.
func TestBothFidelitiesAgreeOnTwoNodes(t *testing.T) {
	shrink := []phasetype.Dist{exponential(0.1), exponential(0.2)}
	expand := []phasetype.Dist{exponential(0.3)}
	arrivals := poisson(t, 1.1)
	chain, err := machine.NewChain(machine.ChainConfig{Arrivals: arrivals, Shrink: shrink, Expand: expand,
		Service: []phasetype.Dist{hyper(amdahl(2)), hyper(1)}})
	a := run(t, chain, err, 5, 20_000)
	nodes, err := machine.New(machine.Config{Nodes: 2, Unit: 1, Arrivals: arrivals, Demand: hyper(1), Speed: speeds(2),
		Shrink: shrink, Expand: expand, Policy: func() machine.Policy { return &machine.Dynamic{} }})
	b := run(t, nodes, err, 5, 20_000)
	same(t, a, b)
	if a[machine.Abandoned] == 0 || a[machine.Queued] == 0 {
		t.Error("nothing was abandoned or nobody waited: the test does not test")
	}
}

func TestBothFidelitiesAgreeOnStaticPartitions(t *testing.T) {
	for _, k := range []int{1, 2, 4} {
		arrivals := poisson(t, 0.25*float64(k))
		setup := exponential(0.5)
		config := machine.ChainConfig{Arrivals: arrivals, Setup: setup, Separate: true}
		for range k {
			config.Service = append(config.Service, hyper(1))
		}
		chain, err := machine.NewChain(config)
		a := run(t, chain, err, 9, 20_000)
		nodes, err := machine.New(machine.Config{Nodes: 8, Unit: 2, Arrivals: arrivals, Demand: hyper(1), Setup: setup,
			Speed:  slices.Repeat([]float64{1}, 9),
			Policy: func() machine.Policy { return machine.Static{Partitions: k} }})
		b := run(t, nodes, err, 9, 20_000)
		b[machine.Events] = a[machine.Events] // the end of a set-up is an event of the chain only
		same(t, a, b)
	}
}

func same(t *testing.T, a, b machine.Tally) {
	t.Helper()
	for k := range a {
		if math.Abs(a[k]-b[k]) > 1e-9*math.Max(math.Abs(a[k]), 1) {
			t.Errorf("component %d: %.15g and %.15g", k, a[k], b[k])
		}
	}
}

// table1 is IPS96 table 1: the partitions of an eight-node machine with i jobs, i = 0..8.
var table1 = [][]int{
	{}, {8}, {4, 4}, {3, 3, 2}, {2, 2, 2, 2}, {2, 2, 2, 1, 1}, {2, 2, 1, 1, 1, 1}, {2, 1, 1, 1, 1, 1, 1},
	{1, 1, 1, 1, 1, 1, 1, 1},
}

// Every state that dynamic equi-partitioning comes to is one of the table, and every step resizes as few jobs as any
// choice of who has which partition.
func TestDynamicFollowsTable1(t *testing.T) {
	for _, unit := range []int{1, 2} {
		seen := map[[2]int]int{}
		before, held := map[machine.Job]int{}, map[machine.Job]int{}
		var sizes []int
		observe := func(v machine.View, why machine.Event) {
			from := len(before)
			clear(held)
			sizes = sizes[:0]
			for i := range v.Running() {
				j := v.Started(i)
				held[j] = v.Held(j) / unit
				sizes = append(sizes, held[j])
			}
			slices.SortFunc(sizes, func(a, b int) int { return b - a })
			i := len(sizes)
			if !slices.Equal(sizes, table1[i]) {
				t.Fatalf("%d jobs: %v, want %v", i, sizes, table1[i])
			}
			if i == 8 && v.Waiting() > 0 && why.Kind == machine.Departure {
				return
			}
			if why.Kind == machine.Departure {
				delete(before, why.Job)
			}
			if from != i {
				seen[[2]int{from, i}]++
				if got, want := resized(before, held), fewest(before, table1[i]); got != want {
					t.Fatalf("from %d to %d jobs %d were resized, %d would do", from, i, got, want)
				}
			}
			clear(before)
			for j, n := range held {
				before[j] = n
			}
		}
		m, err := machine.New(machine.Config{Nodes: 8 * unit, Unit: unit, Arrivals: poisson(t, 2.2), Demand: hyper(0.5),
			Speed: speeds(8 * unit), Shrink: []phasetype.Dist{exponential(0.05), exponential(0.05)},
			Policy: func() machine.Policy { return &machine.Dynamic{} }, Observe: observe})
		run(t, m, err, 1, 50_000)
		for i := range 8 {
			if seen[[2]int{i, i + 1}] == 0 || seen[[2]int{i + 1, i}] == 0 {
				t.Errorf("the step between %d and %d jobs was never taken", i, i+1)
			}
		}
	}
}

func resized(before, after map[machine.Job]int) (n int) {
	for j, size := range before {
		if after[j] != size {
			n++
		}
	}
	return n
}

// fewest is the number of jobs that do not find their size among the new sizes.
func fewest(before map[machine.Job]int, sizes []int) (n int) {
	left := slices.Clone(sizes)
	for _, size := range before {
		if k := slices.Index(left, size); k >= 0 {
			left = slices.Delete(left, k, k+1)
		} else {
			n++
		}
	}
	return n
}

// A job is never lost, and time goes to one thing or another.
func TestBooksBalance(t *testing.T) {
	chain, err := machine.NewChain(eight(t))
	a := run(t, chain, err, 2, 100_000)
	nodes, err := machine.New(eightNodes(t))
	b := run(t, nodes, err, 2, 100_000)
	for name, x := range map[string]machine.Tally{"model": a, "machine": b} {
		if x[machine.Repartitions] != x[machine.Shrinks]+x[machine.Expands] {
			t.Errorf("%s: repartitions are not shrinks and expands", name)
		}
		if x[machine.Arrived] < x[machine.Departed] || x[machine.Arrived] > x[machine.Departed]+1000 {
			t.Errorf("%s: %v arrived, %v departed", name, x[machine.Arrived], x[machine.Departed])
		}
		if x[machine.PausedTime] <= 0 || x[machine.EmptyTime]+x[machine.BusyTime] > x[machine.Elapsed]*(1+1e-12) {
			t.Errorf("%s: times do not add up: %v", name, x)
		}
	}
	// In the model's machine the nodes are all at work, all stopped or all idle; 1e-9: rounding of 10⁶ additions.
	if rest := a[machine.Elapsed] - a[machine.EmptyTime] - a[machine.PausedTime] - a[machine.BusyTime]; math.Abs(rest) >
		1e-9*a[machine.Elapsed] {
		t.Errorf("model: %v of the time is unaccounted for", rest)
	}
}

// greedy hands every job the whole machine.
type greedy struct{}

func (greedy) Name() string { return "greedy" }

func (greedy) Decide(v machine.View, why machine.Event, do []machine.Action) []machine.Action {
	if why.Kind == machine.Arrival {
		do = append(do, machine.Allocate(why.Job, v.Nodes()))
	}
	return do
}

func TestMachineEnforcesCapacity(t *testing.T) {
	m, err := machine.New(machine.Config{Nodes: 4, Unit: 2, Arrivals: poisson(t, 2), Demand: exponential(1),
		Speed: speeds(4), Policy: func() machine.Policy { return greedy{} }})
	if err != nil {
		t.Fatal(err)
	}
	var tally machine.Tally
	err = m.Start(des.Seed(1)).Advance(1000, &tally)
	if want := "machine: policy greedy: hands out 8 of 4 nodes"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}

// sleepy lets the machine lie idle until an alarm a fixed time after each arrival.
type sleepy struct{ delay float64 }

func (sleepy) Name() string { return "sleepy" }

func (s sleepy) Decide(v machine.View, why machine.Event, do []machine.Action) []machine.Action {
	if why.Kind == machine.Arrival {
		return append(do, machine.Wake(v.Now()+s.delay))
	}
	if v.Waiting() > 0 && v.Free() == v.Nodes() && why.Kind == machine.Alarm {
		do = append(do, machine.Allocate(v.Head(), v.Nodes()))
	}
	return do
}

func TestAlarmsWakeThePolicy(t *testing.T) {
	m, err := machine.New(machine.Config{Nodes: 1, Unit: 1, Arrivals: poisson(t, 0.001), Demand: exponential(0.01),
		Speed: speeds(1), Policy: func() machine.Policy { return sleepy{3} }})
	got := run(t, m, err, 1, 1000)
	if wait := got[machine.WaitSum] / got[machine.Started]; math.Abs(wait-3) > 1e-9 {
		t.Errorf("mean wait %v, want the delay of the alarm, 3", wait)
	}
}

func TestConfigurationsAreChecked(t *testing.T) {
	good := machine.Config{Nodes: 4, Unit: 2, Arrivals: poisson(t, 1), Demand: exponential(1), Speed: speeds(4),
		Policy: func() machine.Policy { return &machine.Dynamic{} }}
	for name, spoil := range map[string]func(*machine.Config){
		"unit":     func(c *machine.Config) { c.Unit = 3 },
		"speed":    func(c *machine.Config) { c.Speed = c.Speed[1:] },
		"arrivals": func(c *machine.Config) { c.Arrivals = phasetype.MAP{} },
		"demand":   func(c *machine.Config) { c.Demand = phasetype.Dist{} },
		"policy":   func(c *machine.Config) { c.Policy = nil },
		"replay": func(c *machine.Config) {
			c.Replay = []machine.Request{{Arrival: 2, Demand: 1}, {Arrival: 1, Demand: 1}}
		},
		"no jobs": func(c *machine.Config) { c.Replay = []machine.Request{} },
		"zero":    func(c *machine.Config) { c.Sample = []float64{1, 0} },
	} {
		c := good
		spoil(&c)
		if _, err := machine.New(c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := machine.NewChain(machine.ChainConfig{Arrivals: poisson(t, 1)}); err == nil {
		t.Error("a chain without service times: no error")
	}
}

func TestNothingIsAllocatedPerEvent(t *testing.T) {
	chain, err := machine.NewChain(eight(t))
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := machine.New(eightNodes(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []machine.Simulator{chain, nodes} {
		var tally machine.Tally
		r := m.Start(des.Seed(1))
		r.Advance(200_000, &tally) // the queue has been as long as it will be
		if n := testing.AllocsPerRun(10, func() { r.Advance(2000, &tally) }); n != 0 {
			t.Errorf("%T: %v allocations in 2000 jobs", m, n)
		}
	}
}
