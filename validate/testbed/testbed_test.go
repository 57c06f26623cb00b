package testbed_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/testbed"
)

func TestMain(m *testing.M) {
	if testbed.IsNode() {
		if err := testbed.Serve(context.Background(), os.Stdin); err != nil {
			fmt.Fprintln(os.Stderr, "node:", err)
			os.Exit(1)
		}
		return
	}
	if os.Getenv("PARTWISE_TESTBED_SCHEDULER") != "" {
		if err := schedule(); err != nil {
			fmt.Fprintln(os.Stderr, "scheduler:", err)
		}
		return
	}
	os.Exit(m.Run())
}

func start(t testing.TB, nodes int) *testbed.Machine {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("sockets of the file system")
	}
	m, err := testbed.Start(t.Context(), testbed.Config{Nodes: nodes, Silence: 3 * time.Second, Log: func(text string) { t.Log(text) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
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

func TestDynamic(t *testing.T) {
	m := start(t, 4)
	w := testbed.Workload{Jobs: jobs(6, 0.1, 0.4), Phase: 20 * time.Millisecond, Elements: 1 << 12}
	began := time.Now()
	o, err := m.Run(t.Context(), w, policy.Dynamic{}, des.Seed(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%v; %d events", time.Since(began), o.Events)
	for _, j := range o.Jobs {
		t.Logf("%+v", j)
	}
	for _, r := range o.Reconfigurations {
		t.Logf("%+v", r)
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
