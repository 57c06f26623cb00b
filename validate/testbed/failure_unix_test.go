//go:build unix

package testbed_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/testbed"
)

// Whatever happens to a node, all jobs are done, each element of their arrays as often as it should be.
func TestLostNodes(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "stopped": syscall.SIGSTOP} {
		t.Run(name, func(t *testing.T) {
			m := start(t, 4)
			w := testbed.Workload{Jobs: jobs(4, 0.05, 1), Phase: 20 * time.Millisecond, Elements: 1 << 10}
			ids := m.Processes()
			hurt := time.AfterFunc(200*time.Millisecond, func() {
				for _, id := range ids[:2] {
					syscall.Kill(id, signal)
				}
			})
			defer hurt.Stop()
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
	m := start(t, 4)
	id := m.Processes()[0]
	hurt := time.AfterFunc(150*time.Millisecond, func() {
		syscall.Kill(id, syscall.SIGSTOP)
		time.AfterFunc(300*time.Millisecond, func() { syscall.Kill(id, syscall.SIGCONT) })
	})
	defer hurt.Stop()
	o, err := m.Run(t.Context(), testbed.Workload{Jobs: jobs(3, 0.05, 1), Phase: 20 * time.Millisecond, Elements: 1 << 10},
		policy.Dynamic{}, des.Seed(1))
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

// asScheduler is the variable of the environment that makes the test binary a scheduler with nodes, whose process IDs it
// prints.
const asScheduler = "PARTWISE_TESTBED_SCHEDULER"

func schedule() error {
	m, err := testbed.Start(context.Background(), testbed.Config{Nodes: 8, Network: os.Getenv(asScheduler)})
	if err != nil {
		return err
	}
	defer m.Close()
	json.NewEncoder(os.Stdout).Encode(m.Processes())
	journal, err := os.Create(os.Getenv(asScheduler + "_JOURNAL"))
	if err != nil {
		return err
	}
	defer journal.Close()
	_, err = m.Run(context.Background(), testbed.Workload{Jobs: jobs(8, 0.01, 100), Phase: 20 * time.Millisecond,
		Elements: 1 << 10, Journal: journal}, policy.Capped{Jobs: 5}, des.Seed(1))
	return err
}

// When the scheduler is killed its nodes end, so that nobody listens any more, and the journal accounts for all jobs.
func TestKilledSchedulerLeavesNobody(t *testing.T) {
	for _, network := range []string{"unix", "tcp"} {
		t.Run(network, func(t *testing.T) {
			scheduler := exec.Command(os.Args[0])
			file := filepath.Join(t.TempDir(), "journal")
			scheduler.Env = append(os.Environ(), asScheduler+"="+network, asScheduler+"_JOURNAL="+file, "TMPDIR="+t.TempDir())
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
			time.Sleep(500 * time.Millisecond)
			scheduler.Process.Kill()
			scheduler.Wait()
			journal, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer journal.Close()
			found, err := testbed.ReadJournal(journal)
			if err != nil {
				t.Fatal(err)
			}
			count := map[testbed.Status]int{}
			for _, j := range found {
				count[j.Status]++
			}
			if len(found) != 8 || count[testbed.Running] != 5 || count[testbed.Waiting] != 3 {
				t.Errorf("%d jobs in the journal, by status %v", len(found), count)
			}
			for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
				left := 0
				for _, id := range ids {
					if running(id) {
						left++
					}
				}
				if left == 0 {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("%d of %d nodes are left", left, len(ids))
				}
			}
		})
	}
}

// Sockets are in a directory of the machine's own, which Close removes.
func TestCloseLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	m := start(t, 3)
	ids := m.Processes()
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if running(id) {
			t.Errorf("process %d is there", id)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); left != nil {
		t.Errorf("left: %v", left)
	}
}
