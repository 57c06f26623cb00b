//go:build linux

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/journal"
	"github.com/partwise/partwise/testdata/needs"
)

// cluster is a Slurm cluster of this machine, made by testdata/slurm/one-machine.sh.
type cluster struct {
	t   *testing.T
	env []string
	dir string // where jobs are submitted
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	needs.Long(t, "starts a cluster")
	t.Parallel() // it waits for the scheduler most of the time
	for _, program := range []string{"bash", "slurmctld", "slurmd", "sbatch", "munged"} {
		needs.Program(t, program)
	}
	script, err := filepath.Abs("testdata/slurm/one-machine.sh")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	if out, err := exec.Command("bash", script, "start", home).CombinedOutput(); err != nil {
		t.Fatalf("the cluster does not start: %v\n%s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("bash", script, "stop", home).CombinedOutput(); err != nil {
			t.Errorf("stopping the cluster: %v\n%s", err, out)
		}
	})
	return &cluster{t, append(os.Environ(), "SLURM_CONF="+filepath.Join(home, "slurm.conf")), slowDir(t)}
}

// run runs a command where jobs are submitted and returns what it prints.
func (c *cluster) run(name string, args ...string) string {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), name, args...)
	cmd.Dir, cmd.Env = c.dir, c.env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		c.t.Fatalf("%s %v: %v\n%s", name, args, err, &stderr)
	}
	return strings.TrimSpace(string(out))
}

// finish waits until no job is left.
func (c *cluster) finish() {
	c.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); c.run("squeue", "--noheader") != ""; time.Sleep(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.t.Fatalf("jobs do not come to their end:\n%s", c.run("squeue"))
		}
	}
}

// TestSlurm submits the script of a sweep to a real cluster, kills the jobs while they are at work, and submits them
// again: the merged result is that of one run, to the byte.
func TestSlurm(t *testing.T) {
	c := newCluster(t)
	// Half a second of work for each job.
	args := append(slowSweep, "--over", "arrivals.interarrival.scv=2:4", "--output")
	c.run("partwise", append(args, "whole.csv")...)
	script := c.run("partwise", append(args, "grid.csv", "--slurm", "2", "--format", "csv")...)
	if err := os.WriteFile(filepath.Join(c.dir, "job.sh"), []byte(script+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c.run("bash", "job.sh")
	waitFor(t, func() bool {
		found, err := journal.Read(filepath.Join(c.dir, "grid.csv.shard-1-of-2.journal"))
		return err == nil && found.Done() > 0
	})
	c.run("scancel", "--full", "--signal=KILL", "--name=partwise-grid.csv")
	c.finish() // the job that merges is given up by the scheduler, as what it waits for has failed
	_, err := os.Stat(filepath.Join(c.dir, "grid.csv"))
	killed := err != nil
	if !killed {
		t.Log("the jobs were done before they could be killed")
	}
	c.run("bash", "job.sh")
	c.finish()
	got, err := os.ReadFile(filepath.Join(c.dir, "grid.csv"))
	if err != nil {
		logs, _ := filepath.Glob(filepath.Join(c.dir, "*.log"))
		for _, name := range logs {
			text, _ := os.ReadFile(name)
			t.Logf("%s:\n%s", filepath.Base(name), text)
		}
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(c.dir, "whole.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("what the cluster found is not what one run finds")
	}
	log, err := os.ReadFile(filepath.Join(c.dir, "grid.csv.shard-1.log"))
	if err != nil || killed && !strings.Contains(string(log), "grid.csv.shard-1-of-2.journal holds ") {
		t.Errorf("the first job was not gone on with: %v\n%s", err, log)
	}
}
