package sched_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/internal/machinetest"
	"github.com/partwise/partwise/validate/internal/simulation"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// table1 is IPS96 table 1: the partitions of an eight-node machine with i jobs, i = 0..8.
var table1 = [][]int{
	{}, {8}, {4, 4}, {3, 3, 2}, {2, 2, 2, 2}, {2, 2, 2, 1, 1}, {2, 2, 1, 1, 1, 1}, {2, 1, 1, 1, 1, 1, 1},
	{1, 1, 1, 1, 1, 1, 1, 1},
}

// Units are added as if they were handed out one by one.
func TestFillAddsUnitByUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.IntRange(1, 4).Draw(t, "unit")
		most := rapid.SliceOfN(rapid.IntRange(0, 30), 1, 6).Draw(t, "most")
		sizes := make([]int, len(most))
		for k := range sizes {
			sizes[k] = rapid.IntRange(0, 20).Draw(t, "size") // a size may be above its most
		}
		units := rapid.IntRange(0, 40).Draw(t, "units")
		got, want := slices.Clone(sizes), sizes
		sched.Fill(got, most, units, unit)
		for ; units > 0; units-- {
			least := -1
			for k, n := range want {
				if n+unit <= most[k] && (least < 0 || n < want[least]) {
					least = k
				}
			}
			if least < 0 {
				break
			}
			want[least] += unit
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// Every state that dynamic equi-partitioning comes to is one of the table, and every step resizes as few jobs as any
// choice of who has which partition.
func TestDynamicFollowsTable1(t *testing.T) {
	for _, unit := range []int{1, 2} {
		seen := map[[2]int]int{}
		before, held := map[sched.JobID]int{}, map[sched.JobID]int{}
		var sizes []int
		observe := func(v sched.View, events []sched.Event) {
			why := events[0] // no two at once
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
			if i == 8 && v.Waiting() > 0 && why.Kind == sched.Departure {
				return
			}
			if why.Kind == sched.Departure {
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
		costs := []phasetype.Dist{machinetest.Exponential(0.05), machinetest.Exponential(0.05)}
		run(t, machine.Config{Nodes: 8 * unit, Unit: unit, Policy: policy.Dynamic{}, Observe: observe,
			Costs: machine.NewOverheads(costs, nil, machine.ResizedJobs),
			Jobs: &machine.Random{Arrivals: machinetest.Poisson(2.2), Demand: machinetest.Hyperexponential(0.5),
				Speedup: workload.Amdahl{Serial: 0.05}}}, 1, 50_000)
		for i := range 8 {
			if seen[[2]int{i, i + 1}] == 0 || seen[[2]int{i + 1, i}] == 0 {
				t.Errorf("the step between %d and %d jobs was never taken", i, i+1)
			}
		}
	}
}

func resized(before, after map[sched.JobID]int) (n int) {
	for j, size := range before {
		if after[j] != size {
			n++
		}
	}
	return n
}

// fewest is the number of jobs that do not find their size among the new sizes.
func fewest(before map[sched.JobID]int, sizes []int) (n int) {
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

// All nodes are divided, sizes differ by one at most, and no choice of who gets which size changes fewer.
func TestEquiPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.IntRange(1, 40).Draw(t, "units")
		sizes := rapid.SliceOfN(rapid.IntRange(0, units), 1, units).Draw(t, "sizes")
		before := slices.Clone(sizes)
		sched.EquiPartition(sizes, units)
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

func TestCappedNeverRunsMore(t *testing.T) {
	got := script(t, 8, "capped:3", 20, 20, 20, 20)
	for i, want := range [][]int{{8}, {4, 4}, {3, 3, 2}, {3, 3, 2}, {3, 2, 3}} {
		if !slices.Equal(got[i], want) {
			t.Errorf("event %d: %v, want %v", i, got[i], want)
		}
	}
}

func TestFoldingHalvesAndJoins(t *testing.T) {
	got := script(t, 8, "folding", 3.5, 8.5, 10, 20, 30)
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
	before := map[sched.JobID]int{}
	observe := func(v sched.View, events []sched.Event) {
		why := events[0] // no two at once
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
	jobs := &machine.Random{Arrivals: machinetest.Poisson(7), Demand: machinetest.Hyperexponential(1),
		Speedup: workload.Amdahl{Serial: 0.05}}
	got := run(t, machine.Config{Nodes: 12, Policy: policy.Folding{}, Observe: observe, Jobs: jobs}, 1, 50_000)
	if got[simulation.Queued] == 0 {
		t.Error("nobody waited: the test does not test")
	}
}

// With a minimum time that is as good as none, smoothing is dynamic equi-partitioning, event by event.
func TestSmoothingWithoutMinimumTimeIsDynamic(t *testing.T) {
	config := machinetest.Eight(0.05)
	a := run(t, config, 3, 20_000)
	config.Policy = parsed(t, "smoothing:1e-12")
	b := run(t, config, 3, 20_000)
	b[simulation.Events] = a[simulation.Events] // alarms are events, too
	same(t, a, b)
}

// Between two events that resize running jobs lies the minimum time, here all but constant (scv .001).
func TestSmoothingKeepsTheMinimumTime(t *testing.T) {
	last := math.Inf(-1)
	before := map[sched.JobID]int{}
	gaps := 0
	observe := func(v sched.View, events []sched.Event) {
		why := events[0] // no two at once
		resized := false
		for k := range v.Running() {
			n, there := before[v.Started(k)]
			reused := why.Kind == sched.Departure && why.Job == v.Started(k) // the name of the job that left
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
		if quiet := v.Now()-last < 3*0.8; !quiet && v.Waiting() > 0 && v.Free() > 0 {
			t.Fatalf("%d nodes are free, %d jobs wait", v.Free(), v.Waiting())
		}
	}
	jobs := &machine.Random{Arrivals: machinetest.Poisson(4), Demand: machinetest.Hyperexponential(1),
		Speedup: workload.Amdahl{Serial: 0.05}}
	run(t, machine.Config{Nodes: 8, Policy: parsed(t, "smoothing:3,0.001"), Observe: observe, Jobs: jobs}, 2, 20_000)
	if gaps < 1000 {
		t.Errorf("%d repartitions", gaps)
	}
}

// The first job takes the machine, the second makes it split, the third and fourth wait until the minimum time is over
// and the nodes are divided among all four.
func TestSmoothingLetsArrivalsWait(t *testing.T) {
	got := script(t, 8, "smoothing:5,0.001", 20, 20, 20, 20)
	for i, want := range [][]int{{8}, {4, 4}, {4, 4}, {4, 4}, {2, 2, 2, 2}} {
		if !slices.Equal(got[i], want) {
			t.Errorf("event %d: %v, want %v", i, got[i], want)
		}
	}
}

func TestParametersOfPoliciesAreChecked(t *testing.T) {
	for name, parameters := range map[string][]string{"dynamic": {"2"}, "folding": {"2"}, "static": {"", "0", "x"},
		"capped": {"", "0"}, "smoothing": {"", "x", "0", "-1", "1,", "1,0", "1,x"}, "conservative": {"late"},
		"easy": {"1"}} {
		for _, parameter := range parameters {
			if _, err := policy.Standard().Parse(name + ":" + parameter); err == nil {
				t.Errorf("%s:%s: no error", name, parameter)
			}
		}
	}
	if _, err := policy.Standard().Parse("fair"); err == nil {
		t.Error("a policy that does not exist was found")
	}
}

// Every policy of the table that the machine can run has a scheduler of its name, a new one for each run.
func TestEveryPolicyHasAScheduler(t *testing.T) {
	for _, e := range policy.Standard().On(policy.WholeNodes) {
		p := parsed(t, e.Example)
		s, err := sched.New(p)
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		if name := s.Name(); name != e.Name && name != p.String() {
			t.Errorf("the scheduler of %s is called %s", p, name)
		}
	}
	if _, err := sched.New(nil); err == nil {
		t.Error("a scheduler of no policy")
	}
	if _, err := sched.New(unknown{}); err == nil {
		t.Error("a scheduler of a policy that has none")
	}
}

// unknown is a policy without a scheduler.
type unknown struct{ policy.FCFS }

// same compares what two runs count.
func same(t *testing.T, a, b simulation.Tally) {
	t.Helper()
	for k := range a {
		if math.Abs(a[k]-b[k]) > 1e-9*math.Max(math.Abs(a[k]), 1) {
			t.Errorf("component %d: %.15g and %.15g", k, a[k], b[k])
		}
	}
}
