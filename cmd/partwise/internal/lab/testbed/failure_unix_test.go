//go:build unix

package testbed_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/lab/testbed"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/des"
)

// Whatever happens to a node, all jobs are done, each element of their arrays as often as it should be.
func TestLostNodes(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "stopped": syscall.SIGSTOP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := startWith(t, 4, 3*time.Second)
			w := testbed.Workload{Jobs: jobs(4, 0.05, 1), Phase: 20 * time.Millisecond, Elements: 1 << 10}
			ids := m.Processes()
			w.Told = onceStarted(4, func() { // each node has a job then
				for _, id := range ids[:2] {
					syscall.Kill(id, signal)
				}
			})
			o, err := m.Run(t.Context(), w, policy.Dynamic{}, des.Seed(1))
			if err != nil {
				t.Fatal(err)
			}
			restarted := 0
			for _, j := range o.Jobs {
				if j.Status != testbed.Completed || !(j.End > j.Start) {
					t.Errorf("%+v", j)
				}
				restarted += j.Restarted
			}
			if o.Lost != 2 || restarted == 0 {
				t.Errorf("%d nodes lost, %d jobs taken back", o.Lost, restarted)
			}
			for _, id := range ids[:2] {
				if running(id) {
					t.Errorf("process %d of a node that was replaced is there", id)
				}
			}
		})
	}
}

// A node that is slow for a while is waited for.
func TestSlowNode(t *testing.T) {
	t.Parallel()
	m := start(t, 4)
	id := m.Processes()[0]
	slow := onceStarted(3, func() {
		syscall.Kill(id, syscall.SIGSTOP)
		time.AfterFunc(300*time.Millisecond, func() { syscall.Kill(id, syscall.SIGCONT) })
	})
	o, err := m.Run(t.Context(), testbed.Workload{Jobs: jobs(3, 0.05, 1), Phase: 20 * time.Millisecond, Elements: 1 << 10,
		Told: slow}, policy.Dynamic{}, des.Seed(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range o.Jobs {
		if j.Status != testbed.Completed || j.Restarted > 0 {
			t.Errorf("%+v", j)
		}
	}
	if o.Lost > 0 {
		t.Errorf("%d nodes given up", o.Lost)
	}
}

// running reports whether there is a process that is not merely waited for.
func running(id int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
	if err != nil {
		return syscall.Kill(id, 0) == nil && !errors.Is(err, os.ErrNotExist)
	}
	_, state, _ := bytes.Cut(stat, []byte(") "))
	return len(state) > 0 && state[0] != 'Z'
}

// journalled returns what has become of the jobs that a journal tells of. A last line that is not finished is left out.
func journalled(t *testing.T, file string) map[int]testbed.Record {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	all := map[int]testbed.Record{}
	for line := range bytes.Lines(text) {
		var r testbed.Record
		if err := json.Unmarshal(line, &r); err == nil {
			all[r.ID] = r
		} else if bytes.HasSuffix(line, []byte("\n")) {
			t.Fatalf("%s: %v", line, err)
		}
	}
	return all
}

// eventually waits for what must become true sooner or later.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after %v, still not: %s", patience, what)
		}
	}
}

// When the scheduler is killed its nodes end, so that nobody listens any more, and the journal accounts for all jobs.
func TestKilledSchedulerLeavesNobody(t *testing.T) {
	scheduler, folder := exec.Command(os.Args[0]), t.TempDir()
	file := filepath.Join(t.TempDir(), "journal")
	scheduler.Env = append(os.Environ(), asScheduler+"=1", asScheduler+"_JOURNAL="+file, "TMPDIR="+folder)
	out, err := scheduler.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := scheduler.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	var ids []int
	if err != nil || json.Unmarshal(line, &ids) != nil || len(ids) != 8 {
		t.Fatalf("%q, %v", line, err)
	}
	count := func() map[testbed.Status]int {
		of := map[testbed.Status]int{}
		for _, j := range journalled(t, file) {
			of[j.Status]++
		}
		return of
	}
	want := map[testbed.Status]int{testbed.Running: 5, testbed.Waiting: 3}
	eventually(t, "5 of 8 jobs run", func() bool { return maps.Equal(count(), want) })
	scheduler.Process.Kill()
	scheduler.Wait()
	if got := count(); !maps.Equal(got, want) {
		t.Errorf("jobs in the journal, by status: %v", got)
	}
	eventually(t, "no node left", func() bool { return !slices.ContainsFunc(ids, running) })
	if left, _ := filepath.Glob(filepath.Join(folder, "*")); left != nil {
		t.Errorf("the sockets of the machine that was killed are left: %v", left)
	}
}

// Nodes that cannot be reached are not waited for: no socket has so long a name.
func TestNodesThatCannotListen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("long", 50))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	if _, err := testbed.Start(t.Context(), testbed.Config{Nodes: 2, Silence: patience}); err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); left != nil {
		t.Errorf("left: %v", left)
	}
}

// Sockets are in a directory of the machine's own, which Close removes.
func TestCloseLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	m := start(t, 3)
	ids := m.Processes()
	m.Close()
	for _, id := range ids {
		if running(id) {
			t.Errorf("process %d is there", id)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); left != nil {
		t.Errorf("left: %v", left)
	}
}
