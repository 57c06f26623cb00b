package logstats_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	_ "github.com/partwise/partwise/testdata/phtest"
)

// A job of 2 nodes waits 10 s for nodes, then 5 s although both nodes are free: a limit or a priority keeps it waiting.
func ExampleLoggedOf() {
	jobs := []joblog.Job{{Submit: 0, Run: 10, Processors: 1}, {Submit: 0, Wait: 15, Run: 5, Processors: 2}}
	l, err := logstats.LoggedOf(joblog.ListOf(jobs).All(), nil, 2, nil)
	w := l.Waiting
	fmt.Println(w.Mean, w.Held, w.NoNodes, w.NodesFree, err)
	// Output: 7.5 0 5 2.5 <nil>
}

// drawnStays draws jobs of up to three partitions that come in any order, within a minute.
func drawnStays(t *rapid.T, nodes int) []joblog.Job {
	const horizon = 60
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) joblog.Job {
		second := func(from int) int { return rapid.IntRange(from, horizon).Draw(t, "second") }
		submit := second(0)
		eligible := second(submit)
		start := second(eligible)
		return joblog.Job{Submit: float64(submit), Held: float64(eligible - submit), Wait: float64(start - submit), Run: float64(second(start) - start),
			Processors: rapid.IntRange(1, nodes+3).Draw(t, "nodes of the job"), Partition: rapid.IntRange(1, 3).Draw(t, "partition")}
	}), 1, 30).Draw(t, "jobs")
}

// usedAt counts the nodes in use in a second.
func usedAt(jobs []joblog.Job, second float64) (used int) {
	for i := range jobs {
		start := jobs[i].Submit + jobs[i].Wait
		if start <= second && second < start+jobs[i].Run {
			used += jobs[i].Processors
		}
	}
	return used
}

// countedWaits counts every second of every wait.
func countedWaits(jobs []joblog.Job, nodes int) (w logstats.Waits) {
	w.Jobs = len(jobs)
	var waits []float64
	for i := range jobs {
		j := &jobs[i]
		waits = append(waits, j.Wait)
		w.Mean += j.Wait
		w.Held += j.Held
		for second := j.Submit + j.Held; second < j.Submit+j.Wait; second++ {
			used := usedAt(jobs, second)
			short := max(nodes-used, 0) < j.Processors
			if short {
				w.NoNodes++
			}
			if short || 10*used >= 9*nodes {
				w.NearlyFull++
			}
		}
	}
	slices.Sort(waits)
	at := func(p float64) float64 {
		k := p * float64(len(waits)-1)
		low, high := waits[int(math.Floor(k))], waits[int(math.Ceil(k))]
		return low + (k-math.Floor(k))*(high-low)
	}
	w.Median, w.P90 = at(0.5), at(0.9)
	n := float64(len(jobs))
	w.Mean, w.Held, w.NoNodes, w.NearlyFull = w.Mean/n, w.Held/n, w.NoNodes/n, w.NearlyFull/n
	w.NodesFree = w.Mean - w.Held - w.NoNodes
	return w
}

// TestWaitsSecondBySecond compares the one pass over starts and ends with a count of every second of every wait: on the machine,
// and in each partition on its own peak.
func TestWaitsSecondBySecond(t *testing.T) {
	near := cmpopts.EquateApprox(0, 1e-9) // sums of whole seconds below 2⁵³, divided once
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 25).Draw(t, "nodes")
		jobs := drawnStays(t, nodes)
		peak := func(jobs []joblog.Job) (peak int) {
			for second := 0.; second < 60; second++ {
				peak = max(peak, usedAt(jobs, second))
			}
			for i := range jobs {
				peak = max(peak, jobs[i].Processors)
			}
			return peak
		}
		if got, err := logstats.NodesOf(joblog.ListOf(jobs).All(), nil); got != peak(jobs) || err != nil {
			t.Fatalf("%d nodes, by counting %d: %v", got, peak(jobs), err)
		}
		l, err := logstats.LoggedOf(joblog.ListOf(jobs).All(), nil, nodes, nil)
		if errors.Is(err, logstats.ErrNoWaits) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(countedWaits(jobs, nodes), l.Waiting, near); diff != "" {
			t.Fatal(diff)
		}
		for _, p := range l.Pools {
			own := slices.DeleteFunc(slices.Clone(jobs), func(j joblog.Job) bool { return strconv.Itoa(j.Partition) != p.Name })
			if p.Nodes != peak(own) {
				t.Fatalf("partition %s has %d nodes, by counting %d", p.Name, p.Nodes, peak(own))
			}
			if diff := cmp.Diff(countedWaits(own, p.Nodes), p.Waiting, near); diff != "" {
				t.Fatalf("partition %s: %s", p.Name, diff)
			}
		}
	})
}

func TestReproduction(t *testing.T) {
	rising := func(n int, of func(i int) float64) []float64 {
		waits := make([]float64, n)
		for i := range waits {
			waits[i] = of(i)
		}
		return waits
	}
	logged := rising(1000, func(i int) float64 { return float64(100 * i) })
	for _, c := range []struct {
		name       string
		replayed   []float64
		reproduced bool
		ranks      float64
	}{
		{"the same", logged, true, 1},
		{"a fifth longer", rising(1000, func(i int) float64 { return float64(120 * i) }), true, 1},
		{"a third longer", rising(1000, func(i int) float64 { return float64(133 * i) }), false, 1},
		{"the other way round", rising(1000, func(i int) float64 { return float64(100 * (999 - i)) }), false, -1},
		{"all equal", rising(1000, func(int) float64 { return 49950 }), false, math.NaN()},
	} {
		r := logstats.Reproduction(logged, c.replayed)
		if r.Reproduced != c.reproduced {
			t.Errorf("%s: reproduced is %v", c.name, r.Reproduced)
		}
		if math.Abs(r.RankCorrelation-c.ranks) > 1e-12 || math.IsNaN(r.RankCorrelation) != math.IsNaN(c.ranks) {
			t.Errorf("%s: rank correlation %v, not %v", c.name, r.RankCorrelation, c.ranks)
		}
	}
	if r := logstats.Reproduction(nil, nil); r.Reproduced {
		t.Error("a log without jobs is reproduced")
	}
}

func BenchmarkLogged1000000Jobs(b *testing.B) {
	list := new(joblog.List)
	for i := range 1_000_000 {
		list.Add(&joblog.Job{ID: i, Submit: float64(60 * i), Wait: float64(i * 7919 % 100_000), Run: float64(i * 104729 % 20_000), Processors: 1 + i%64,
			Partition: i % 4, Queue: -1})
	}
	for b.Loop() {
		if _, err := logstats.LoggedOf(list.All(), nil, 1024, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// The machine of a log has the distinct nodes on which jobs ran; where one job does not name its nodes, it has the most that were
// in use.
func ExampleNodesOf() {
	jobs := []joblog.Job{{Submit: 0, Run: 10, Processors: 2, NodeList: 1}, {Submit: 20, Run: 10, Processors: 2, NodeList: 2}}
	names := joblog.Names{NodeLists: []string{"n[1-2]", "n[2-3]"}}
	fmt.Println(logstats.NodesOf(joblog.ListOf(jobs).All(), &names))
	jobs[1].NodeList = 0
	fmt.Println(logstats.NodesOf(joblog.ListOf(jobs).All(), &names))
	// Output:
	// 3 <nil>
	// 2 <nil>
}

// TestNodesOfReadsOnce: the jobs of a log are read once if no list names nodes, and twice if some jobs have no list.
func TestNodesOfReadsOnce(t *testing.T) {
	jobs := joblog.ListOf([]joblog.Job{{Run: 10, Processors: 2, NodeList: 1}, {Submit: 5, Run: 10, Processors: 3}})
	for _, c := range []struct {
		lists       []string
		nodes, read int
	}{{nil, 5, 1}, {[]string{"n[1-2]"}, 5, 2}} {
		read := 0
		counted := func(yield func(*joblog.Job, error) bool) {
			read++
			jobs.All()(yield)
		}
		if n, err := logstats.NodesOf(counted, &joblog.Names{NodeLists: c.lists}); n != c.nodes || err != nil || read != c.read {
			t.Errorf("lists %q: %d nodes, %v, read %d times; want %d nodes, read %d times", c.lists, n, err, read, c.nodes, c.read)
		}
	}
}

// TestFewJobsWithoutNodeNames: where up to 5 % of the jobs do not name their nodes, the others tell the nodes of the machine and of
// its partitions. Where no job has a start, lists of nodes still do.
func TestFewJobsWithoutNodeNames(t *testing.T) {
	names := &joblog.Names{NodeLists: []string{"n[1-4]", "n[5-6]"}, Queues: []string{"a", "b"}}
	for unnamed, want := range map[int]int{0: 6, 1: 6, 2: 6, 3: 4} {
		var jobs []joblog.Job
		for i := range 40 {
			j := joblog.Job{Submit: float64(100 * i), Run: 50, Processors: 2, NodeList: int32(1 + i%2), Queue: -1, Partition: 1 + i%2,
				CPUs: 8}
			if i%2 == 0 {
				j.Processors, j.CPUs = 4, 16
			}
			if i < 2*unnamed && i%2 == 0 {
				j.NodeList = 0
			}
			jobs = append(jobs, j)
		}
		list := joblog.ListOf(jobs).All()
		n, err := logstats.NodesOf(list, names)
		if err != nil || n != want {
			t.Errorf("%d jobs without names: %d nodes, want %d, %v", unnamed, n, want, err)
		}
		cpus, err := logstats.CPUsOf(list, names, joblog.InNodes)
		if err != nil || len(cpus.OfNodes) != map[int]int{6: 6, 4: 0}[want] || cpus.Total() != 4*want {
			t.Errorf("%d jobs without names: %d CPUs, %v, %v", unnamed, cpus.Total(), cpus.OfNodes, err)
		}
		pools, _, err := logstats.PoolsOf(list, names)
		if err != nil || len(pools) != 2 || pools[0].Nodes != 4 || pools[1].Nodes != 2 {
			t.Errorf("%d jobs without names: partitions %v, %v", unnamed, pools, err)
		}
	}
	// A job of 5 nodes on other nodes, whose list cannot be read, runs beside one of 4 nodes.
	apart := []joblog.Job{{Submit: 0, Run: 50, Processors: 4, NodeList: 1}, {Submit: 0, Run: 50, Processors: 5}}
	for i := range 38 {
		apart = append(apart, joblog.Job{Submit: float64(100 * (i + 1)), Run: 50, Processors: 2, NodeList: 2})
	}
	if n, err := logstats.NodesOf(joblog.ListOf(apart).All(), names); err != nil || n != 9 {
		t.Errorf("a large job without names: %d nodes, %v", n, err)
	}
	for i := range 5 { // five jobs share nodes 1 to 4, so that more nodes are held than there are
		apart = append(apart, joblog.Job{Submit: 1e4 + float64(i), Run: 50, Processors: 4, NodeList: 1})
	}
	if n, err := logstats.NodesOf(joblog.ListOf(apart).All(), names); err != nil || n != 6 {
		t.Errorf("shared nodes: %d nodes, %v", n, err)
	}
	noStart := []joblog.Job{{Wait: -1, Run: 5, Processors: 2, NodeList: 1}, {Wait: -1, Run: 5, Processors: 2, NodeList: 2}}
	if n, err := logstats.NodesOf(joblog.ListOf(noStart).All(), names); err != nil || n != 6 {
		t.Errorf("without starts: %d nodes, %v", n, err)
	}
}
