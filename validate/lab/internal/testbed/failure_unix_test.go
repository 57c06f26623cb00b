//go:build unix

package testbed_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/lab/internal/testbed"
)

// A node that is killed ends the run: what is measured without it says nothing.
func TestLostNode(t *testing.T) {
	t.Parallel()
	m := start(t, 4)
	id := m.Processes()[0]
	time.AfterFunc(100*time.Millisecond, func() { syscall.Kill(id, syscall.SIGKILL) })
	_, err := m.Run(t.Context(), testbed.Workload{Jobs: jobs(4, 0.05, 1000), Phase: 20 * time.Millisecond, Elements: 1 << 10},
		policy.Dynamic{}, des.Seed(1))
	if err == nil || !strings.Contains(err.Error(), "a node is lost") {
		t.Error(err)
	}
}

// A node that is stopped and not continued ends the run with an error that names the node.
func TestStoppedNode(t *testing.T) {
	needs.Long(t, "waits for seconds")
	t.Parallel()
	m, err := testbed.StartWith(t.Context(), 4, 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	id := m.Processes()[2]
	time.AfterFunc(100*time.Millisecond, func() { syscall.Kill(id, syscall.SIGSTOP) })
	_, err = m.Run(t.Context(), testbed.Workload{Jobs: jobs(4, 0.05, 1000), Phase: 20 * time.Millisecond, Elements: 1 << 10},
		policy.Dynamic{}, des.Seed(1))
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("node 2 (process %d) has not answered", id)) {
		t.Error(err)
	}
}

// A node that is slow for a while is waited for.
func TestSlowNode(t *testing.T) {
	t.Parallel()
	m := start(t, 4)
	id := m.Processes()[0]
	time.AfterFunc(100*time.Millisecond, func() {
		syscall.Kill(id, syscall.SIGSTOP)
		time.AfterFunc(200*time.Millisecond, func() { syscall.Kill(id, syscall.SIGCONT) })
	})
	o, err := m.Run(t.Context(), testbed.Workload{Jobs: jobs(3, 0.05, 0.6), Phase: 20 * time.Millisecond, Elements: 1 << 10},
		policy.Dynamic{}, des.Seed(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range o.Jobs {
		if j.Cancelled || !(j.End > j.Start) {
			t.Errorf("%+v", j)
		}
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

// eventually waits for what must become true sooner or later.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after %v, still not: %s", patience, what)
		}
	}
}

// When the scheduler is killed its nodes end, so that nobody listens any more.
func TestKilledSchedulerLeavesNobody(t *testing.T) {
	scheduler, folder := exec.Command(os.Args[0]), t.TempDir()
	scheduler.Env = append(os.Environ(), asScheduler+"=1", "TMPDIR="+folder)
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
	scheduler.Process.Kill()
	scheduler.Wait()
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
	if _, err := testbed.Start(t.Context(), 2); err == nil || !strings.Contains(err.Error(), "does not answer") {
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
