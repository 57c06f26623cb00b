//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/partwise/partwise/models/sweep"
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

// TestSlurm submits the script of a sweep to a real cluster, kills the jobs while they are at work, and submits the script again:
// the jobs resume, and the merged result is that of one run, to the byte.
func TestSlurm(t *testing.T) {
	c := newCluster(t)
	// Work for many times as long as the scheduler takes to kill a job: with 240 points a job was killed after 2 to 15.
	args := append(slices.Clone(slowSweep), "--over", "arrivals.interarrival.scv=2:11", "--output")
	c.run("partwise", append(args, "whole.csv")...)
	script := c.run("partwise", append(args, "grid.csv", "--slurm", "2", "--format", "csv")...)
	if err := os.WriteFile(filepath.Join(c.dir, "job.sh"), []byte(script+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c.run("bash", "job.sh")
	first := filepath.Join(c.dir, "grid.csv.shard-1-of-2.journal")
	waitFor(t, func() bool {
		found, err := sweep.ReadJournal(first)
		return err == nil && found.Done() > 0
	})
	c.run("scancel", "--full", "--signal=KILL", "--name=partwise-grid-csv")
	c.finish() // the scheduler gives up the job that merges, because a job that it waits for has failed
	found, err := sweep.ReadJournal(first)
	if err != nil {
		t.Fatalf("the first job left no journal: %v", err)
	}
	known, missing := found.Done(), len(found.Missing())
	if missing == 0 {
		t.Fatalf("the first job had solved its %d points before it was killed, so that there was nothing to resume", known)
	}
	t.Logf("killed with %d points solved and %d missing", known, missing)
	c.run("bash", "job.sh")
	c.finish()
	c.compare("grid.csv", "whole.csv")
	log, err := os.ReadFile(filepath.Join(c.dir, "grid.csv.shard-1.log"))
	want := fmt.Sprintf("grid.csv.shard-1-of-2.journal holds %d ", known)
	if err != nil || !strings.Contains(string(log), want) {
		t.Errorf("the first job did not resume: no %q: %v\n%s", want, err, log)
	}
}

// compare holds a file that jobs made against one with the same content, and logs what the jobs said if there is none.
func (c *cluster) compare(got, want string) {
	c.t.Helper()
	made, err := os.ReadFile(filepath.Join(c.dir, got))
	if err != nil {
		logs, _ := filepath.Glob(filepath.Join(c.dir, "*.log"))
		for _, name := range logs {
			text, _ := os.ReadFile(name)
			c.t.Logf("%s:\n%s", filepath.Base(name), text)
		}
		c.t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(c.dir, want))
	if err != nil {
		c.t.Fatal(err)
	}
	if !bytes.Equal(made, whole) {
		c.t.Errorf("%s differs from %s", got, want)
	}
}
