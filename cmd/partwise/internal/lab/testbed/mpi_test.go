package testbed_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/lab/testbed"
	"github.com/partwise/partwise/validate/des"
)

var long, update = testbed.Flags()

func startMPI(t *testing.T, nodes, elements int) *testbed.MPIMachine {
	t.Helper()
	if err := testbed.FindMPI(); err != nil {
		t.Skip(err)
	}
	// Programs lie in a directory of the test's own, by which its processes are told from those of others.
	own := t.TempDir()
	t.Setenv("TMPDIR", own)
	m, err := testbed.StartMPI(t.Context(), nodes, elements)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		if left := testbed.Processes(t, own); len(left) > 0 {
			t.Errorf("left: %s", left)
		}
	})
	return m
}

// TestResize: an application has the processes that it is to have, and sends what a division in blocks has to; the
// program looks itself whether an element is lost.
func TestResize(t *testing.T) {
	const elements = 12000
	m := startMPI(t, 4, elements)
	job, err := m.Start(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(testbed.Processes(t, os.Getenv("TMPDIR"))) == 0 {
		t.Error("no process was found while an application runs: the test would not find one that is left")
	}
	// The quarters and the halves of the array: three of four quarters change hands, but for the first.
	for _, to := range []int{4, 2} {
		r, err := job.Resize(t.Context(), to)
		if err != nil {
			t.Fatal(err)
		}
		nodes, err := job.Nodes(t.Context())
		if err != nil || nodes != to {
			t.Errorf("%d nodes, not %d: %v", nodes, to, err)
		}
		if want := 8 * elements / 4 * 3; r.Bytes != want || r.Notify < 0 || r.Data <= 0 || r.Start <= 0 {
			t.Errorf("to %d nodes: %+v, want %d bytes", to, r, want)
		}
	}
	if err := job.End(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := job.Resize(t.Context(), 1); err == nil {
		t.Error("a job that has ended was resized")
	}
}

// TestCancelLeavesNothing: no process is left of a measurement that is given up.
func TestCancelLeavesNothing(t *testing.T) {
	m := startMPI(t, 2, 1000)
	given := errors.New("given up")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(500*time.Millisecond, func() { cancel(given) })
	if _, err := m.Transitions(ctx, 1000, des.Seed(1)); !errors.Is(err, given) {
		t.Error(err)
	}
}

func TestMPITransitions(t *testing.T) {
	const nodes, elements = 4, 1 << 20
	if !*long {
		t.Skip("takes a minute; -long measures")
	}
	times := 3
	if *update {
		times = 50
	}
	m := startMPI(t, nodes, elements)
	idle := testbed.NewIdle()
	all, err := m.Transitions(t.Context(), times, des.Seed(1))
	if err != nil {
		t.Fatal(err)
	}
	share := idle.Share()
	testbed.CheckTransitions(t, all, nodes, times)
	if !*update || t.Failed() {
		return
	}
	version, err := testbed.MPIVersion(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	testbed.KeepTransitions(t, "mpi.csv", version, nodes, elements, share, all)
}
