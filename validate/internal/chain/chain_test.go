package chain_test

import (
	"math"
	"slices"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/internal/chain"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/machinetest"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/machine"
)

// run returns the sums of n jobs.
func run(tb testing.TB, m simulation.Simulator, err error, seed uint64, n int) simulation.Tally {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
	var t simulation.Tally
	if err := m.Start(des.Seed(seed)).Advance(n, &t); err != nil {
		tb.Fatal(err)
	}
	return t
}

// same compares what a chain and a machine count; chains do not know useful work.
func same(t *testing.T, a, b simulation.Tally) {
	t.Helper()
	for k := range a {
		if k != simulation.UsefulTime && math.Abs(a[k]-b[k]) > 1e-9*math.Max(math.Abs(a[k]), 1) {
			t.Errorf("component %d: %.15g and %.15g", k, a[k], b[k])
		}
	}
}

// With two nodes the average partitions are whole and every repartition concerns all jobs, so that chain and machine,
// which share no code but the drawing of times, must live through the same events. What rounding leaves is 1e-12 of a
// path.
func TestAgreesWithWholeNodesOnTwoNodes(t *testing.T) {
	shrink := []phasetype.Dist{machinetest.Exponential(0.1), machinetest.Exponential(0.2)}
	expand := []phasetype.Dist{machinetest.Exponential(0.3)}
	arrivals := machinetest.Poisson(1.1)
	speedup := workload.Amdahl{Serial: 0.05}
	c, err := chain.New(chain.Config{Arrivals: arrivals, Shrink: shrink, Expand: expand,
		Service: []phasetype.Dist{machinetest.Hyperexponential(speedup.At(2)), machinetest.Hyperexponential(1)}})
	a := run(t, c, err, 5, 20_000)
	jobs := &machine.Random{Arrivals: arrivals, Demand: machinetest.Hyperexponential(1), Speedup: speedup}
	for _, stops := range []machine.Stops{machine.ResizedJobs, machine.AllJobs} {
		nodes, err := machine.New(machine.Config{Nodes: 2, Jobs: jobs, Policy: policy.Dynamic{},
			Costs: machine.NewOverheads(shrink, expand, stops)})
		same(t, a, run(t, nodes, err, 5, 20_000))
	}
	if a[simulation.Abandoned] == 0 || a[simulation.Queued] == 0 {
		t.Error("nothing was abandoned or nobody waited: the test does not test")
	}
}

func TestAgreesWithWholeNodesOnStaticPartitions(t *testing.T) {
	for _, k := range []int{1, 2, 4} {
		arrivals := machinetest.Poisson(0.25 * float64(k))
		setup := machinetest.Exponential(0.5)
		config := chain.Config{Arrivals: arrivals, Setup: setup, Separate: true}
		for range k {
			config.Service = append(config.Service, machinetest.Hyperexponential(1))
		}
		c, err := chain.New(config)
		a := run(t, c, err, 9, 20_000)
		jobs := &machine.Random{Arrivals: arrivals, Demand: machinetest.Hyperexponential(1),
			Speedup: workload.Amdahl{Serial: 1}}
		nodes, err := machine.New(machine.Config{Nodes: 8, Unit: 2, Jobs: jobs, Setup: setup,
			Policy: policy.Static{Partitions: k}})
		b := run(t, nodes, err, 9, 20_000)
		b[simulation.Events] = a[simulation.Events] // the end of a set-up is an event of the chain only
		same(t, a, b)
	}
}

// A job is never lost; the nodes are all at work, all stopped or all idle. 1e-9: rounding of 10⁶ additions.
func TestBooksBalance(t *testing.T) {
	c, err := chain.New(machinetest.EightChain())
	x := run(t, c, err, 2, 100_000)
	if x[simulation.Repartitions] != x[simulation.Shrinks]+x[simulation.Expands] {
		t.Error("repartitions are not shrinks and expands")
	}
	if x[simulation.Arrived] < x[simulation.Departed] || x[simulation.Arrived] > x[simulation.Departed]+1000 {
		t.Errorf("%v arrived, %v departed", x[simulation.Arrived], x[simulation.Departed])
	}
	if x[simulation.PausedTime] <= 0 {
		t.Error("no repartition took any time")
	}
	rest := x[simulation.Elapsed] - x[simulation.EmptyTime] - x[simulation.PausedTime] - x[simulation.BusyTime]
	if math.Abs(rest) > 1e-9*x[simulation.Elapsed] {
		t.Errorf("%v of the time is unaccounted for", rest)
	}
}

// Response times alone are the same times, in the same order, as those between waiting times.
func TestResponsesAreReportedAlone(t *testing.T) {
	level := chain.Config{Arrivals: machinetest.Poisson(2.8), Service: slices.Repeat([]phasetype.Dist{machinetest.Exponential(1)}, 4)}
	for _, config := range []chain.Config{level, machinetest.EightChain()} {
		var alone, among []float64
		for _, o := range []simulation.Observer{
			{Responses: func(times []float64) { alone = append(alone, times...) }},
			{Waits: true, Times: func(times []simulation.Time) {
				for _, x := range times {
					if !x.Waited {
						among = append(among, x.Value)
					}
				}
			}},
		} {
			c, err := chain.New(config)
			if err != nil {
				t.Fatal(err)
			}
			r := c.Start(des.Seed(4))
			r.Watch(o)
			for range 3 { // the last block of each part is not full
				if err := r.Advance(700, &simulation.Tally{}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if len(alone) < 2100 || !slices.Equal(alone, among) {
			t.Errorf("%d response times alone, %d among waiting times, or other times", len(alone), len(among))
		}
	}
}

// smoothed returns a machine under smoothing with a mean minimum time between repartitions.
func smoothed(c chain.Config, mean float64) chain.Config {
	c.Minimum = machinetest.Exponential(mean)
	return c
}

// With a minimum time that is as good as none, smoothing that costs nothing is equi-partitioning: jobs respond at the
// same times up to what jobs do in 20,000 minimum times.
func TestSmoothingWithoutMinimumTimeIsDynamic(t *testing.T) {
	config := machinetest.EightChain()
	config.Shrink, config.Expand = nil, nil
	c, err := chain.New(config)
	a := run(t, c, err, 3, 20_000)
	s, err := chain.New(smoothed(config, 1e-12))
	b := run(t, s, err, 3, 20_000)
	for _, k := range []int{simulation.Departed, simulation.ResponseSum, simulation.JobTime, simulation.EmptyTime} {
		if math.Abs(a[k]-b[k]) > 1e-6*a[k] {
			t.Errorf("component %d: %.15g and %.15g", k, a[k], b[k])
		}
	}
}

func TestConfigurationsAreChecked(t *testing.T) {
	good := machinetest.EightChain()
	for name, spoil := range map[string]func(*chain.Config){
		"no service times": func(c *chain.Config) { c.Service = nil },
		"no arrivals":      func(c *chain.Config) { c.Arrivals = phasetype.MAP{} },
		"orders differ":    func(c *chain.Config) { c.Service[3] = machinetest.Exponential(1) },
		"no classes":       func(c *chain.Config) { c.Nodes = 8 },
		"a set-up":         func(c *chain.Config) { c.Setup = machinetest.Exponential(1) },
		"other phases":     func(c *chain.Config) { c.Classes = []simulation.Class{{Phases: 7}} },
	} {
		c := good
		c.Service = slices.Clone(good.Service)
		spoil(&c)
		if _, err := chain.New(c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestNothingIsAllocatedPerEvent(t *testing.T) {
	plain, err := chain.New(machinetest.EightChain())
	if err != nil {
		t.Fatal(err)
	}
	slow, err := chain.New(smoothed(machinetest.EightChain(), 0.1))
	if err != nil {
		t.Fatal(err)
	}
	c := machinetest.EightChain()
	c.Nodes, c.Service = 8, slices.Repeat(c.Service[:1], 8)
	c.Classes = []simulation.Class{{Phases: 1, MaxNodes: 3, Speedup: workload.Amdahl{Serial: 0.1}},
		{Phases: c.Service[0].Phases() - 1, MaxNodes: 8, Speedup: workload.Linear{}}}
	classes, err := chain.New(c)
	if err != nil {
		t.Fatal(err)
	}
	static, err := chain.New(chain.Config{Arrivals: machinetest.Poisson(0.7 * 8), Separate: true,
		Service: slices.Repeat([]phasetype.Dist{machinetest.Hyperexponential(1)}, 8)})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []simulation.Simulator{plain, slow, classes, static} {
		var tally simulation.Tally
		r := m.Start(des.Seed(1))
		advance := func(n int) {
			if err := r.Advance(n, &tally); err != nil {
				t.Fatal(err)
			}
		}
		advance(200_000) // the queue has been as long as it will be
		if n := testing.AllocsPerRun(10, func() { advance(2000) }); n != 0 {
			t.Errorf("%T: %v allocations in 2000 jobs", m, n)
		}
	}
}

// BenchmarkStaticN4 and BenchmarkStaticN64 are the queues M/M/4 and M/M/64 at load .7.
func BenchmarkStaticN4(b *testing.B)  { benchmarkStatic(b, 4) }
func BenchmarkStaticN64(b *testing.B) { benchmarkStatic(b, 64) }

func benchmarkStatic(b *testing.B, partitions int) {
	c, err := chain.New(chain.Config{Arrivals: machinetest.Poisson(0.7 * float64(partitions)), Separate: true,
		Service: slices.Repeat([]phasetype.Dist{machinetest.Exponential(1)}, partitions)})
	machinetest.Benchmark(b, c, err)
}

func BenchmarkChainN8(b *testing.B) {
	c, err := chain.New(machinetest.EightChain())
	machinetest.Benchmark(b, c, err)
}

func BenchmarkSmoothedN8(b *testing.B) {
	c, err := chain.New(smoothed(machinetest.EightChain(), 0.1))
	machinetest.Benchmark(b, c, err)
}
