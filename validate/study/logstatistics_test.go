package study

import (
	"math"
	"os"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/replay"
)

// realLog returns a job log as it was read, and all its jobs on a machine of so many nodes. It skips the test without the log.
func realLog(t *testing.T, name string, nodes int) (joblog.Log, *replay.Log) {
	t.Helper()
	f, err := os.Open(needs.JobLog(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	source, list, err := joblog.Pack(f, name, joblog.Options{NodeNames: true})
	if err != nil {
		t.Fatal(err)
	}
	choice := replay.Choice{Name: name, Nodes: nodes}
	choice.Range.Names = source.Names
	log, err := replay.ChooseList(list, choice)
	if err != nil {
		t.Fatal(err)
	}
	return source, log
}

// TestWaitsOfRealLogs: how the jobs of three logs waited, and how EASY lets them wait on one pool of nodes. The waits were counted by
// another program too, second by second and without this package; the replays are those of this project in an earlier version.
func TestWaitsOfRealLogs(t *testing.T) {
	needs.Concurrency(t)
	for _, c := range []struct {
		file                      string
		nodes, jobs, never        int
		mean, noNodes, nearlyFull float64 // the mean in seconds, the others as shares of it
		withinPools               float64 // no nodes within the jobs' own partitions
		easy, ranks               float64 // the mean wait, and the rank correlation with the logged waits
	}{
		{file: "KTH-SP2-1996-2.merged.swf.gz", nodes: 100, jobs: 28489, mean: 15390, noNodes: 0.467, nearlyFull: 0.571, withinPools: 0.467,
			easy: 6898, ranks: 0.25},
		{file: "slurm-a.txt.gz", nodes: 42, jobs: 4046, never: 239, mean: 16754, noNodes: 0.059, nearlyFull: 0.060, withinPools: 0.987,
			easy: 58, ranks: 0.16},
		{file: "slurm-b.txt.gz", nodes: 112, jobs: 11285, never: 419, mean: 6688, noNodes: 0.0002, nearlyFull: 0.411, withinPools: 0.0044,
			easy: 2473, ranks: 0.38},
	} {
		source, log := realLog(t, c.file, c.nodes)
		offered, err := log.At(0)
		if err != nil {
			t.Fatal(err)
		}
		said, err := Describe(t.Context(), offered)
		if err != nil {
			t.Fatal(err)
		}
		near := func(what string, got, want, tolerance float64) {
			t.Helper()
			if !(math.Abs(got-want) <= tolerance) {
				t.Errorf("%s: %s is %v, not %v", c.file, what, got, want)
			}
		}
		w := said.Logged.Waiting
		near("jobs", float64(said.Logged.Jobs), float64(c.jobs), 0)
		near("never started", float64(source.NeverStarted.Len()), float64(c.never), 0)
		near("mean", w.Mean, c.mean, 1)
		near("no nodes", w.NoNodes/w.Mean, c.noNodes, 0.0006)
		near("nearly full", w.NearlyFull/w.Mean, c.nearlyFull, 0.0006)
		near("no nodes within pools", said.Logged.WithinPools().NoNodes/w.Mean, c.withinPools, 0.0006)

		s := replay.Study{Log: log, Policies: []policy.Policy{policy.EASY{}}, Assumptions: replay.Assumptions{Least: 1, Most: 1}}
		runs, err := s.Run(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		near("mean under EASY", runs[0].Waits.Mean, c.easy, 0.02*c.easy)
		near("rank correlation", runs[0].Waits.RankCorrelation, c.ranks, 0.02)
		if runs[0].Waits.Reproduced {
			t.Errorf("%s is reproduced", c.file)
		}
	}
}

// TestWaitsOfSelectedJobs: two jobs of a partition of one node run one after the other, on a machine of ten nodes. The second one
// waits for its partition, although nobody else holds a node. Of the jobs of a user nothing is known.
func TestWaitsOfSelectedJobs(t *testing.T) {
	jobs := []joblog.Job{{Run: 100, Processors: 1, Partition: 1, User: 1}, {Submit: 1, Wait: 99, Run: 100, Processors: 1, Partition: 1, User: 1},
		{Submit: 2, Run: 10, Processors: 4, Partition: 2, User: 2}}
	for _, c := range []struct {
		choices []joblog.Choice
		seen    SeenNodes
		noNodes float64 // seconds of all jobs
	}{
		{nil, SeenAll, 0},
		{[]joblog.Choice{{Label: joblog.Partition, Only: []string{"1"}}}, SeenPartitions, 99},
		{[]joblog.Choice{{Label: joblog.User, Only: []string{"1"}}}, SeenNone, 0},
	} {
		log, err := replay.ChooseList(joblog.ListOf(jobs), replay.Choice{Nodes: 10, Range: joblog.Range{Choices: c.choices}})
		if err != nil {
			t.Fatal(err)
		}
		offered, err := log.At(0)
		if err != nil {
			t.Fatal(err)
		}
		said, err := Describe(t.Context(), offered)
		if err != nil {
			t.Fatal(err)
		}
		if w := said.Logged.Waiting; said.Seen != c.seen || w.NoNodes*float64(w.Jobs) != c.noNodes {
			t.Errorf("%v: nodes seen %d, %g s without nodes; want %d, %g s", c.choices, said.Seen, w.NoNodes*float64(w.Jobs), c.seen, c.noNodes)
		}
	}
}
