package advise_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/advise"
)

// TestControllerOnSlurm runs the controller on a real Slurm of four nodes, with jobs that slurm.sh makes: a job starts on all of
// them, makes room for a second one without an end of its workers, and has all of them again when that is gone, after a request
// for a checkpoint and a requeue. In place of torchrun, workers note their node and what they were given, and wait.
func TestControllerOnSlurm(t *testing.T) {
	needs.Long(t, "starts a Slurm")
	dir := filepath.Join(t.TempDir(), "cluster")
	startSlurm(t, 4, dir)
	t.Setenv("SLURM_CONF", filepath.Join(dir, "slurm.conf"))
	t.Chdir(t.TempDir()) // scontrol and jobs write there
	run := func(name string, args ...string) string {
		t.Helper()
		var stderr bytes.Buffer
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, &stderr)
		}
		return strings.TrimSpace(string(out))
	}
	defer func() { // no process of a job outlives the test
		run("scancel", "--full", "--signal=KILL", "--partition=all")
		run("scancel", "--partition=all")
		for end := time.Now().Add(time.Minute); run("squeue", "--noheader") != "" && time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		}
	}()
	files, err := advise.NewSystemSettings(policy.Resize{}, policy.Machine{Nodes: 4, Unit: 1}, 0, 1, 1).Files()
	if err != nil {
		t.Fatal(err)
	}
	programs := t.TempDir()
	for name, text := range map[string]string{files[0].Name: files[0].Text,
		"torchrun": "#!/bin/sh\necho \"$SLURM_JOB_ID $*\" >> started\nsleep 600\necho \"$SLURM_JOB_ID\" >> ended\n"} {
		if err := os.WriteFile(filepath.Join(programs, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", programs+":"+os.Getenv("PATH"))
	submit := func() string {
		return run("sbatch", "--parsable", "--hold", "--partition=all", filepath.Join(programs, files[0].Name))
	}
	workers := func(job string) int { // that began
		text, _ := os.ReadFile("started")
		return strings.Count(string(text), job+" --nnodes=1:4 --nproc-per-node=auto ")
	}
	begin := func(job string, n int) {
		t.Helper()
		for end := time.Now().Add(time.Minute); workers(job) < n && time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		}
		if got := workers(job); got != n {
			t.Fatalf("%d workers of job %s began, want %d", got, job, n)
		}
	}
	control := func() {
		t.Helper()
		cmd := controller(t, policy.Resize{}, policy.Machine{Nodes: 4, Unit: 1})
		cmd.Args = append(cmd.Args, "--once", "--go", "--name", "all", "--grace", "1")
		cmd.Env = os.Environ()
		t.Logf("%+v", decisions(t, cmd, 1))
	}
	runs := func(job, nodes string) {
		t.Helper()
		want, got := "R "+nodes, ""
		for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
			if got = run("squeue", "--noheader", "--format=%t %D", "--jobs="+job); got == want {
				return
			}
		}
		t.Fatalf("job %s is %q, want %q\n%s", job, got, want, run("squeue"))
	}
	first := submit()
	control()
	runs(first, "4")
	begin(first, 4)
	second := submit()
	control()
	runs(first, "2")
	runs(second, "2")
	begin(second, 2)
	if steps := run("squeue", "--noheader", "--steps", "--format=%i", "--jobs="+first); !strings.Contains(steps, first+".0") {
		t.Errorf("the step of the job that shrank is gone: %q", steps)
	}
	run("scancel", second)
	for run("squeue", "--noheader", "--jobs="+second, "--states=all", "--format=%t") == "CG" {
		time.Sleep(100 * time.Millisecond)
	}
	control()
	runs(first, "4")
	begin(first, 8)
	if _, err := os.Stat("checkpoint.request." + first); err != nil {
		t.Errorf("the job that grew was not asked for a checkpoint: %v", err)
	}
}
