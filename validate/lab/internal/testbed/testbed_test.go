package testbed_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/lab/internal/testbed"
)

func TestMain(m *testing.M) {
	if testbed.IsNode() {
		if err := testbed.Serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "node:", err)
			os.Exit(1)
		}
		return
	}
	if os.Getenv(asScheduler) != "" {
		if err := schedule(); err != nil {
			fmt.Fprintln(os.Stderr, "scheduler:", err)
		}
		return
	}
	os.Exit(m.Run())
}

// asScheduler is the variable of the environment that makes the test binary a scheduler with nodes, whose process IDs it
// prints.
const asScheduler = "PARTWISE_TESTBED_SCHEDULER"

func schedule() error {
	m, err := testbed.Start(context.Background(), 8)
	if err != nil {
		return err
	}
	defer m.Close()
	json.NewEncoder(os.Stdout).Encode(m.Processes())
	_, err = m.Run(context.Background(), testbed.Workload{Jobs: jobs(8, 0.01, 100), Phase: 20 * time.Millisecond,
		Elements: 1 << 10}, policy.Capped{Jobs: 5}, des.Seed(1))
	return err
}

// patience is how long tests wait for processes, which a busy machine may keep waiting.
const patience = time.Minute

// start starts nodes.
func start(t testing.TB, nodes int) *testbed.Machine {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("sockets of the file system")
	}
	m, err := testbed.Start(t.Context(), nodes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func jobs(n int, every, work float64) []testbed.Job {
	var all []testbed.Job
	for i := range n {
		all = append(all, testbed.Job{Job: workload.Job{ID: i + 1, Submit: float64(i) * every, Kind: workload.Malleable,
			Work: work, Speedup: workload.Linear{}}})
	}
	return all
}

// Every job is done, each has whole phases, and what changes hands is accounted for.
func TestDynamic(t *testing.T) {
	t.Parallel()
	m := start(t, 4)
	w := testbed.Workload{Jobs: jobs(25, 0.02, 0.08), Phase: 10 * time.Millisecond, Elements: 1 << 12}
	o, err := m.Run(t.Context(), w, policy.Dynamic{}, des.Seed(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range o.Jobs {
		if j.Cancelled || !(j.Start >= j.Submit && j.End > j.Start) || j.Phases < 2 {
			t.Errorf("%+v", j)
		}
	}
	resized := 0
	for _, r := range o.Reconfigurations {
		if r.Notify < 0 || r.Data < 0 || r.Start < 0 || r.Moved == 0 {
			t.Errorf("%+v", r)
		}
		resized += r.Resized
	}
	if resized == 0 {
		t.Error("no job is resized")
	}
}

// Transitions are measured as often as is asked for, but for those in which two events fall together on a busy host: with
// a longer gap between events fewer do.
func TestTransitions(t *testing.T) {
	t.Parallel()
	m := start(t, 3)
	w := testbed.Workload{Jobs: jobs(1, 0, 1), Phase: 10 * time.Millisecond, Elements: 300}
	var all []testbed.Transition
	unmeasured := func(x testbed.Transition) bool { return len(x.Samples) == 0 }
	for gap := 60 * time.Millisecond; gap < 4*time.Second; gap *= 2 {
		var err error
		if all, err = m.Transitions(t.Context(), w, 3, gap, des.Seed(1)); err != nil {
			t.Fatal(err)
		}
		if len(all) != 5 {
			t.Fatalf("%d transitions", len(all))
		}
		if !slices.ContainsFunc(all, unmeasured) {
			break
		}
	}
	for i, x := range all {
		if len(x.Samples) == 0 || len(x.Samples) > 3 {
			t.Errorf("transition %d: %d samples", i, len(x.Samples))
		}
		for _, r := range x.Samples {
			if r.Running != x.Running || r.Why != x.Why {
				t.Errorf("transition %d: %+v", i, r)
			}
		}
	}
}

// A job that is cancelled ends soon, whether it runs or waits.
func TestCancel(t *testing.T) {
	t.Parallel()
	m := start(t, 2)
	all := jobs(3, 0, 100)
	for i := range all {
		all[i].Cancel = 0.1 + 0.05*float64(i)
	}
	o, err := m.Run(t.Context(), testbed.Workload{Jobs: all, Phase: 10 * time.Millisecond, Elements: 100}, policy.Static{Partitions: 1}, des.Seed(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range o.Jobs {
		if !j.Cancelled {
			t.Errorf("%+v", j)
		}
	}
}

// TestCancelBeforeTheStart cancels a job while the job that runs comes to the end of its phase, to give up nodes for it.
func TestCancelBeforeTheStart(t *testing.T) {
	t.Parallel()
	m := start(t, 2)
	all := jobs(2, 0.05, 100)
	all[0].Cancel, all[1].Cancel = 0.5, 0.1
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	o, err := m.Run(ctx, testbed.Workload{Jobs: all, Phase: 200 * time.Millisecond, Elements: 100}, policy.Dynamic{}, des.Seed(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range o.Jobs {
		if !j.Cancelled {
			t.Errorf("%+v", j)
		}
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	m := start(t, 2)
	good := testbed.Workload{Jobs: jobs(2, 0.1, 1), Phase: 10 * time.Millisecond, Elements: 100}
	if _, err := m.Run(t.Context(), good, policy.Resize{Cooldown: 1}, des.Seed(1)); err == nil || !strings.Contains(err.Error(), "times of its own") {
		t.Errorf("a policy that waits: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, stop)
	long := good
	long.Jobs = jobs(2, 1000, 1000)
	if _, err := m.Run(ctx, long, policy.Dynamic{}, des.Seed(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

func BenchmarkStart64Nodes(b *testing.B) {
	for b.Loop() {
		m := start(b, 64)
		b.StopTimer()
		m.Close()
		b.StartTimer()
	}
}

// BenchmarkCheckpoint8 stops a job on eight nodes at the end of a phase, moves its array, and starts it again.
func BenchmarkCheckpoint8(b *testing.B) {
	m := start(b, 8)
	like := jobs(1, 0, 1)
	like[0].Speedup = nil
	w := testbed.Workload{Jobs: like, Phase: 20 * time.Millisecond, Elements: 1 << 13}
	var data, n float64
	for b.Loop() {
		all, err := m.Transitions(b.Context(), w, 2, 150*time.Millisecond, des.Seed(1))
		if err != nil {
			b.Fatal(err)
		}
		for _, x := range all {
			for _, r := range x.Samples {
				data, n = data+r.Data+r.Start, n+1
			}
		}
	}
	b.ReportMetric(1e3*data/n, "ms/checkpoint")
}

// BenchmarkOvershoot32 runs a job of twenty phases of 100 ms on 32 nodes, each of which is over when the last of 32 processes has
// exchanged messages and said so: by how much the job takes longer than it should, with its start.
func BenchmarkOvershoot32(b *testing.B) {
	m := start(b, 32)
	w := testbed.Workload{Jobs: jobs(1, 0, 64), Phase: 100 * time.Millisecond, Elements: 1 << 10}
	for b.Loop() {
		o, err := m.Run(b.Context(), w, policy.Static{Partitions: 1}, des.Seed(1))
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(100*((o.Jobs[0].End-o.Jobs[0].Start)/2-1), "%longer")
	}
}
