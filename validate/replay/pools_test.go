package replay_test

import (
	"errors"
	"math"
	"os"
	"testing"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/replay"
)

// packed returns a log of Slurm with the names of its nodes, on a machine.
func packed(t *testing.T, file string, nodes int) *replay.Log {
	t.Helper()
	f, err := os.Open(needs.JobLog(t, file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	source, list, err := joblog.Pack(f, file, joblog.Options{NodeNames: true})
	if err != nil {
		t.Fatal(err)
	}
	choice := replay.Choice{Name: file, Nodes: nodes, Header: source.Header}
	choice.Range.Names = source.Names
	log, err := replay.ChooseList(list, choice)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// TestPartitionsOfARealLog: EASY in each partition gives the waits that the log recorded, which EASY on one machine does not.
// Where jobs wait, malleable jobs gain nothing: the partition has one node.
func TestPartitionsOfARealLog(t *testing.T) {
	log, err := packed(t, "slurm-a.txt.gz", 42).InPools()
	if err != nil {
		t.Fatal(err)
	}
	s := replay.Study{Log: log, Policies: []policy.Policy{policy.EASY{}, policy.EASYMalleable{}}, Shares: []float64{1}, Assumptions: replay.Usual()}
	runs, err := s.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	easy, malleable := runs[0], runs[1]
	near := func(what string, got, want, tolerance float64) {
		t.Helper()
		if !(math.Abs(got-want) <= tolerance) {
			t.Errorf("%s is %v, not %v", what, got, want)
		}
	}
	near("mean wait", easy.Waits.Mean, 16342.7, 0.1)
	near("p90 of the waits", easy.Waits.P90, 33285, 0.03*33285)
	near("rank correlation", easy.Waits.RankCorrelation, 1, 0.01)
	if !easy.Waits.Reproduced {
		t.Error("the log is not reproduced")
	}
	near("ratio with malleable jobs", malleable.Ratio().Mean, 1.02, 0.03)

	// By partition: jobs, nodes and waits of replays of each partition alone.
	for i, want := range []struct {
		name        string
		jobs, nodes int
		wait        float64
	}{{"black", 3999, 1, 16534}, {"crumpet", 34, 40, 0}, {"focaccia", 13, 5, 340}} {
		p := easy.Pools[i]
		if p.Name != want.name || p.Jobs != want.jobs || p.Nodes != want.nodes || p.Log.Jobs() != want.jobs {
			t.Errorf("pool %d is %s with %d jobs on %d nodes, not %v", i, p.Name, p.Jobs, p.Nodes, want)
		}
		near("mean wait in "+p.Name, p.Measures[measure.MeanWaitingTime], want.wait, 1)
		near("mean wait compared in "+p.Name, p.Waits.Mean, want.wait, 1)
	}
}

// TestPoolsAreMachinesOfTheirOwn: the jobs of two partitions do not wait for each other, and all results together are those of
// all jobs.
func TestPoolsAreMachinesOfTheirOwn(t *testing.T) {
	jobs := []joblog.Job{
		{ID: 1, Partition: 1, Submit: 0, Wait: 0, Run: 100, Processors: 2},
		{ID: 2, Partition: 2, Submit: 1, Wait: 0, Run: 50, Processors: 2},
		{ID: 3, Partition: 2, Submit: 2, Wait: 49, Run: 50, Processors: 1},
		{ID: 4, Partition: 1, Submit: 3, Wait: 97, Run: 10, Processors: 1},
	}
	choice := replay.Choice{Name: "log", Nodes: 4}
	choice.Range.Names = joblog.Names{Queues: []string{"a", "b"}}
	whole, err := replay.ChooseList(joblog.ListOf(jobs), choice)
	if err != nil {
		t.Fatal(err)
	}
	log, err := whole.InPools()
	if err != nil {
		t.Fatal(err)
	}
	s := replay.Study{Log: log, Policies: []policy.Policy{policy.EASY{}}, Assumptions: replay.Usual()}
	runs, err := s.Run(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	easy := runs[0]
	if mean := easy.Measures[measure.MeanWaitingTime]; mean != (49+97)/4. || easy.Jobs != 4 || easy.Waits.RankCorrelation != 1 ||
		!easy.Waits.Reproduced {
		t.Errorf("mean wait %v of %d jobs, compared with the log: %+v", mean, easy.Jobs, easy.Waits)
	}
	for i, want := range []float64{97. / 2, 49. / 2} {
		if p := easy.Pools[i]; p.Nodes != 2 || p.Measures[measure.MeanWaitingTime] != want {
			t.Errorf("pool %s of %d nodes: mean wait %v, want %v", p.Name, p.Nodes, p.Measures[measure.MeanWaitingTime], want)
		}
	}
	if err := s.FewestNodes(t.Context(), 1, runs); err == nil {
		t.Error("the number of nodes of two machines is searched for")
	}
	s.Policies = []policy.Policy{policy.Static{Partitions: 4}}
	if err := s.Check(); !errors.As(err, new(*replay.SettingError)) {
		t.Errorf("pools of 2 nodes are split into 4: %v", err)
	}
	s.Policies, s.Unit = nil, 4
	if err := s.Check(); err == nil {
		t.Error("pools of 2 nodes are divided in units of 4")
	}
	jobs[3].Partition, jobs[3].Queue = -1, -1
	choice.Range.Names = joblog.Names{}
	jobs = jobs[3:]
	if whole, err = replay.ChooseList(joblog.ListOf(jobs), choice); err != nil {
		t.Fatal(err)
	}
	if _, err := whole.InPools(); err == nil {
		t.Error("a log without partitions has pools")
	}
}

// TestPool: the jobs of one pool alone wait as they do beside the other pools. They wait longest in the pool that WaitingPool
// returns, and the worth of malleable jobs is in nodes of this pool.
func TestPool(t *testing.T) {
	log := packed(t, "slurm-a.txt.gz", 42)
	if _, err := log.Pool(0); !errors.As(err, new(*replay.SettingError)) {
		t.Errorf("a log that is no log in pools has a pool: %v", err)
	}
	in, err := log.InPools()
	if err != nil {
		t.Fatal(err)
	}
	study := replay.Study{Log: in, Policies: []policy.Policy{policy.EASYMalleable{}}, Shares: []float64{1}, Assumptions: replay.Usual()}
	runs, err := study.Run(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	const wait = measure.MeanWaitingTime
	waiting := runs[0].WaitingPool()
	for i, p := range in.Pools.List {
		alone, err := in.Pool(i)
		if err != nil || alone.Nodes != p.Nodes || alone.Offer.Jobs != p.Jobs || alone.Pools != nil {
			t.Fatalf("partition %s has %d nodes and %d jobs: %v", p.Name, p.Nodes, p.Jobs, err)
		}
		one := replay.Study{Log: alone, Policies: []policy.Policy{policy.EASY{}}, Assumptions: replay.Usual()}
		easy, err := one.Run(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		beside := runs[1].Pools
		if got, want := easy[0].Measures[wait], beside[i].Measures[wait]; got != want {
			t.Errorf("jobs of partition %s wait %g s alone, and %g s beside the others", p.Name, got, want)
		}
		if float64(p.Jobs)*beside[i].Measures[wait] > float64(beside[waiting].Jobs)*beside[waiting].Measures[wait] {
			t.Errorf("jobs of partition %s wait longer than those of %s", p.Name, in.Pools.List[waiting].Name)
		}
	}
	if err := study.WorthInNodes(t.Context(), 0, runs[:1]); err != nil {
		t.Fatal(err)
	}
	if w := runs[0].Worth; w.Pool != in.Pools.List[waiting].Name || w.Own != in.Pools.List[waiting].Nodes || !(w.Nodes.Mean >= float64(w.Own)) {
		t.Errorf("malleable jobs are worth %+v", w)
	}
}

// TestKnownLoadsOfPools: policies know the load of each pool, the node-time of its jobs divided by the node-time of its
// nodes. This holds if the pools have fewer nodes than the machine, too.
func TestKnownLoadsOfPools(t *testing.T) {
	log, err := packed(t, "slurm-a.txt.gz", 42).InPools()
	if err != nil {
		t.Fatal(err)
	}
	if log.Pools.Nodes() == log.Nodes {
		t.Fatalf("the pools have the %d nodes of the machine", log.Nodes)
	}
	for _, load := range []float64{0, 0.4} {
		known, err := replay.KnownLoads(&replay.Study{Log: log}, load)
		if err != nil {
			t.Fatal(err)
		}
		stretched := 1.0
		if load > 0 {
			stretched = log.Load() / load
		}
		for p, pool := range log.Pools.List {
			want := pool.NodeTime / ((log.Offer.Last - log.Offer.First) * stretched * float64(pool.Nodes))
			if math.Abs(known[p]/want-1) > 1e-12 {
				t.Errorf("at load %g policies know the load %g in pool %d, not %g", load, known[p], p, want)
			}
		}
	}
}

// TestPoolsOfAFailingLog: an error of reading is returned as it is. It does not say that the log has no partitions.
func TestPoolsOfAFailingLog(t *testing.T) {
	list := joblog.ListOf([]joblog.Job{{ID: 1, Partition: 1, Run: 100, Processors: 2}, {ID: 2, Partition: 2, Submit: 1, Run: 50, Processors: 2}})
	broken, reads := errors.New("the disk is broken"), 0
	log, err := replay.Choose(func(yield func(*joblog.Job, error) bool) {
		reads++
		for j, err := range list.All() {
			if reads > 1 {
				err = broken
			}
			if !yield(j, err) {
				return
			}
		}
	}, replay.Choice{Name: "log", Nodes: 4})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.InPools(); !errors.Is(err, broken) || errors.As(err, new(*replay.SettingError)) {
		t.Errorf("an error of reading becomes %#v", err)
	}
}
