package machine_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/partwise/partwise/validate/des"
	_ "github.com/partwise/partwise/validate/draws"
	"github.com/partwise/partwise/validate/machine"
	"pgregory.net/rapid"
)

// script runs a policy on jobs that come at 1, 2, 3, … and returns the nodes of the running jobs, in the order of their
// starts, after each arrival and departure.
func script(t *testing.T, nodes int, p func() machine.Policy, demands ...float64) (states [][]int) {
	t.Helper()
	var jobs []machine.Request
	for i, d := range demands {
		jobs = append(jobs, machine.Request{Arrival: float64(i + 1), Demand: d})
	}
	m, err := machine.New(machine.Config{Nodes: nodes, Unit: 1, Replay: jobs, Policy: p,
		Speed: slices.Repeat([]float64{1}, nodes+1),
		Observe: func(v machine.View, why machine.Event) {
			sizes := []int{}
			for k := range v.Running() {
				sizes = append(sizes, v.Held(v.Started(k)))
			}
			states = append(states, sizes)
		}})
	if err != nil {
		t.Fatal(err)
	}
	var tally machine.Tally
	if err := m.Start(des.Seed(1)).Advance(len(jobs)+1, &tally); !errors.Is(err, machine.ErrEnded) {
		t.Fatalf("after the last job: %v", err)
	}
	return states
}

func named(t *testing.T, name, parameter string) func() machine.Policy {
	t.Helper()
	e, ok := machine.Named(name)
	if !ok {
		t.Fatalf("no policy %s", name)
	}
	p, err := e.New(parameter)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Jobs are as fast on any number of nodes, so that they leave at arrival + demand.
func TestFoldingHalvesAndJoins(t *testing.T) {
	got := script(t, 8, named(t, "folding", ""), 3.5, 8.5, 10, 20, 30)
	want := [][]int{
		{8},          // 1: the whole machine
		{4, 4},       // 2: half of it
		{2, 4, 2},    // 3: half of the oldest of the largest
		{2, 2, 2, 2}, // 4: the second is the largest
		{4, 2, 2},    // 4.5: the first leaves its nodes to the oldest of the smallest
		{2, 2, 2, 2}, // 5
		{4, 2, 2},    // 10.5
		{6, 2},       // 13: four nodes for the older of the two
		{8},          // 24
		{},
	}
	if !slices.EqualFunc(got, want, slices.Equal[[]int]) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// Folding keeps all nodes busy, interrupts one job at a time, and lets jobs wait only if all partitions are units.
func TestFoldingInterruptsOneJob(t *testing.T) {
	before := map[machine.Job]int{}
	observe := func(v machine.View, why machine.Event) {
		changed := 0
		delete(before, why.Job)
		for k := range v.Running() {
			j := v.Started(k)
			if n, there := before[j]; there && n != v.Held(j) {
				changed++
			}
		}
		if changed > 1 {
			t.Fatalf("%d jobs were resized by one event", changed)
		}
		if v.Running() > 0 && v.Free() > 0 || v.Waiting() > 0 && v.Running() < 12 {
			t.Fatalf("%d nodes free, %d jobs run, %d wait", v.Free(), v.Running(), v.Waiting())
		}
		clear(before)
		for k := range v.Running() {
			before[v.Started(k)] = v.Held(v.Started(k))
		}
	}
	m, err := machine.New(machine.Config{Nodes: 12, Unit: 1, Arrivals: poisson(t, 7), Demand: hyper(1), Speed: speeds(12),
		Policy: named(t, "folding", ""), Observe: observe})
	got := run(t, m, err, 1, 50_000)
	if got[machine.Queued] == 0 {
		t.Error("nobody waited: the test does not test")
	}
}

// With a least time that is as good as none, smoothing is dynamic equi-partitioning, event by event.
func TestSmoothingWithoutDelayIsDynamic(t *testing.T) {
	config := eightNodes(t)
	m, err := machine.New(config)
	a := run(t, m, err, 3, 20_000)
	config.Policy = named(t, "smoothing", "1e-12")
	m, err = machine.New(config)
	b := run(t, m, err, 3, 20_000)
	b[machine.Events] = a[machine.Events] // alarms are events, too
	same(t, a, b)
}

// Between two events that resize running jobs lies the least time, here all but constant (scv .001).
func TestSmoothingKeepsItsDistance(t *testing.T) {
	last := math.Inf(-1)
	before := map[machine.Job]int{}
	gaps := 0
	observe := func(v machine.View, why machine.Event) {
		resized := false
		for k := range v.Running() {
			n, there := before[v.Started(k)]
			reused := why.Kind == machine.Departure && why.Job == v.Started(k) // the name of the job that left
			resized = resized || there && n != v.Held(v.Started(k)) && !reused
		}
		if resized {
			if gap := v.Now() - last; gap < 3*0.8 { // mean less six standard deviations
				t.Fatalf("%v between repartitions", gap)
			}
			last = v.Now()
			gaps++
		}
		clear(before)
		for k := range v.Running() {
			before[v.Started(k)] = v.Held(v.Started(k))
		}
		if calm := v.Now()-last < 3*0.8; !calm && v.Waiting() > 0 && v.Free() > 0 {
			t.Fatalf("%d nodes are free, %d jobs wait", v.Free(), v.Waiting())
		}
	}
	m, err := machine.New(machine.Config{Nodes: 8, Unit: 1, Arrivals: poisson(t, 4), Demand: hyper(1), Speed: speeds(8),
		Policy: named(t, "smoothing", "3,0.001"), Observe: observe})
	run(t, m, err, 2, 20_000)
	if gaps < 1000 {
		t.Errorf("%d repartitions", gaps)
	}
}

// The first job takes the machine, the second makes it split, the third and fourth wait until the least time is over
// and the nodes are divided among all four.
func TestSmoothingLetsArrivalsWait(t *testing.T) {
	got := script(t, 8, named(t, "smoothing", "5,0.001"), 20, 20, 20, 20)
	for i, want := range [][]int{{8}, {4, 4}, {4, 4}, {4, 4}, {2, 2, 2, 2}} {
		if !slices.Equal(got[i], want) {
			t.Errorf("event %d: %v, want %v", i, got[i], want)
		}
	}
}

func TestCappedNeverRunsMore(t *testing.T) {
	got := script(t, 8, named(t, "capped", "3"), 20, 20, 20, 20)
	for i, want := range [][]int{{8}, {4, 4}, {3, 3, 2}, {3, 3, 2}, {3, 2, 3}} {
		if !slices.Equal(got[i], want) {
			t.Errorf("event %d: %v, want %v", i, got[i], want)
		}
	}
}

func TestParametersOfPoliciesAreChecked(t *testing.T) {
	for name, parameters := range map[string][]string{"dynamic": {"2"}, "folding": {"2"}, "static": {"", "0", "x"},
		"capped": {"", "0"}, "smoothing": {"", "x", "0", "-1", "1,", "1,0", "1,x"}} {
		e, ok := machine.Named(name)
		for _, p := range parameters {
			if _, err := e.New(p); !ok || err == nil {
				t.Errorf("%s:%s: no error", name, p)
			}
		}
	}
	if _, ok := machine.Named("fair"); ok {
		t.Error("a policy that does not exist was found")
	}
}

// All nodes are divided, sizes differ by one at most, and no choice of who gets which size changes fewer.
func TestEquiPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.IntRange(1, 40).Draw(t, "units")
		sizes := rapid.SliceOfN(rapid.IntRange(0, units), 1, units).Draw(t, "sizes")
		before := slices.Clone(sizes)
		machine.EquiPartition(sizes, units)
		sum, changed := 0, 0
		left := map[int]int{}
		for k, n := range sizes {
			sum += n
			left[n]++
			if before[k] != n {
				changed++
			}
		}
		if sum != units || slices.Max(sizes)-slices.Min(sizes) > 1 {
			t.Fatalf("%v of %d units", sizes, units)
		}
		least := len(sizes)
		for _, n := range before {
			if left[n] > 0 {
				left[n]--
				least--
			}
		}
		if changed != least {
			t.Fatalf("%v to %v: %d changed, %d would do", before, sizes, changed, least)
		}
	})
}

func TestReplayIsExact(t *testing.T) {
	var visits []machine.Visit
	r := &machine.Recorder{To: 100, Departed: func(v machine.Visit) { visits = append(visits, v) }}
	m, err := machine.New(machine.Config{Nodes: 4, Unit: 1, Speed: []float64{0, 1, 2, 3, 4}, Observe: r.Observe,
		Replay: []machine.Request{{Arrival: 1, Demand: 8}, {Arrival: 2, Demand: 3}}, Policy: named(t, "dynamic", "")})
	if err != nil {
		t.Fatal(err)
	}
	var tally machine.Tally
	if err := m.Start(des.Seed(1)).Advance(3, &tally); !errors.Is(err, machine.ErrEnded) {
		t.Fatal(err)
	}
	r.Close()
	// The first does 4 of its 8 alone, then both do 2 a unit of time until 3.5, and the first does the last 1 on all
	// nodes.
	want := []machine.Visit{
		{Number: 1, Arrived: 2, Started: 2, Departed: 3.5, Demand: 3, First: 2, Least: 2, Most: 2, NodeTime: 3},
		{Number: 0, Arrived: 1, Started: 1, Departed: 3.75, Demand: 8, First: 4, Least: 2, Most: 4, Resized: 2, NodeTime: 8},
	}
	if !slices.Equal(visits, want) {
		t.Errorf("got  %+v\nwant %+v", visits, want)
	}
	if tally[machine.ResponseSum] != 4.25 || tally[machine.Departed] != 2 {
		t.Errorf("%v", tally)
	}
}

// Pieces of the schedule do not overlap, add up to the visits, and hold as many nodes as jobs had.
func TestRecorderKeepsTheBooks(t *testing.T) {
	var nodeTime, halted float64
	r := &machine.Recorder{From: 0, To: math.Inf(1)}
	r.Departed = func(v machine.Visit) { nodeTime += v.NodeTime; halted += v.Halted }
	config := eightNodes(t)
	config.Observe = r.Observe
	m, err := machine.New(config)
	run(t, m, err, 4, 2000)
	busy := make([]float64, 8) // when each node is free again
	var pieces, stopped float64
	slices.SortStableFunc(r.Pieces, func(a, b machine.Piece) int {
		if a.From < b.From {
			return -1
		}
		return 1
	})
	for _, p := range r.Pieces {
		pieces += (p.To - p.From) * float64(len(p.Nodes))
		if p.Halted {
			stopped += p.To - p.From
		}
		for _, i := range p.Nodes {
			if p.From < busy[i]-1e-9 {
				t.Fatalf("node %d is given to job %d at %v, busy until %v", i, p.Number, p.From, busy[i])
			}
			busy[i] = p.To
		}
	}
	// What is missing belongs to jobs that have not left.
	if d := pieces/nodeTime - 1; d < -1e-9 || d > 0.02 {
		t.Errorf("pieces %v, visits %v", pieces, nodeTime)
	}
	if d := stopped/halted - 1; halted == 0 || d < -1e-9 || d > 0.02 {
		t.Errorf("halted: pieces %v, visits %v", stopped, halted)
	}
}

// Demands drawn from a sample have its mean: four standard errors of 50,000 draws.
func TestSampleOfDemands(t *testing.T) {
	sample := []float64{1, 2, 3, 10}
	var n, sum float64
	r := &machine.Recorder{Departed: func(v machine.Visit) {
		if !slices.Contains(sample, v.Demand) {
			t.Fatalf("demand %v", v.Demand)
		}
		n++
		sum += v.Demand
	}}
	m, err := machine.New(machine.Config{Nodes: 4, Unit: 1, Arrivals: poisson(t, 0.5), Sample: sample, Speed: speeds(4),
		Policy: named(t, "dynamic", ""), Observe: r.Observe})
	run(t, m, err, 4, 50_000)
	if mean := sum / n; math.Abs(mean-4) > 4*3.54/math.Sqrt(n) {
		t.Errorf("mean demand %v, want 4", mean)
	}
}
